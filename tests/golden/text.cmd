./simulate tests/golden/sb.yaml
