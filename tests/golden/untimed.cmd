./simulate -p zen4 tests/golden/untimed.yaml; echo "$?"; ./simulate --only time -p zen4 tests/golden/untimed.yaml; echo "$?"
