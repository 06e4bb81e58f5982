./simulate --findings none tests/golden/captured.yaml
