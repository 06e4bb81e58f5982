./simulate -p zen4 tests/golden/approximate.yaml
