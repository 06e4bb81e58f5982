d=$(mktemp -d)
# Every shipped classic trace without its fences, then without its lock prefixes: exit status,
# and how many violated expectations come with an execution that shows it.
for out in 's/: (mfence|sfence|lfence)\b/: nop/g; s/^( +)(mfence|sfence|lfence)$/\1nop/' 's/\block (add|or|xadd|dec|bts) /\1 /g'; do
    for trace in traces/classic/*.yaml; do
        sed -E "$out" "$trace" > "$d/t.yaml"
        cmp -s "$trace" "$d/t.yaml" && continue
        ./simulate --only order "$d/t.yaml" > "$d/out" 2>&1
        echo "$? $(basename "$trace"): $(grep -c '^ *how: ' "$d/out") shown"
    done
    echo
done
rm -r "$d"
