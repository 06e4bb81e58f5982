./simulate -p zen44 tests/golden/mp.yaml
