/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which MSRs there are, and what a write of the x2APIC's interrupt command register asks for. */
#include "sim/isa/system_registers.h"

/* ---- MSRs ---- */

bool msr_in_ranges(const struct msr_range *ranges, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (number >= ranges[i].first && number <= ranges[i].last)
            return true;
    return false;
}

bool is_known_msr(uint32_t number)
{
    static const struct msr_range known[] = {{0x10, 0x10},
                                             {0x1b, 0x1b},
                                             {0x3a, 0x3b},
                                             {0x48, 0x49},
                                             {0x8b, 0x8b},
                                             {0xe1, 0xe1},
                                             {0xe7, 0xe8},
                                             {0xfe, 0xfe},
                                             {0x10a, 0x10b},
                                             {0x122, 0x122},
                                             {0x174, 0x176},
                                             {0x17a, 0x17a},
                                             {0x186, 0x18d},
                                             {0x198, 0x199},
                                             {0x1a0, 0x1a0},
                                             {0x1d9, 0x1d9},
                                             {0x200, 0x20f},
                                             {0x250, 0x250},
                                             {0x258, 0x259},
                                             {0x268, 0x26f},
                                             {0x277, 0x277},
                                             {0x2ff, 0x2ff},
                                             {0x309, 0x30b},
                                             {0x38d, 0x38f},
                                             {0x570, 0x571},
                                             {0x6e0, 0x6e1},
                                             {0x770, 0x777},
                                             {0x802, 0x83f},
                                             {0xda0, 0xda0},
                                             {0xc0000080, 0xc0000084},
                                             {0xc0000100, 0xc0000103},
                                             {0xc0010010, 0xc0010010},
                                             {0xc001011b, 0xc001011b},
                                             {0xc0011029, 0xc0011029}};
    return msr_in_ranges(known, sizeof known / sizeof known[0], number);
}

/* ---- interrupts (Intel SDM vol. 3A, "Interrupt Command Register (ICR)") ---- */

static bool is_self(uint32_t number) { return number == MSR_SELF_IPI; }

uint32_t ipi_target(uint32_t cpu, const uint64_t *gpr)
{
    bool self = is_self((uint32_t)gpr[1]) || ((uint32_t)gpr[0] >> 18 & 3) == 1;
    return self ? cpu : (uint32_t)gpr[2];
}

const char *ipi_refusal(const uint64_t *gpr)
{
    uint32_t low = (uint32_t)gpr[0];
    bool self = is_self((uint32_t)gpr[1]);
    if (!self && (low & 0x0f00) != 0)
        return "an IPI that is not of fixed delivery to a physical destination";
    if (!self && (low >> 18 & 3) > 1)
        return "an IPI to all CPUs at once";
    return (low & 0xff) < 16 ? "an IPI with an illegal vector (below 16)" : NULL;
}
