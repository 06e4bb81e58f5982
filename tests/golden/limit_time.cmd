# A limit of time ends exploration and timing; what is known so far is shown.
f=$(mktemp)
sh tools/bench/stores.sh 4 16 > "$f"
./simulate --max-states 0 --max-seconds 0.2 -p x86 "$f" | sed -e "s|$f|F|" -e 's/[0-9]* states, [0-9]* of/N states, N of/' |
    grep -v -e ' states (not all)' -e 'P0:eax'
./simulate --only time --max-seconds 0.2 -p zen4 tests/golden/long.yaml |
    sed -e 's/[0-9.]* instructions/N instructions/' -e '/cycles: P0/,$d'
rm "$f"
