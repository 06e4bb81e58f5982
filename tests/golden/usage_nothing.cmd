./simulate
