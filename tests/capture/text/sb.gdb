=> 0x401140 <P0>:	mov    DWORD PTR [rip+0x2eea],0x1        # 0x404034 <x>
   0x40114a <P0+10>:	test   eax,eax
   0x40114c <P0+12>:	je     0x40114a <P0+10>
   0x40114e <P0+14>:	mov    eax,DWORD PTR [rip+0x2edc]        # 0x404030 <y>
Dump of assembler code for function P1:
   0x0000000000401160 <+0>:	c7 05 c6 2e 00 00 01 00 00 00	mov    DWORD PTR [rip+0x2ec6],0x1        # 0x404030 <y>
   0x000000000040116a <+10>:	8b 05 c4 2e 00 00  	mov    eax,DWORD PTR [rip+0x2ec4]        # 0x404034 <x>
   0x0000000000401170 <+16>:	c3                 	ret
End of assembler dump.
