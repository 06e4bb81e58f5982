/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MSRs, interrupts sent by them, and what control registers hold at the start. */
#ifndef FENCESIM_SIM_ISA_SYSTEM_REGISTERS_H_
#define FENCESIM_SIM_ISA_SYSTEM_REGISTERS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MSR_ICR = 0x830, MSR_SELF_IPI = 0x83f, MSR_DEADLINE = 0x6e0, MSR_X2APIC_ID = 0x802 };
#define MSR_FS_BASE        0xc0000100u
#define MSR_GS_BASE        0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_TSC_AUX        0xc0000103u
#define CR0_CD             (UINT64_C(1) << 30)
#define CR0_START          UINT64_C(0x80050033) /* paging, write protect, numeric errors: as kernels run */
#define CR4_START          UINT64_C(0x000006e0) /* PGE among others */

struct msr_range {
    uint32_t first, last;
};

bool msr_in_ranges(const struct msr_range *ranges, size_t count, uint32_t number);

/* Architectural MSRs whose write has no effect that a trace could see beyond its order. */
bool is_known_msr(uint32_t number);

/* Of a WRMSR of the ICR or of the self-IPI register with these registers, rax first, by CPU `cpu`:
 * whom it interrupts, and why that is not modelled (NULL: it is). */
uint32_t ipi_target(uint32_t cpu, const uint64_t *gpr);
const char *ipi_refusal(const uint64_t *gpr);

#endif
