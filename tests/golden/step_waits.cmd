printf '1\n1\n1\nq\n' | ./simulate step -V mfence tests/golden/sb.yaml
