./simulate --only order traces/field/fence-on-the-wrong-side.yaml
