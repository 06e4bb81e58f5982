/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules behind findings. Their ids are what traces expect and scripts filter by: an id
 * is never renamed or given another meaning. One table, so that reports, `simulate explain`
 * and the check of `expect: finding:` cannot disagree.
 */
#ifndef FENCESIM_SIM_JUDGE_RULES_H_
#define FENCESIM_SIM_JUDGE_RULES_H_

#include <stddef.h>

enum rule_level {
    RULE_NOTE,    /* something that could be cheaper or clearer */
    RULE_WARNING, /* probably a mistake, though no expectation fails for it */
    RULE_ERROR    /* the run is a violation, unless the trace expects the finding */
};

enum rule_means {
    MEANS_READING,  /* read off the code and the run itself */
    MEANS_EXPLORING /* the run is explored again, changed a little */
};

struct rule {
    const char *id;
    enum rule_level level;
    enum rule_means means;
    const char *summary; /* one line: what it means */
    const char *advice;  /* what to do; the message of a finding that says nothing more special */
    const char *help;    /* a paragraph: why it matters, and when it can be ignored */
};

/* All rules, sorted by id. */
const struct rule *rules(size_t *count);

/* NULL when there is no rule of this name. */
const struct rule *rule_find(const char *id);

const char *rule_level_name(enum rule_level level);

#endif
