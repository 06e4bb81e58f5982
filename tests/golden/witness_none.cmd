./simulate --witness none tests/golden/no_expectation.yaml
