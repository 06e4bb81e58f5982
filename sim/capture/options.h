/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that name data: what registers and objects hold at the start. */
#ifndef FENCESIM_SIM_CAPTURE_OPTIONS_H_
#define FENCESIM_SIM_CAPTURE_OPTIONS_H_

#include "sim/capture/elf.h"

/* Makes what a value names part of the trace, before objects are made. */
void need_value(struct elf_capture *elf, const char *value);

/* "P0:rdi=VALUE", once objects are made. */
void set_argument(struct elf_capture *elf, const char *text);

/* "NAME[+N]=VALUE", once objects are made. */
void set_initial(struct elf_capture *elf, const char *text);

#endif
