# Options about cycles where there are none, and a baseline of something else.
for a in "--only order --timeline" "--only order --save-baseline x" "--only order --baseline x"; do
    ./simulate -q -p zen4 tests/golden/cost.yaml $a 2>&1; echo "status $?"
done
d=$(mktemp -d)
cp tests/golden/cost.yaml "$d/a.yaml"
cp tests/golden/cost.yaml "$d/b.yaml"
./simulate -q -p zen4 --only time --save-baseline "$d/base.json" "$d/a.yaml" > /dev/null; echo "saved $?"
./simulate -q -p zen4 --only time -V none --baseline "$d/base.json" "$d/b.yaml" 2>&1 | sed "s|$d|D|g"
./simulate -q -p zen4 --only time -V none --baseline "$d/base.json" "$d/b.yaml" > /dev/null 2>&1; echo "status $?"
rm -r "$d"
