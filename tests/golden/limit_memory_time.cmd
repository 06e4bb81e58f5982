# A timed run that writes more memory than it may have is unknown, and says why.
printf '%s\n' 'trace: 1' 'name: t' 'memory: {b: {size: 1MiB}}' 'cpus:' '  - regs: {rdi: b, rcx: 131072}' '    asm: rep stosq' |
    ./simulate -q -v -p zen4 --only time --max-memory 256KiB - 2>&1 | head -n 2
