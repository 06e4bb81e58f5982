./simulate tests/golden/transient.yaml --only order --findings none --witness none
