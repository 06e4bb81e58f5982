./simulate -f json -V none tests/golden/sb.yaml
