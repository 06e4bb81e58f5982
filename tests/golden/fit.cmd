# Zen 3's cycles fitted to loops of a Zen 4; the profile that comes out is one like any other.
f=$(mktemp --suffix .yaml)
./simulate fit traces/measured/zen4.jsonl --base zen3 --free 'lfence_*' --free mfence_own --free mfence_restart --free rdpid_hold -o "$f"; echo "status $?"
cat "$f"
./simulate -p "$f" --only time -V mfence traces/seeds/store_mb.yaml | head -n 3
./simulate fit traces/measured/zen4.jsonl --base "$f" --free 'lfence_*' -q | tail -n 1
rm "$f"
