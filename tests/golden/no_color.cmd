NO_COLOR=1 ./simulate -q tests/golden/sb.yaml; ./simulate --color=never -q tests/golden/sb.yaml | cat
