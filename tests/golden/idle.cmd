./simulate --findings none tests/golden/idle.yaml
