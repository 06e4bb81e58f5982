./simulate convert -V none traces/classic/Peterson.yaml
