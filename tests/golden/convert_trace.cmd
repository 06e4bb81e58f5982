./simulate convert -V none traces/classic/n6.yaml
