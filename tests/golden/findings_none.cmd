./simulate --only order --findings none traces/field/fence-on-the-wrong-side.yaml
