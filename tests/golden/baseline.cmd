# Saved, then a barrier becomes a dearer one; a variant is new, one is gone.
d=$(mktemp -d)
cp tests/golden/cost.yaml "$d/cost.yaml"
./simulate -q -p zen4 --save-baseline "$d/base.json" "$d/cost.yaml" > /dev/null; echo "saved $?"
./simulate -q -p zen4 --baseline "$d/base.json" "$d/cost.yaml" | tail -n 1 | sed "s|$d|D|g"
./simulate -q -p zen4 --save-baseline "$d/again.json" "$d/cost.yaml" > /dev/null
cmp "$d/base.json" "$d/again.json" && echo deterministic
sed -i -e 's/lock or dword ptr .rsp-64., 0/mfence/' -e 's/^  lfence:/  new:/' -e 's/, lfence/, new/' "$d/cost.yaml"
./simulate -q -p zen4 --baseline "$d/base.json" --tolerance 5% "$d/cost.yaml" | sed "s|$d|D|g"
./simulate -q -p zen4 --baseline "$d/base.json" --tolerance 1000% "$d/cost.yaml" > /dev/null; echo "tolerated $?"
./simulate -f json -p zen4 -V lock --baseline "$d/base.json" "$d/cost.yaml" > "$d/json"; echo "status $?"
sed -n '/^ "baseline"/,$p' "$d/json" | sed "s|$d|D|g" | head -n 24
./simulate -f herd -p zen4 -V lock --baseline "$d/base.json" "$d/cost.yaml" 2>&1 > /dev/null | sed "s|$d|D|g"
rm -r "$d"
