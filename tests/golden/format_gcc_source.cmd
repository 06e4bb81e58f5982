./simulate -f gcc tests/golden/captured.yaml
