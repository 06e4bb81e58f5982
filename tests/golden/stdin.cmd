./simulate -q - < tests/golden/sb.yaml
