/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One writer per format; all read results only. */
#ifndef FENCESIM_SIM_REPORT_REPORT_H_
#define FENCESIM_SIM_REPORT_REPORT_H_

#include "include/fencesim/fencesim.h"
#include "sim/base/text.h"
#include "sim/judge/rules.h"
#include "sim/run/baseline.h"

/* All that a report may tell. */
struct report_view {
    const struct result_list *results;
    const struct diagnostics *diagnostics;      /* sorted */
    const struct baseline_comparison *compared; /* NULL: with nothing */
    const fs_style *style;                      /* NULL: plain */
    unsigned threads;                           /* that may write, 0: one per core */
};

/* A writer unwinds to the guard of out->region when memory runs out. */
typedef void report_writer(struct text *out, const struct report_view *view);

report_writer write_text; /* for people; with style->summary as write_summary */
report_writer write_json; /* the contract's JSON report */
report_writer write_html; /* one page that holds all it needs */
report_writer write_dot;  /* the executions that are shown as graphs: for graphviz, and drawn */
report_writer write_svg;
report_writer write_herd; /* as herd7 prints it, by several threads */

/* For tools: test results, static analysis results, compilers' messages, workflow commands. */
report_writer write_junit;
report_writer write_sarif;
report_writer write_tap;
report_writer write_gcc;
report_writer write_github;

/* For logs: what does not pass, a line for each file, and a count. */
report_writer write_summary;

/* What a litmus test's condition comes to, in numbers of final states. */
struct litmus_answer {
    bool ok;
    const char *observation; /* "Never", "Sometimes", "Always" */
    size_t positive, negative;
};

/* Of a result whose program is a litmus test and whose order was judged. */
struct litmus_answer litmus_answer(const struct result *result);

/* The list of profiles (`profile` NULL) or one profile with its sources. */
void write_profiles(struct text *out, const struct profile *const *profiles, size_t count);
void write_profile(struct text *out, const struct profile *profile);
bool write_profiles_json(struct text *out, const struct profile *const *profiles, size_t count,
                         bool with_numbers);

/* Rules: a list, or with `whole` all that there is to say. `kind` stands where levels do; NULL:
 * the level. */
void write_rules(struct text *out, const struct rule *rules, size_t count, const char *kind,
                 bool whole);

/* As {"rules": [...], "verdicts": [...], "stalls": [...]}; what is NULL is left out. */
struct rule_lists {
    const struct rule *rules, *verdicts, *stalls;
    size_t rule_count, verdict_count, stall_count;
};
bool write_rules_json(struct text *out, const struct rule_lists *lists);

/* Several runs of a file: a row each, and per profile which variant is the cheapest. */
void write_table(struct text *out, struct result *const *results, size_t count, bool color);

/* What a comparison with a baseline found. */
void write_baseline(struct text *out, const struct baseline_comparison *found, bool color);
const char *regression_line(struct region *region, const struct cost_change *change);
const char *change_note(struct region *region, const struct cost_change *change);

/* The file that --save-baseline writes. False when memory ran out inside the JSON library. */
bool write_baseline_file(struct text *out, const struct result_list *results);

/* Each finding of several runs once, with the runs that have it. */
void write_findings(struct text *out, struct result *const *results, size_t count);

/* Timelines of all CPUs that have one; `all`: every CPU and instruction. */
void write_timelines(struct text *out, const struct result *result, bool all);

/* A witness as the text report shows it, several lines. */
void write_witness(struct text *out, const struct result *result,
                   const struct result_witness *witness);

/* Shared by the writers. */

/* program_offset_text, program_insn_name in the program of a result. */
const char *offset_text(struct region *region, const struct result *result, uint32_t cpu,
                        uint32_t offset);
const char *insn_name(struct region *region, const struct result *result, uint32_t cpu,
                      uint32_t offset);

/* Where something is not modelled: "P0+12 ", "" when no instruction of a CPU is to blame. */
const char *unmodelled_where(struct region *region, const struct result *result,
                             const struct unmodelled *row);

/* "  (demo.c:12)" for an instruction whose line of source is known, "" otherwise. */
void add_source(struct text *out, const struct result *result, uint32_t cpu, uint32_t offset);
bool is_telling(const struct witness_step *step); /* not only register or stack traffic */
void add_values(struct text *out, const struct result *result, const uint64_t *values);
const char *verdict_color(enum verdict verdict); /* an escape sequence */
const char *variant_name(const struct result *result);

#endif
