./simulate -f json --witness none tests/golden/stuck.yaml
