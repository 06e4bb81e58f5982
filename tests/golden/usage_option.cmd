./simulate --frob tests/golden/mp.yaml
