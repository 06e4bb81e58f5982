./simulate convert traces/litmus/once.litmus
