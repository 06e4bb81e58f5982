# One iteration's rows have every key; a row without a store has no commit.
./simulate --only time --timeline -p zen4 -V none -f json tests/golden/cost.yaml |
    grep -A 8 '"iteration": 2998' | sed 's/[0-9]*\.[0-9]*/N/'
