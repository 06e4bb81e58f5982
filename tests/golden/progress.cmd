# Progress is shown on a terminal only, after a second, and erased at the end.
f=$(mktemp)
sh tools/bench/stores.sh 4 16 > "$f"
options="--only order --findings none --max-states 0 --max-seconds 1.6 -p x86 -q"
TERM=xterm script -qec "./simulate $options $f > /dev/null" /dev/null < /dev/null > "$f.tty"
grep -q 'files done, .* states, .* states/s, frontier ' "$f.tty" && echo shown
tail -c 4 "$f.tty" | od -An -c
./simulate $options "$f" 2>&1 > /dev/null | wc -c
TERM=xterm script -qec "./simulate -q tests/golden/mp.yaml" /dev/null < /dev/null | grep -c 'files done'
rm "$f" "$f.tty"
