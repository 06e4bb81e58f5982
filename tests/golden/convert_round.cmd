./simulate convert traces/litmus/halves.litmus | ./simulate convert - | ./simulate -f herd -
