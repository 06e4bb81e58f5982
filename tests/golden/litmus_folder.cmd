./simulate -q traces/litmus
