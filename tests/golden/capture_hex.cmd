for bytes in 'c7 06 01 00 00 00 8b 07' 'c706010000008b07' '0xc7, 0x06, 0x01, 0x00, 0x00, 0x00, // store
0x8b, 0x07' '00000000: c706 0100 0000 8b07                      ........' '0000000 c7 06 01 00 00 00 8b 07
0000010' '00000000  c7 06 01 00 00 00 8b 07                           |........|
00000008'; do
    printf '%s\n' "$bytes" | ./simulate capture --text - --arg P0:rsi=x --memory 'x: {size: 4}' | tail -n +8 | grep '"'
    echo --
done
