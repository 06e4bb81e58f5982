./simulate -q tests/golden/mp.yaml tests/golden/bad.yaml tests/golden/sb.yaml
