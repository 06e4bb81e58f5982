d=$(mktemp -d)
for text in '{"baseline": 1,' '[]' '{"baseline": 9, "entries": []}' '{"baseline": 1, "entries": [{"file": 3}]}'; do
    printf '%s\n' "$text" > "$d/base.json"
    ./simulate -q -p zen4 --baseline "$d/base.json" -V lock tests/golden/cost.yaml > /dev/null 2> "$d/err"
    echo "status $?"
    sed "s|$d|D|g" "$d/err"
done
./simulate -q --baseline /nonexistent.json -V lock tests/golden/cost.yaml 2>&1 | head -n 1
./simulate -q -p x86 --save-baseline "$d/none.json" -V lock tests/golden/cost.yaml 2>&1 | sed "s|$d|D|g"
./simulate --tolerance 5x tests/golden/cost.yaml 2>&1 | head -n 1
rm -r "$d"
