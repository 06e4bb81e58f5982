./simulate -f dot --only order tests/golden/sb.yaml traces/classic/n6.yaml
