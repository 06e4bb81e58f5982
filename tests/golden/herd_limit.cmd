./simulate -f herd --max-states 3 traces/litmus/store-buffering-mfence.litmus
