./simulate -j 1 tests/malformed traces/classic > /tmp/golden.$$ 2>&1
./simulate -j 5 tests/malformed traces/classic 2>&1 | cmp - /tmp/golden.$$ && echo same
test "$(grep -c ': error: ' /tmp/golden.$$)" -gt 100 && grep '^traces/classic/SB.yaml' /tmp/golden.$$
rm -f /tmp/golden.$$
