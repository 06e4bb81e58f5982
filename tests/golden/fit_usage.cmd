# What is wrong with the options of a fit.
for a in "--free mfence_onw" "--free store_buffer_entries" "--base zen99" "--base amd" "--free mfence_own=12:20" "--free mfence_own=2:1" "--free mfence_own=2" "-f herd" "-o x" "--loss cubes" "--iterations 5" "--iterations x" "--free l3_latency -o x"; do
    echo "== $a"
    ./simulate fit traces/measured/zen4.jsonl --base zen4 -q $a 2>&1 | grep -e ^simulate
done
./simulate fit traces/measured/zen4.jsonl 2>&1
./simulate fit 2>&1
./simulate fit a b 2>&1
./simulate fit /nonexistent.jsonl --base zen4 2>&1
./simulate fit traces --base zen4 2>&1
