printf '1\n1\n1\n1\n' | ./simulate step -V none traces/field/flush-then-commit.yaml
