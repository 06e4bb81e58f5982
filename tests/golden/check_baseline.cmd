# The baseline of a folder is found; what is not in it is counted; one that fits nothing is an error.
d=$(mktemp -d)
mkdir "$d/a" "$d/b"
cp tests/golden/cost.yaml "$d/a/cost.yaml"
./simulate check -q -p zen4 --save-baseline "$d/a/fencesim-baseline.json" "$d/a"; echo "saved $?"
./simulate check -p zen4 "$d/a" | sed "s|$d|D|g"
sed -i -e 's/lock or dword ptr .rsp-64., 0/mfence/' -e 's/^  lfence:/  new:/' -e 's/, lfence/, new/' "$d/a/cost.yaml"
./simulate check -p zen4 "$d/a" > "$d/out"; echo "status $?"
sed "s|$d|D|g" "$d/out"
./simulate check -p zen4 --baseline "$d/a/fencesim-baseline.json" "$d/a/../a" > "$d/out" 2>&1; echo "status $?"
sed "s|$d|D|g" "$d/out"
cp "$d/a/fencesim-baseline.json" "$d/b"
./simulate check "$d/a" "$d/b/" 2>&1 | sed "s|$d|D|g"
rm -r "$d"
