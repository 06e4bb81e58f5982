./simulate --version
