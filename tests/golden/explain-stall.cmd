./simulate explain store-drain
