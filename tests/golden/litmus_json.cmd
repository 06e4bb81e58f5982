./simulate -f json --only order --witness none traces/litmus/message.litmus
