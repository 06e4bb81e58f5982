./simulate -f herd - < traces/litmus/r-32-bit.litmus
