/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/instructions.h"

#include <capstone/capstone.h>
#include <stddef.h>
#include <string.h>

#include "sim/exec/native.h"

#define CONDITIONS(prefix)                                                                         \
    prefix "a " prefix "ae " prefix "b " prefix "be " prefix "e " prefix "g " prefix "ge " prefix  \
           "l " prefix "le " prefix "ne " prefix "no " prefix "np " prefix "ns " prefix            \
           "o " prefix "p " prefix "s"
#define XMM "xmm1, xmm2|xmm9, xmm1|xmm3, xmm3|xmm1, xmmword ptr [rdi]"
#define VEX3                                                                                       \
    "ymm1, ymm2, ymm3|xmm1, xmm2, xmm3|ymm9, ymm1, ymm1|ymm1, ymm12, ymmword ptr [rdi]|"           \
    "xmm8, xmm1, xmmword ptr [rdi + 16]"
#define SCALAR(size)      "xmm1, xmm2, xmm3|xmm9, xmm1, xmm1|xmm1, xmm12, " size " ptr [rdi]"
#define FMA(name, suffix) name "132" suffix " " name "213" suffix " " name "231" suffix " "
#define VMOVE(mem)                                                                                 \
    "xmm1, xmm2|ymm9, ymm1|xmm1, xmmword ptr [" mem "]|ymm1, ymmword ptr [" mem "]|"               \
    "xmmword ptr [" mem "], xmm9|ymmword ptr [" mem "], ymm1"
#define VBROADCAST(size) "xmm1, xmm2|ymm9, xmm1|xmm1, " size " ptr [rdi]|ymm1, " size " ptr [rdi]"
#define GPR3                                                                                       \
    "eax, ebx, ecx|r8, r9, r10|rcx, rcx, rcx|edx, dword ptr [rdi], ecx|rax, qword ptr [rdi], rcx"
#define GPR3_LAST "eax, ebx, ecx|r8, r9, r10|edx, ecx, dword ptr [rdi]|rax, rcx, qword ptr [rdi]"

