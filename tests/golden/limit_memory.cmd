# A limit of memory ends a run cleanly.
f=$(mktemp)
sh tools/bench/stores.sh 4 16 > "$f"
./simulate --max-states 0 --max-memory 24MiB --findings none -p x86 "$f" > "$f.out"; echo "status $?"
grep -e explored -e 'would help' "$f.out" | sed 's/[0-9]* states, [0-9]* of/N states, N of/'
rm "$f" "$f.out"
