./simulate -V nope tests/golden/sb.yaml
