./simulate convert traces/classic/SB.yaml
