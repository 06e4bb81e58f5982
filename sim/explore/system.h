/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system instructions read and write beside registers and memory: MSRs, control registers. */
#ifndef FENCESIM_SIM_EXPLORE_SYSTEM_H_
#define FENCESIM_SIM_EXPLORE_SYSTEM_H_

#include "sim/explore/internal.h"

enum { MSR_ICR = 0x830, MSR_SELF_IPI = 0x83f, MSR_DEADLINE = 0x6e0, MSR_X2APIC_ID = 0x802 };
#define MSR_FS_BASE        0xc0000100u
#define MSR_GS_BASE        0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_TSC_AUX        0xc0000103u
#define CR0_CD             (UINT64_C(1) << 30)
#define CR0_START          UINT64_C(0x80050033) /* paging, write protect, numeric errors: as kernels run */
#define CR4_START          UINT64_C(0x000006e0) /* PGE among others */

bool get_msr(const struct system_state *state, uint64_t number, uint64_t *value);

/* Kept sorted, so that equal contents are equal bytes. False when there is no room. */
bool set_msr(struct system_state *state, uint64_t number, uint64_t value);

void get_registers(const struct components *components, const struct node *node,
                   struct registers *registers);

/* Architectural MSRs whose write has no effect that a trace could see beyond its order. */
bool is_known_msr(uint32_t number);

bool is_memory_type_msr(uint32_t number);

/* What the trace says of it; NULL: nothing. */
const struct declared_msr *declared_msr(const struct components *components, uint32_t number);

/* Whether a WRMSR of this MSR is not serializing on this profile. */
bool is_weak_write(const struct order_parameters *order, uint32_t number);

/* What RDMSR gives; false when that is not modelled. */
bool read_msr(const struct components *components, uint32_t cpu, const struct node *node,
              uint32_t number, uint64_t *value);

/* The CPU that a WRMSR of the ICR or of the self-IPI register sends to. */
uint32_t ipi_target(uint32_t cpu, const struct registers *registers);

#endif
