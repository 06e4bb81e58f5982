./simulate -q --kinds traces/litmus/kinds.txt traces/litmus
