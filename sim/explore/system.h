/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system instructions read and write beside registers and memory: MSRs, control registers. */
#ifndef FENCESIM_SIM_EXPLORE_SYSTEM_H_
#define FENCESIM_SIM_EXPLORE_SYSTEM_H_

#include "sim/explore/internal.h"
#include "sim/isa/system_registers.h"

bool get_msr(const struct system_state *state, uint64_t number, uint64_t *value);

/* Kept sorted, so that equal contents are equal bytes. False when there is no room. */
bool set_msr(struct system_state *state, uint64_t number, uint64_t value);

void get_registers(const struct components *components, const struct node *node,
                   struct registers *registers);

bool is_memory_type_msr(uint32_t number);

/* What the trace says of it; NULL: nothing. */
const struct declared_msr *declared_msr(const struct components *components, uint32_t number);

/* Whether a WRMSR of this MSR is not serializing on this profile. */
bool is_weak_write(const struct order_parameters *order, uint32_t number);

/* What RDMSR gives; false when that is not modelled. */
bool read_msr(const struct components *components, uint32_t cpu, const struct node *node,
              uint32_t number, uint64_t *value);

#endif
