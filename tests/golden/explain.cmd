./simulate explain
