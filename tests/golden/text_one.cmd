./simulate -p x86 tests/golden/no_expectation.yaml
