printf '1\n3\n1\n1\n?\n1\n1\nu\nl\n7\nnonsense\nr\n' | ./simulate step -V none tests/golden/sb.yaml
