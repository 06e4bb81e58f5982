./simulate -j 1 -f json tests/golden/*.yaml 2>&1 | cksum > /tmp/golden.$$
./simulate -j 7 -f json tests/golden/*.yaml 2>&1 | cksum | cmp - /tmp/golden.$$ && echo same
rm -f /tmp/golden.$$
