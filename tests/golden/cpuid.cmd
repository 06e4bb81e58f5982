./simulate --findings none tests/golden/cpuid.yaml
