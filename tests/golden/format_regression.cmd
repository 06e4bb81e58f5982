# A cost above the baseline is a failed test, an error at its instruction, a problem of a run.
d=$(mktemp -d)
cp tests/golden/cost.yaml "$d/cost.yaml"
./simulate -q -p zen4 --save-baseline "$d/base.json" "$d/cost.yaml" > /dev/null
./simulate -f tap -p zen4 -V lock --baseline "$d/base.json" "$d/cost.yaml" | sed "s|$d|D|g"
sed -i -e 's/lock or dword ptr .rsp-64., 0/mfence/' "$d/cost.yaml"
for f in junit tap gcc github sarif; do
    ./simulate -f $f -p zen4 -V lock --findings none --baseline "$d/base.json" "$d/cost.yaml" 2> /dev/null > "$d/out"
    echo "$f: $?"
    sed "s|$d|D|g" "$d/out" | sed -e '/"tool": {/,/^   },/d' -e '/fencesim.v1/d'
done
rm -r "$d"
