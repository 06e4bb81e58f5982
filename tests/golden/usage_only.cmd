./simulate --only sideways tests/golden/mp.yaml
