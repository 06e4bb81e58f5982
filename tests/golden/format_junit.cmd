./simulate -f junit tests/golden/sb.yaml tests/golden/bad.yaml tests/golden/unmodelled.yaml tests/golden/no_expectation.yaml
