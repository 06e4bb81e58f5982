./simulate capture tests/capture/jumps.c:choose; ./simulate capture --arg
