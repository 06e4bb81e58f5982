# Ctrl-C ends exploration and timing alike with what is known so far, and says unknown.
f=$(mktemp)
sh tools/bench/stores.sh 4 16 > "$f"
timeout --foreground --preserve-status -s INT 1 ./simulate --max-states 0 -p x86 "$f" > "$f.out"; echo "status $?"
grep -e explored "$f.out" | sed 's/[0-9]* states, [0-9]* of/N states, N of/'
timeout --foreground --preserve-status -s INT 1 ./simulate --only time -p zen4 tests/golden/long.yaml > "$f.out"; echo "status $?"
sed -n 's/[0-9.]* instructions/N instructions/p' "$f.out"
rm "$f" "$f.out"
