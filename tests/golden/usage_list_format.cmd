./simulate explain -f sarif
