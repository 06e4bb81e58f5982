f=$(mktemp)
./simulate -q -o "$f" tests/golden/sb.yaml
echo "status $?"
cat "$f"
rm "$f"
