./simulate convert traces/litmus/array.litmus
