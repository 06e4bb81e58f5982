/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/isa/vex.h"

#include <stdbool.h>
#include <string.h>

/* Of all of them the SSE instruction agreed with hardware on random inputs. */
static const struct {
    enum vex_form form;
    const char *names; /* without the v */
} forms[] = {
    {VEX_LANES, "addps addpd addss addsd subps subpd subss subsd mulps mulpd mulss mulsd "
                "divps divpd divss divsd minps minpd minss minsd maxps maxpd maxss maxsd "
                "sqrtps sqrtpd sqrtss sqrtsd addsubps addsubpd haddps haddpd hsubps hsubpd "
                "andps andpd andnps andnpd orps orpd unpcklps unpcklpd unpckhps unpckhpd shufps "
                "movsldup movshdup movddup movhlps movlhps roundps roundpd roundss roundsd "
                "cvtdq2ps cvtps2dq cvttps2dq cvtss2sd cvtsd2ss insertps"},
    {VEX_LANES, "pshufb pshufd pshufhw pshuflw palignr pblendw pslldq psrldq "
                "punpcklbw punpcklwd punpckldq punpcklqdq punpckhbw punpckhwd punpckhdq punpckhqdq "
                "packsswb packssdw packuswb packusdw "
                "psllw pslld psllq psrlw psrld psrlq psraw psrad "
                "pmullw pmulld pmulhw pmulhuw pmulhrsw pmuludq pmuldq pmaddwd pmaddubsw psadbw "
                "pavgb pavgw pabsb pabsw pabsd psignb psignw psignd "
                "pmaxsb pmaxsw pmaxsd pmaxub pmaxuw pmaxud pminsb pminsw pminsd pminub pminuw "
                "pminud pcmpgtb pcmpgtw pcmpgtd pcmpgtq "
                "paddsb paddsw paddusb paddusw psubsb psubsw psubusb psubusw "
                "phaddw phaddd phaddsw phsubw phsubd phsubsw phminposuw "
                "aesenc aesenclast aesdec aesdeclast aesimc aeskeygenassist"},
    {VEX_FROM_GENERAL, "cvtsi2ss cvtsi2sd pinsrb pinsrw pinsrd pinsrq"},
    {VEX_WIDEN, "pmovsxbw pmovsxbd pmovsxbq pmovsxwd pmovsxwq pmovsxdq "
                "pmovzxbw pmovzxbd pmovzxbq pmovzxwd pmovzxwq pmovzxdq cvtps2pd cvtdq2pd"},
    {VEX_NARROW, "cvtpd2ps cvtpd2dq cvttpd2dq cvtpd2psx cvtpd2dqx cvttpd2dqx"},
    {VEX_TO_GENERAL, "cvtss2si cvttss2si cvtsd2si cvttsd2si movmskps movmskpd "
                     "pextrb pextrw pextrd pextrq extractps"},
    {VEX_FLAGS, "ucomiss ucomisd comiss comisd"},
    {VEX_APPROXIMATE, "rcpps rcpss rsqrtps rsqrtss"},
};

static bool listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
        bool begins = at == names || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The names say in which order the operands are used; those of FMA4, which few CPUs had, do not. */
static bool is_fma(const char *mnemonic)
{
    return (strncmp(mnemonic, "vfm", 3) == 0 || strncmp(mnemonic, "vfnm", 4) == 0) &&
           strpbrk(mnemonic, "123") != NULL;
}

enum vex_form vex_form(const char *mnemonic)
{
    if (mnemonic[0] != 'v')
        return VEX_NONE;
    if (is_fma(mnemonic))
        return VEX_FMA;
    if (strncmp(mnemonic, "vcmp", 4) == 0)
        return VEX_COMPARE;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (listed(forms[i].names, mnemonic + 1))
            return forms[i].form;
    return VEX_NONE;
}
