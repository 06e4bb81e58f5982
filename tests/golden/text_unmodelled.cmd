./simulate tests/golden/unmodelled.yaml
