printf "a Allow\\nb Perhaps\\nc Allow now\\n" | ./simulate -q --kinds - traces/litmus/message.litmus
