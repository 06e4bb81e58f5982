./simulate explain no-such-rule
