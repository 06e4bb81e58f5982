./simulate --color=always -q tests/golden/sb.yaml tests/golden/unmodelled.yaml
