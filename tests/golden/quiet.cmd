./simulate -q tests/golden/mp.yaml tests/golden/sb.yaml
