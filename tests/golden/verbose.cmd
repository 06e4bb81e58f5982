./simulate -v -V none tests/golden/sb.yaml