const struct instruction_group instruction_groups[] = {
    {HOST_BASE, "add adc sub sbb and or xor cmp",
     "al, cl|ah, bl|ax, cx|eax, ecx|rax, rcx|r8d, r9d|rcx, rcx|eax, 7|rax, -5|cl, byte ptr [rdi]|"
     "ax, word ptr [rdi]|eax, dword ptr [rdi]|rax, qword ptr [rdi]|byte ptr [rdi], cl|"
     "word ptr [rdi], 300|dword ptr [rdi], ecx|qword ptr [rdi], rcx"},
    {HOST_BASE, "test",
     "al, cl|ax, cx|eax, ecx|rax, rcx|eax, 7|dword ptr [rdi], ecx|byte ptr [rdi], 3"},
    {HOST_BASE, "lock add lock adc lock sub lock sbb lock and lock or lock xor",
     "byte ptr [rdi], cl|dword ptr [rdi], ecx|qword ptr [rdi], rcx|dword ptr [rdi], 7"},
    {HOST_BASE, "inc dec neg not",
     "al|ah|ax|eax|rax|r9d|byte ptr [rdi]|dword ptr [rdi]|qword ptr [rdi]"},
    {HOST_BASE, "lock inc lock dec lock neg lock not",
     "byte ptr [rdi]|dword ptr [rdi]|qword ptr [rdi]"},
    {HOST_BASE, "mov",
     "al, cl|ah, cl|cl, ah|ax, cx|eax, ecx|rax, rcx|r8d, r9d|rax, 5|ax, 5|al, 5|"
     "byte ptr [rdi], cl|word ptr [rdi], cx|dword ptr [rdi], ecx|qword ptr [rdi], rcx|"
     "al, byte ptr [rdi]|ax, word ptr [rdi]|eax, dword ptr [rdi]|rax, qword ptr [rdi]|rdi, qword "
     "ptr [rdi]"},
    {HOST_BASE, "movabs", "rax, 0x123456789abcdef0"},
    {HOST_BASE, "movzx movsx",
     "ax, cl|eax, cl|rax, cl|eax, ch|eax, cx|rax, cx|eax, byte ptr [rdi]|rax, word ptr [rdi]"},
    {HOST_BASE, "movsxd", "rax, ecx|rax, dword ptr [rdi]"},
    {HOST_BASE, "lea", "rax, [rcx + rdx*4 + 5]|eax, [rcx + rcx]|ax, [rcx + 1]|r9, [r8*8 - 3]"},
    {HOST_BASE, "xchg",
     "al, cl|ah, cl|ax, cx|eax, ecx|rax, rcx|ecx, edx|dword ptr [rdi], ecx|qword ptr [rdi], "
     "rcx|byte ptr [rdi], cl"},
    {HOST_BASE, "xadd",
     "al, cl|ax, cx|eax, ecx|rax, rcx|ecx, edx|rcx, rcx|dword ptr [rdi], ecx|qword ptr [rdi], rcx"},
    {HOST_BASE, "lock xadd",
     "dword ptr [rdi], ecx|qword ptr [rdi], rcx|byte ptr [rdi], cl|word ptr [rdi], cx"},
    {HOST_BASE, "cmpxchg",
     "cl, dl|cx, dx|ecx, edx|rcx, rdx|eax, edx|r9d, r8d|byte ptr [rdi], cl|dword ptr [rdi], "
     "ecx|qword ptr [rdi], rcx"},
    {HOST_BASE, "lock cmpxchg",
     "byte ptr [rdi], cl|word ptr [rdi], cx|dword ptr [rdi], ecx|qword ptr [rdi], rcx"},
    {HOST_BASE, "cmpxchg8b lock cmpxchg8b", "qword ptr [rdi]"},
    {HOST_BASE, "cmpxchg16b lock cmpxchg16b", "xmmword ptr [rdi]|xmmword ptr [rdi + 8]"},
    {HOST_BASE, "mul imul div idiv",
     "cl|bh|cx|ecx|rcx|r9d|dword ptr [rdi]|qword ptr [rdi]|byte ptr [rdi]"},
    {HOST_BASE, "imul",
     "ax, cx|eax, ecx|rax, rcx|eax, ecx, 77|rax, rcx, -9|rax, qword ptr [rdi]|eax, dword ptr "
     "[rdi], 5"},
    {HOST_BASE, "shl shr sar sal rol ror rcl rcr",
     "al, cl|ax, cl|eax, cl|rax, cl|ecx, cl|eax, 1|rax, 1|al, 3|ax, 5|eax, 13|rax, 40|eax, 0|byte "
     "ptr [rdi], cl|"
     "word ptr [rdi], cl|dword ptr [rdi], cl|qword ptr [rdi], cl|qword ptr [rdi], 7|dword ptr "
     "[rdi], 1"},
    {HOST_BASE, "shld shrd",
     "ax, dx, 5|eax, edx, 13|rax, rdx, 40|eax, edx, cl|rax, rdx, cl|dword ptr [rdi], edx, cl|qword "
     "ptr [rdi], rdx, cl"},
    {HOST_BASE, "bsf bsr", "ax, cx|eax, ecx|rax, rcx|eax, dword ptr [rdi]"},
    {HOST_BASE, "bt btc btr bts",
     "ax, cx|eax, ecx|rax, rcx|eax, 7|rax, 50|dword ptr [rdi], 9|qword ptr [rdi], 40|ecx, ecx"},
    {HOST_BASE, "lock btc lock btr lock bts", "dword ptr [rdi], 9|qword ptr [rdi], 40"},
    {HOST_BASE, "bswap", "eax|rax|r9d"},
    {HOST_BASE, "cbw cdq cdqe cqo cwd cwde clc cld cmc stc std lahf sahf xlatb leave pushfq popfq",
     ""},
    {HOST_BASE, CONDITIONS("cmov"), "ax, cx|eax, ecx|rax, rcx|eax, dword ptr [rdi]"},
    {HOST_BASE, CONDITIONS("set"), "al|ah|r9b|byte ptr [rdi]"},
    {HOST_BASE, CONDITIONS("j") " jrcxz jecxz loop loope loopne", "."},
    {HOST_BASE, "push", "rax|r9|rsp|5|ax|qword ptr [rdi]"},
    {HOST_BASE, "pop", "rax|r9|rsp|ax|qword ptr [rdi]"},
    {HOST_BASE, "enter", "16, 0|0, 0|8, 1"},
    {HOST_BASE,
     "movsb movsw movsd movsq stosb stosw stosd stosq lodsb lodsw lodsd lodsq "
     "cmpsb cmpsw cmpsd cmpsq scasb scasw scasd scasq rep movsb rep movsq rep stosb rep stosd "
     "repe cmpsb repne scasb repe scasw repne cmpsd rep lodsb",
     ""},
    {HOST_BASE, "movnti", "dword ptr [rdi], ecx|qword ptr [rdi], rcx"},
    {HOST_BMI, "movbe",
     "ax, word ptr [rdi]|eax, dword ptr [rdi]|rax, qword ptr [rdi]|word ptr [rdi], cx|dword ptr "
     "[rdi], ecx|qword ptr [rdi], rcx"},
    {HOST_SSE42, "popcnt", "ax, cx|eax, ecx|rax, rcx|eax, dword ptr [rdi]"},
    {HOST_SSE42, "crc32", "eax, cl|eax, cx|eax, ecx|rax, rcx|rax, cl|eax, dword ptr [rdi]"},
    {HOST_BMI, "tzcnt lzcnt", "ax, cx|eax, ecx|rax, rcx|eax, dword ptr [rdi]|ax, word ptr [rdi]"},
    {HOST_ADX, "adcx adox", "eax, ecx|rax, rcx|eax, dword ptr [rdi]"},
    {HOST_BMI, "andn pdep pext", GPR3_LAST},
    {HOST_BMI, "mulx", GPR3_LAST "|eax, eax, ecx|rcx, rcx, rdx|edx, eax, edx|rax, rdx, rcx"},
    {HOST_BMI, "bextr bzhi sarx shlx shrx", GPR3},
    {HOST_BMI, "blsi blsmsk blsr",
     "eax, ecx|r8, r9|rcx, rcx|eax, dword ptr [rdi]|rax, qword ptr [rdi]"},
    {HOST_BMI, "rorx",
     "eax, ecx, 7|rax, rcx, 40|eax, ecx, 0|eax, dword ptr [rdi], 33|rax, qword ptr [rdi], 63"},
    /* SSE */
    {HOST_SSE42, "movaps movapd movdqa movups movupd movdqu", XMM "|xmmword ptr [rdi], xmm9"},
    {HOST_SSE42, "movups movdqu", "xmm1, xmmword ptr [rdi + 5]|xmmword ptr [rdi + 5], xmm1"},
    {HOST_SSE42, "lddqu movntdqa", "xmm1, xmmword ptr [rdi]"},
    {HOST_SSE42, "movntdq movntps movntpd", "xmmword ptr [rdi], xmm1"},
    {HOST_SSE42, "movq",
     "xmm1, xmm2|xmm1, rax|rax, xmm1|xmm1, qword ptr [rdi]|qword ptr [rdi], xmm1"},
    {HOST_SSE42, "movd", "xmm1, eax|eax, xmm1|xmm1, dword ptr [rdi]|dword ptr [rdi], xmm1"},
    {HOST_SSE42, "movss", "xmm1, xmm2|xmm1, dword ptr [rdi]|dword ptr [rdi], xmm1"},
    {HOST_SSE42, "movsd", "xmm1, xmm2|xmm1, qword ptr [rdi]|qword ptr [rdi], xmm1"},
    {HOST_SSE42, "movlps movhps movlpd movhpd", "xmm1, qword ptr [rdi]|qword ptr [rdi], xmm1"},
    {HOST_SSE42, "movhlps movlhps", "xmm1, xmm2"},
    {HOST_SSE42, "movddup", "xmm1, xmm2|xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "movsldup movshdup", XMM},
    {HOST_SSE42, "maskmovdqu", "xmm1, xmm2"},
    {HOST_SSE42, "movmskps movmskpd pmovmskb", "eax, xmm1|r9d, xmm9"},
    {HOST_SSE42, "pxor por pand pandn xorps xorpd orps orpd andps andpd andnps andnpd", XMM},
    {HOST_SSE42,
     "paddb paddw paddd paddq psubb psubw psubd psubq paddsb paddsw paddusb paddusw "
     "psubsb psubsw psubusb psubusw",
     XMM},
    {HOST_SSE42, "pcmpeqb pcmpeqw pcmpeqd pcmpeqq pcmpgtb pcmpgtw pcmpgtd pcmpgtq", XMM},
    {HOST_SSE42,
     "pmaxsb pmaxsw pmaxsd pmaxub pmaxuw pmaxud pminsb pminsw pminsd pminub pminuw pminud", XMM},
    {HOST_SSE42,
     "pmullw pmulld pmulhw pmulhuw pmuludq pmuldq pmulhrsw pmaddwd pmaddubsw psadbw pavgb pavgw",
     XMM},
    {HOST_SSE42, "pabsb pabsw pabsd psignb psignw psignd pshufb phminposuw", XMM},
    {HOST_SSE42, "phaddw phaddd phaddsw phsubw phsubd phsubsw",
     "xmm1, xmm2|xmm9, xmm1|xmm1, xmmword ptr [rdi]"},
    {HOST_SSE42,
     "punpcklbw punpcklwd punpckldq punpcklqdq punpckhbw punpckhwd punpckhdq punpckhqdq "
     "packsswb packssdw packuswb packusdw unpcklps unpckhps unpcklpd unpckhpd",
     XMM},
    {HOST_SSE42, "psllw pslld psllq psrlw psrld psrlq psraw psrad", XMM "|xmm1, 3|xmm9, 20"},
    {HOST_SSE42, "pslldq psrldq", "xmm1, 3|xmm9, 15"},
    {HOST_SSE42, "pshufd pshufhw pshuflw shufps shufpd palignr pblendw blendps blendpd mpsadbw",
     "xmm1, xmm2, 0x1b|xmm9, xmm1, 2|xmm1, xmmword ptr [rdi], 3"},
    {HOST_SSE42, "pblendvb blendvps blendvpd", "xmm1, xmm2, xmm0|xmm1, xmmword ptr [rdi], xmm0"},
    {HOST_SSE42,
     "pmovsxbw pmovsxbd pmovsxbq pmovsxwd pmovsxwq pmovsxdq pmovzxbw pmovzxbd pmovzxbq pmovzxwd "
     "pmovzxwq pmovzxdq",
     "xmm1, xmm2"},
    {HOST_SSE42, "pmovsxbw pmovzxwd pmovzxdq", "xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "pextrb", "eax, xmm1, 3|byte ptr [rdi], xmm1, 5"},
    {HOST_SSE42, "pextrw", "eax, xmm1, 3|word ptr [rdi], xmm1, 5"},
    {HOST_SSE42, "pextrd", "eax, xmm1, 3|dword ptr [rdi], xmm1, 2"},
    {HOST_SSE42, "pextrq", "rax, xmm1, 1|qword ptr [rdi], xmm1, 0"},
    {HOST_SSE42, "extractps", "eax, xmm1, 3|dword ptr [rdi], xmm1, 2"},
    {HOST_SSE42, "pinsrb", "xmm1, eax, 3|xmm1, byte ptr [rdi], 5"},
    {HOST_SSE42, "pinsrw", "xmm1, eax, 3|xmm1, word ptr [rdi], 5"},
    {HOST_SSE42, "pinsrd", "xmm1, eax, 3|xmm1, dword ptr [rdi], 2"},
    {HOST_SSE42, "pinsrq", "xmm1, rax, 1|xmm1, qword ptr [rdi], 0"},
    {HOST_SSE42, "insertps", "xmm1, xmm2, 0x9c|xmm1, dword ptr [rdi], 0x21"},
    {HOST_SSE42, "ptest", XMM},
    {HOST_SSE42,
     "addps subps mulps divps minps maxps sqrtps addpd subpd mulpd divpd minpd maxpd sqrtpd "
     "addsubps addsubpd haddps haddpd hsubps hsubpd",
     XMM},
    {HOST_SSE42, "addss subss mulss divss minss maxss sqrtss", "xmm1, xmm2|xmm1, dword ptr [rdi]"},
    {HOST_SSE42, "addsd subsd mulsd divsd minsd maxsd sqrtsd", "xmm1, xmm2|xmm1, qword ptr [rdi]"},
    {HOST_SSE42,
     "cmpeqps cmpltps cmpleps cmpunordps cmpneqps cmpnltps cmpnleps cmpordps cmpeqpd cmpltpd", XMM},
    {HOST_SSE42, "cmpltss cmpunordss cmpeqsd cmpnlesd", "xmm1, xmm2"},
    {HOST_SSE42, "ucomiss comiss", "xmm1, xmm2|xmm1, dword ptr [rdi]"},
    {HOST_SSE42, "ucomisd comisd", "xmm1, xmm2|xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "cvtdq2ps cvtps2dq cvttps2dq cvtpd2dq cvttpd2dq cvtpd2ps", XMM},
    {HOST_SSE42, "cvtdq2pd cvtps2pd", "xmm1, xmm2"},
    {HOST_SSE42, "cvtss2sd cvtsd2ss", "xmm1, xmm2"},
    {HOST_SSE42, "cvtsi2ss cvtsi2sd",
     "xmm1, eax|xmm1, rax|xmm1, dword ptr [rdi]|xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "cvtss2si cvttss2si cvtsd2si cvttsd2si", "eax, xmm1|rax, xmm1"},
    {HOST_SSE42, "roundps roundpd roundss roundsd", "xmm1, xmm2, 1|xmm1, xmm2, 0x33"},
    {HOST_SSE42, "cmpltss", "xmm1, dword ptr [rdi]"},
    {HOST_SSE42, "cmpltsd", "xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "cvtss2sd", "xmm1, dword ptr [rdi]"},
    {HOST_SSE42, "cvtsd2ss", "xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "cvttss2si cvtss2si", "eax, dword ptr [rdi]|rax, dword ptr [rdi]"},
    {HOST_SSE42, "cvttsd2si cvtsd2si", "eax, qword ptr [rdi]|rax, qword ptr [rdi]"},
    {HOST_SSE42, "pmovsxbd pmovzxbd pmovsxwq pmovzxwq", "xmm1, dword ptr [rdi]"},
    {HOST_SSE42, "pmovsxbq pmovzxbq", "xmm1, word ptr [rdi]"},
    {HOST_SSE42, "cvtps2pd cvtdq2pd", "xmm1, qword ptr [rdi]"},
    {HOST_SSE42, "roundss", "xmm1, dword ptr [rdi], 2"},
    {HOST_SSE42, "roundsd", "xmm9, qword ptr [rdi], 0x33"},
    {HOST_AES, "aesenc aesenclast aesdec aesdeclast aesimc", "xmm1, xmm2"},
    {HOST_AES, "aeskeygenassist", "xmm1, xmm2, 5"},
    /* AVX */
    {HOST_AVX2, "vmovdqa vmovaps vmovapd", VMOVE("rdi")},
    {HOST_AVX2, "vmovdqu vmovups vmovupd", VMOVE("rdi + 5")},
    {HOST_AVX2, "vmovntdq vmovntps vmovntpd", "xmmword ptr [rdi], xmm9|ymmword ptr [rdi], ymm1"},
    {HOST_AVX2, "vmovntdqa", "xmm1, xmmword ptr [rdi]|ymm1, ymmword ptr [rdi]"},
    {HOST_AVX2, "vmovq",
     "xmm1, xmm2|xmm1, rax|rax, xmm1|xmm1, qword ptr [rdi]|qword ptr [rdi], xmm1"},
    {HOST_AVX2, "vmovd", "xmm1, eax|eax, xmm1|xmm1, dword ptr [rdi]|dword ptr [rdi], xmm1"},
    {HOST_AVX2,
     "vpxor vxorps vxorpd vpor vpand vpandn vpcmpeqb vpcmpeqw vpcmpeqd vpcmpeqq vpaddb vpaddw "
     "vpaddd vpaddq vpsubb vpsubw vpsubd vpsubq",
     VEX3},
    {HOST_AVX2, "vpbroadcastb", VBROADCAST("byte")},
    {HOST_AVX2, "vpbroadcastw", VBROADCAST("word")},
    {HOST_AVX2, "vpbroadcastd", VBROADCAST("dword")},
    {HOST_AVX2, "vpbroadcastq", VBROADCAST("qword")},
    {HOST_AVX2, "vinsertf128 vinserti128",
     "ymm1, ymm2, xmm3, 0|ymm1, ymm2, xmm3, 1|ymm1, ymm1, xmmword ptr [rdi + 3], 1"},
    {HOST_AVX2, "vextractf128 vextracti128",
     "xmm1, ymm2, 0|xmm1, ymm1, 1|xmmword ptr [rdi + 3], ymm2, 1"},
    {HOST_AVX2, "vptest", "xmm1, xmm2|ymm1, ymm2|ymm1, ymmword ptr [rdi]|ymm3, ymm3"},
    {HOST_AVX2, "vpmovmskb", "eax, xmm1|r9d, ymm9"},
    {HOST_AVX2, "vzeroupper vzeroall", ""},
    {HOST_AVX2, "vlddqu", "xmm1, xmmword ptr [rdi + 5]|ymm1, ymmword ptr [rdi + 5]"},
    {HOST_AVX2,
     "vaddps vsubps vmulps vdivps vminps vmaxps vaddpd vsubpd vmulpd vdivpd vminpd vmaxpd "
     "vaddsubps vaddsubpd vhaddps vhaddpd vhsubps vhsubpd vandps vandpd vandnps vandnpd vorps "
     "vorpd vunpcklps vunpcklpd vunpckhps vunpckhpd",
     VEX3},
    {HOST_AVX2,
     "vpshufb vpunpcklbw vpunpcklwd vpunpckldq vpunpcklqdq vpunpckhbw vpunpckhwd vpunpckhdq "
     "vpunpckhqdq vpacksswb vpackssdw vpackuswb vpackusdw vpmullw vpmulld vpmulhw vpmulhuw "
     "vpmulhrsw vpmuludq vpmuldq vpmaddwd vpmaddubsw vpsadbw vpavgb vpavgw vpsignb vpsignw vpsignd",
     VEX3},
    {HOST_AVX2,
     "vpmaxsb vpmaxsw vpmaxsd vpmaxub vpmaxuw vpmaxud vpminsb vpminsw vpminsd vpminub vpminuw "
     "vpminud vpcmpgtb vpcmpgtw vpcmpgtd vpcmpgtq vpaddsb vpaddsw vpaddusb vpaddusw vpsubsb "
     "vpsubsw vpsubusb vpsubusw vphaddw vphaddd vphaddsw vphsubw vphsubd vphsubsw",
     VEX3},
    {HOST_AVX2, "vpsllvd vpsllvq vpsravd vpsrlvd vpsrlvq", VEX3},
    {HOST_AVX2,
     "vaddss vsubss vmulss vdivss vminss vmaxss vsqrtss vcvtss2sd vcmpltss vcmpneqss vcmpgess",
     SCALAR("dword")},
    {HOST_AVX2,
     "vaddsd vsubsd vmulsd vdivsd vminsd vmaxsd vsqrtsd vcvtsd2ss vcmplesd vcmpordsd vcmpgtsd",
     SCALAR("qword")},
    {HOST_AVX2, "vcmpps vcmppd",
     "ymm1, ymm2, ymm3, 0|xmm1, xmm2, xmm1, 1|ymm1, ymm1, ymm2, 2|ymm9, ymm2, ymm3, 3|"
     "ymm1, ymm2, ymm3, 4|ymm1, ymm2, ymm3, 5|ymm1, ymm2, ymmword ptr [rdi], 6|"
     "xmm1, xmm2, xmmword ptr [rdi], 7|ymm1, ymm2, ymm3, 8|ymm1, ymm2, ymm3, 9|"
     "ymm1, ymm2, ymm3, 10|ymm1, ymm2, ymm3, 12|ymm1, ymm2, ymm3, 13|ymm1, ymm2, ymm3, 14|"
     "ymm1, ymm2, ymm3, 17|ymm1, ymm2, ymm3, 24|ymm1, ymm2, ymm3, 30"},
    {HOST_AVX2, "vcmpps vcmppd", "ymm1, ymm2, ymm3, 11|ymm1, ymm2, ymm3, 31"},
    {HOST_AVX2, "vroundps vroundpd vpermilps vpermilpd vpshufd vpshufhw vpshuflw",
     "ymm1, ymm2, 1|ymm9, ymm1, 0x33|xmm1, xmm2, 0x1b|ymm1, ymmword ptr [rdi], 2"},
    {HOST_AVX2, "vroundss", "xmm1, xmm2, xmm3, 1|xmm9, xmm1, dword ptr [rdi], 2"},
    {HOST_AVX2, "vroundsd", "xmm1, xmm2, xmm3, 3|xmm9, xmm1, qword ptr [rdi], 0"},
    {HOST_AVX2, "vpermilps vpermilpd", VEX3},
    {HOST_AVX2, "vpermd vpermps",
     "ymm1, ymm2, ymm3|ymm9, ymm1, ymm1|ymm1, ymm2, ymmword ptr [rdi]"},
    {HOST_AVX2, "vpermq vpermpd",
     "ymm1, ymm2, 0x1b|ymm9, ymm1, 0xd8|ymm1, ymmword ptr [rdi], 0x4e"},
    {HOST_AVX2, "vperm2f128 vperm2i128",
     "ymm1, ymm2, ymm3, 0x21|ymm9, ymm1, ymm2, 0x83|ymm1, ymm2, ymmword ptr [rdi], 0x30"},
    {HOST_AVX2, "vshufps vshufpd vpalignr vblendps vblendpd vpblendd vpblendw",
     "ymm1, ymm2, ymm3, 0x1b|xmm9, xmm1, xmm1, 2|ymm1, ymm1, ymm2, 0xe4|"
     "ymm1, ymm2, ymmword ptr [rdi], 9"},
    {HOST_AVX2, "vpblendvb vblendvps vblendvpd",
     "ymm1, ymm2, ymm3, ymm4|xmm9, xmm1, xmm2, xmm9|ymm1, ymm2, ymmword ptr [rdi], ymm3"},
    {HOST_AVX2, "vpsllw vpslld vpsllq vpsrlw vpsrld vpsrlq vpsraw vpsrad",
     "xmm1, xmm2, xmm3|ymm1, ymm2, xmm3|ymm9, ymm1, xmmword ptr [rdi]|ymm1, ymm2, 3|xmm9, xmm1, "
     "20|ymm9, ymm9, 70"},
    {HOST_AVX2, "vpslldq vpsrldq", "ymm1, ymm2, 3|xmm9, xmm1, 15|ymm9, ymm9, 16"},
    {HOST_AVX2,
     "vpabsb vpabsw vpabsd vmovddup vmovsldup vmovshdup vsqrtps vsqrtpd vcvtdq2ps vcvtps2dq "
     "vcvttps2dq",
     "xmm1, xmm2|ymm9, ymm1|ymm1, ymmword ptr [rdi]"},
    {HOST_AVX2, "vpmovsxbw vpmovsxwd vpmovsxdq vpmovzxbw vpmovzxwd vpmovzxdq vcvtps2pd vcvtdq2pd",
     "xmm1, xmm2|ymm9, xmm1|xmm1, qword ptr [rdi]|ymm1, xmmword ptr [rdi]"},
    {HOST_AVX2, "vpmovsxbd vpmovsxwq vpmovzxbd vpmovzxwq",
     "xmm1, xmm2|ymm9, xmm1|xmm1, dword ptr [rdi]|ymm1, qword ptr [rdi]"},
    {HOST_AVX2, "vpmovsxbq vpmovzxbq",
     "xmm1, xmm2|ymm9, xmm1|xmm1, word ptr [rdi]|ymm1, dword ptr [rdi]"},
    {HOST_AVX2, "vcvtpd2ps vcvtpd2dq vcvttpd2dq",
     "xmm1, xmm2|xmm9, ymm1|xmm1, xmmword ptr [rdi]|xmm1, ymmword ptr [rdi]"},
    {HOST_AVX2, "vcvtsi2ss vcvtsi2sd",
     "xmm1, xmm2, eax|xmm9, xmm1, rax|xmm1, xmm2, r9|xmm1, xmm2, dword ptr [rdi]|"
     "xmm1, xmm1, qword ptr [rdi]"},
    {HOST_AVX2, "vcvtss2si vcvttss2si", "eax, xmm1|r9, xmm9|eax, dword ptr [rdi]"},
    {HOST_AVX2, "vcvtsd2si vcvttsd2si", "eax, xmm1|r9, xmm9|rax, qword ptr [rdi]"},
    {HOST_AVX2, "vucomiss vcomiss", "xmm1, xmm2|xmm9, xmm9|xmm1, dword ptr [rdi]"},
    {HOST_AVX2, "vucomisd vcomisd", "xmm1, xmm2|xmm9, xmm9|xmm1, qword ptr [rdi]"},
    {HOST_AVX2, "vtestps vtestpd", "xmm1, xmm2|ymm1, ymm2|ymm1, ymmword ptr [rdi]|ymm3, ymm3"},
    {HOST_AVX2, "vmovmskps vmovmskpd", "eax, xmm1|r9d, ymm9"},
    {HOST_AVX2, "vpextrb", "eax, xmm1, 3|byte ptr [rdi], xmm9, 5"},
    {HOST_AVX2, "vpextrw", "eax, xmm1, 3|word ptr [rdi], xmm9, 5"},
    {HOST_AVX2, "vpextrd vextractps", "r9d, xmm1, 3|dword ptr [rdi], xmm9, 2"},
    {HOST_AVX2, "vpextrq", "rax, xmm1, 1|qword ptr [rdi], xmm9, 0"},
    {HOST_AVX2, "vpinsrb", "xmm1, xmm2, eax, 3|xmm9, xmm1, byte ptr [rdi], 5"},
    {HOST_AVX2, "vpinsrw", "xmm1, xmm2, eax, 3|xmm9, xmm1, word ptr [rdi], 5"},
    {HOST_AVX2, "vpinsrd", "xmm1, xmm2, r9d, 3|xmm9, xmm1, dword ptr [rdi], 2"},
    {HOST_AVX2, "vpinsrq", "xmm1, xmm2, rax, 1|xmm9, xmm1, qword ptr [rdi], 0"},
    {HOST_AVX2, "vinsertps", "xmm1, xmm2, xmm3, 0x9c|xmm9, xmm1, dword ptr [rdi], 0xe1"},
    {HOST_AVX2, "vmovss", "xmm1, xmm2, xmm3|xmm1, dword ptr [rdi]|dword ptr [rdi], xmm9"},
    {HOST_AVX2, "vmovsd", "xmm1, xmm2, xmm3|xmm1, qword ptr [rdi]|qword ptr [rdi], xmm9"},
    {HOST_AVX2, "vmovlps vmovhps vmovlpd vmovhpd",
     "xmm1, xmm2, qword ptr [rdi]|qword ptr [rdi], xmm9"},
    {HOST_AVX2, "vmovhlps vmovlhps", "xmm1, xmm2, xmm3|xmm9, xmm1, xmm1"},
    {HOST_AVX2, "vbroadcastss", VBROADCAST("dword")},
    {HOST_AVX2, "vbroadcastsd", "ymm9, xmm1|ymm1, qword ptr [rdi]"},
    {HOST_AVX2, "vbroadcastf128", "ymm1, xmmword ptr [rdi + 3]"},
    {HOST_AVX2, "vphminposuw", "xmm1, xmm2|xmm9, xmmword ptr [rdi + 3]"},
    {HOST_AVX2, "vmaskmovps vmaskmovpd vpmaskmovd vpmaskmovq",
     "xmm1, xmm2, xmmword ptr [rdi]|ymm9, ymm1, ymmword ptr [rdi]|ymmword ptr [rdi], ymm1, ymm9|"
     "xmmword ptr [rdi + 3], xmm2, xmm1"},
    {HOST_AES, "vaesenc vaesenclast vaesdec vaesdeclast",
     "xmm1, xmm2, xmm3|xmm9, xmm1, xmmword ptr [rdi + 3]"},
    {HOST_AES, "vaesimc", "xmm1, xmm2"},
    {HOST_AES, "vaeskeygenassist", "xmm1, xmm2, 5"},
    {HOST_AES, "pclmulqdq",
     "xmm1, xmm2, 0|xmm9, xmm1, 1|xmm1, xmm1, 0x10|xmm1, xmmword ptr [rdi], 0x11"},
    {HOST_AES, "vpclmulqdq", "xmm1, xmm2, xmm3, 0|xmm9, xmm1, xmmword ptr [rdi + 3], 1"},
    {HOST_FMA,
     FMA("vfmadd", "ps") FMA("vfmsub", "ps") FMA("vfnmadd", "ps") FMA("vfnmsub", "ps")
         FMA("vfmaddsub", "ps") FMA("vfmsubadd", "ps") FMA("vfmadd", "pd") FMA("vfmsub", "pd")
             FMA("vfnmadd", "pd") FMA("vfnmsub", "pd") FMA("vfmaddsub", "pd") "vfmsubadd231pd",
     VEX3},
    {HOST_FMA, FMA("vfmadd", "ss") FMA("vfmsub", "ss") FMA("vfnmadd", "ss") "vfnmsub231ss",
     SCALAR("dword")},
    {HOST_FMA, FMA("vfmadd", "sd") FMA("vfmsub", "sd") FMA("vfnmadd", "sd") "vfnmsub213sd",
     SCALAR("qword")},
};

const size_t instruction_group_count = sizeof instruction_groups / sizeof instruction_groups[0];

/* The count of a shift or rotation: an immediate or cl. */
static unsigned shift_count(const struct insn *insn, const struct registers *before)
{
    uint64_t count = insn->has_immediate ? (uint64_t)insn->immediate : before->gpr[1];
    return (unsigned)count & (insn->operand_size == 8 ? 63 : 31);
}

static uint64_t undefined_by_shift(const struct insn *insn, const struct registers *before)
{
    unsigned count = shift_count(insn, before);
    uint64_t flags = count > 1 ? FLAG_OF : 0;
    bool rotates = strchr("rR", insn->mnemonic[0]) != NULL;
    if (!rotates && count > 0)
        flags |= FLAG_AF;
    if (!rotates && count >= insn->operand_size * 8u)
        flags |= FLAG_CF;
    return flags;
}

uint64_t undefined_flags(const struct insn *insn, const struct registers *before)
{
    switch (insn->id) {
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_TEST:
        return FLAG_AF;
    case X86_INS_ANDN:
    case X86_INS_BLSI:
    case X86_INS_BLSMSK:
    case X86_INS_BLSR:
    case X86_INS_BZHI:
        return FLAG_AF | FLAG_PF;
    case X86_INS_BEXTR:
        return FLAG_AF | FLAG_PF | FLAG_SF;
    case X86_INS_MUL:
    case X86_INS_IMUL:
        return FLAG_SF | FLAG_ZF | FLAG_AF | FLAG_PF;
    case X86_INS_DIV:
    case X86_INS_IDIV:
        return STATUS_FLAGS;
    case X86_INS_BSF:
    case X86_INS_BSR:
        return STATUS_FLAGS & ~FLAG_ZF;
    case X86_INS_BT:
    case X86_INS_BTC:
    case X86_INS_BTR:
    case X86_INS_BTS:
        return FLAG_OF | FLAG_SF | FLAG_AF | FLAG_PF;
    case X86_INS_TZCNT:
    case X86_INS_LZCNT:
        return FLAG_OF | FLAG_SF | FLAG_AF | FLAG_PF;
    case X86_INS_SHL:
    case X86_INS_SHR:
    case X86_INS_SAR:
    case X86_INS_SAL:
    case X86_INS_ROL:
    case X86_INS_ROR:
    case X86_INS_RCL:
    case X86_INS_RCR:
    case X86_INS_SHLD:
    case X86_INS_SHRD:
        return undefined_by_shift(insn, before);
    default:
        return 0;
    }
}
