./simulate --findings some traces
