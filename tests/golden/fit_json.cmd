./simulate fit traces/measured/zen4.jsonl --base zen4 --free 'lock_interval=7:8' --loss absolute -q -f json
