./simulate --max-states 3 tests/golden/sb.yaml
