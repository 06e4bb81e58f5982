printf '4\n1\n1\n' | ./simulate step -p x86 -V bare traces/field/tsc-reads-early.yaml
