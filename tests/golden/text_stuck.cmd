./simulate tests/golden/stuck.yaml
