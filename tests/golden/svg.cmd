./simulate -f svg --only order -V none traces/classic/n6.yaml
