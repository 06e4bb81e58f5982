./simulate convert a b
