/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be found out about a run, and how much may be spent on it. */
#ifndef FENCESIM_SIM_JUDGE_OPTIONS_H_
#define FENCESIM_SIM_JUDGE_OPTIONS_H_

#include "include/fencesim/fencesim.h"

enum witness_choice { WITNESS_FIRST, WITNESS_NONE, WITNESS_ALL };

/* Findings: none, those that cost no exploration of their own, all. */
enum findings_choice { FINDINGS_ALL, FINDINGS_STATIC, FINDINGS_NONE };

struct run_options {
    bool order, time; /* which halves */
    bool reduce;
    bool explain; /* relate the events of witnesses, and tell them in prose */
    bool relaxed; /* find out which outcomes no interleaving explains */
    enum witness_choice witness;
    enum findings_choice findings;
    uint64_t max_states; /* 0: none */
    double max_seconds;  /* 0: none; for each run */
    size_t max_memory;   /* bytes, 0: none; for each run */
    const volatile int *stop;
    fs_progress *progress;
    uint64_t graph_states; /* keep the graph of all states when it has no more; 0: none */
    size_t timeline;       /* instructions of each CPU to record; 0: none */
};

#endif
