d=$(mktemp -d); mkdir "$d/t"; cp tests/golden/cost.yaml "$d/t/"
for words in 'tests/golden/cost.yaml' 'check tests/golden' "--save-baseline $d/b.json tests/golden/cost.yaml" '-q -f json tests/golden/cost.yaml'; do ./simulate -p zen4 --tolerance 5% $words 2>&1; echo "$?"; done
ls "$d"
./simulate check -p zen4 --save-baseline "$d/t/fencesim-baseline.json" "$d/t"; ./simulate check --tolerance 5% -p zen4 "$d/t" | sed "s|$d|D|g"
./simulate convert -V none -V mfence tests/golden/sb.yaml 2>&1; echo "$?"
rm -r "$d"
