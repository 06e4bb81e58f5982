./simulate -f json -p zen4 tests/golden/captured.yaml | grep -A1 \"source\" | head -20
