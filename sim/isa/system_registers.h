/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of MSRs and what control registers hold at the start. */
#ifndef FENCESIM_SIM_ISA_SYSTEM_REGISTERS_H_
#define FENCESIM_SIM_ISA_SYSTEM_REGISTERS_H_

#include <stdint.h>

enum { MSR_ICR = 0x830, MSR_SELF_IPI = 0x83f, MSR_DEADLINE = 0x6e0, MSR_X2APIC_ID = 0x802 };
#define MSR_FS_BASE        0xc0000100u
#define MSR_GS_BASE        0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_TSC_AUX        0xc0000103u
#define CR0_CD             (UINT64_C(1) << 30)
#define CR0_START          UINT64_C(0x80050033) /* paging, write protect, numeric errors: as kernels run */
#define CR4_START          UINT64_C(0x000006e0) /* PGE among others */

#endif
