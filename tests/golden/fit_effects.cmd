# Without free parameters: what matters to which loops.
./simulate fit traces/measured/zen4.jsonl --base zen4
