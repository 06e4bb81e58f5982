./simulate -f herd --only order traces/litmus/store-buffering.litmus traces/litmus/message.litmus traces/litmus/array.litmus
