./simulate --max-states 1x tests/golden/mp.yaml
