./simulate -f dot tests/golden/odd_names.yaml && ./simulate -f svg tests/golden/odd_names.yaml | grep title
