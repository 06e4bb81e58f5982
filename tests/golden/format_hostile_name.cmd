# A file may be called anything that a folder can hold, and none of it may end a line or a string.
d=$(mktemp -d)
name=$(printf 'a\n::error::b,c%%"<&>#\\\033[31m\377\302x.yaml')
cp tests/golden/sb.yaml "$d/$name"
for f in junit tap gcc github sarif; do
    ./simulate -f $f --witness none -p x86 "$d" | LC_ALL=C grep -a -e testcase -e uri -e '[#%?].*x.yaml' | LC_ALL=C sed "s|$d|D|g" | cat -v
done
rm -r "$d"
