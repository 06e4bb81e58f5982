./simulate tests/golden/mp.yaml
