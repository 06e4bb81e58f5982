./simulate traces/litmus/store-buffering.litmus
