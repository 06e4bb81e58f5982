./simulate convert traces/litmus/store-buffering.litmus
