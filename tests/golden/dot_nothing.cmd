./simulate -f dot -V mfence tests/golden/sb.yaml
