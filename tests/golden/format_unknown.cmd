./simulate -f yaml tests/golden/sb.yaml
