/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The monotonic clock, for limits of time. */
#ifndef FENCESIM_SIM_BASE_CLOCK_H_
#define FENCESIM_SIM_BASE_CLOCK_H_

double seconds_now(void);

#endif
