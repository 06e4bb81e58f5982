printf 'head\307\006\001\000\000\000\213\007\303tail' > build/raw.bin; ./simulate capture --raw build/raw.bin --offset 4 --length 9 --address 0x401000 --arg P0:rdi=7
