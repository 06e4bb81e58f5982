// What data.c calls.
int elsewhere(int i) { return i * 2; }
