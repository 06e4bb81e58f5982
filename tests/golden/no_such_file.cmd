./simulate -q tests/golden/nosuch.yaml
