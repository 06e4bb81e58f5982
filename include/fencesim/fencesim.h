/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libfencesim: what a barrier sequence guarantees, and what it costs.
 *
 * Give it traces and options, get a report; write the report in one of several formats. The
 * library neither prints nor exits. A report owns everything that its functions return. One
 * report must not be used by two threads at once; different reports may.
 */
#ifndef FENCESIM_FENCESIM_H_
#define FENCESIM_FENCESIM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FS_VERSION "0.1.0"

/* ---- shared by all of it ---- */

typedef enum fs_status {
    FS_OK = 0,
    FS_BAD_INPUT, /* a trace, profile or option is wrong: see fs_report_diagnostic */
    FS_NO_MEMORY,
    FS_INTERNAL /* a part that fencesim is built on failed */
} fs_status;

typedef enum fs_format {
    FS_FORMAT_TEXT,
    FS_FORMAT_JSON,
    FS_FORMAT_HERD,
    FS_FORMAT_JUNIT,
    FS_FORMAT_SARIF,
    FS_FORMAT_TAP,
    FS_FORMAT_GCC,    /* "file:line:column: error: ..." lines, as compilers print them */
    FS_FORMAT_GITHUB, /* workflow commands that annotate a change */
    FS_FORMAT_DOT,    /* the executions that are shown, a digraph each, for graphviz */
    FS_FORMAT_SVG,    /* the same drawn: one document */
    FS_FORMAT_HTML    /* a page to step through and to explore */
} fs_format;

/* "text", "json", ...: what the command's --format takes. NULL past the last. */
const char *fs_format_name(fs_format format);

/* ---- running traces: what to do, and doing it ---- */

typedef enum fs_half { FS_BOTH, FS_ORDER_ONLY, FS_TIME_ONLY } fs_half;

typedef enum fs_witness { FS_WITNESS_FIRST, FS_WITNESS_NONE, FS_WITNESS_ALL } fs_witness;

/* Findings beside the expectations: all; those that need no exploration of their own; none. */
typedef enum fs_findings { FS_FINDINGS_ALL, FS_FINDINGS_STATIC, FS_FINDINGS_NONE } fs_findings;

/* How far fs_run has got: another thread may read these, atomically, while it runs. */
typedef struct fs_progress {
    uint64_t states;   /* found so far, by all explorations together */
    uint64_t frontier; /* of those, not yet followed up */
    uint64_t files, files_done;
} fs_progress;

/* What to run and how. fs_options_init fills in the defaults. */
typedef struct fs_options {
    size_t size; /* sizeof(fs_options), set by fs_options_init */
    const char *const
        *profiles; /* names, file paths, or "all"; none: what the traces name, or "x86" */
    size_t profile_count;
    const char *const *variants; /* only these; none: all */
    size_t variant_count;
    fs_half half;
    fs_witness witness;
    fs_findings findings;
    bool relaxed; /* mark outcomes that no interleaving explains (needs one more exploration) */
    bool reduce;  /* false: explore every interleaving, for comparison */
    uint64_t max_states;      /* per run; 0: none */
    double max_seconds;       /* per run; 0: none */
    uint64_t max_memory;      /* bytes per run; 0: none */
    unsigned jobs;            /* traces at a time; 0: one per core */
    const char *kinds;        /* a file that says what to expect of litmus tests, or NULL */
    const volatile int *stop; /* non-zero ends all runs early; may be NULL */
    const char *baseline;     /* a file of costs to compare with, or NULL */
    double tolerance;         /* by which a cost may exceed it: 0.05 (default) for 5 % */
    fs_progress *progress;    /* updated during the runs; may be NULL */
    bool timeline;            /* show when each instruction was dispatched, executed, retired */
    bool explain;             /* relate the events of witnesses and tell them in prose (default) */
    uint64_t graph_states;    /* keep all states and steps of a run that has no more states than
                                 this, for FS_FORMAT_HTML to be explored; 0 (default): none */
} fs_options;

void fs_options_init(fs_options *options);

typedef struct fs_report fs_report;

/*
 * Reads, judges and times every trace. A path is a file, a folder (every .yaml file below it,
 * in the order of their names) or "-" (standard input). *report is set unless FS_NO_MEMORY
 * is returned, also when some of the input was bad; free it with fs_report_free.
 */
fs_status fs_run(const char *const *paths, size_t path_count, const fs_options *options,
                 fs_report **report);

void fs_report_free(fs_report *report);

/* ---- what a report says ---- */

/* Errors of the input, sorted by place: "file:line:column: message". NULL past the last. */
const char *fs_report_diagnostic(const fs_report *report, size_t index);

/* What the command exits with: 0 held, 1 violation, 2 bad input, 3 unknown, 70 internal. */
int fs_report_exit_status(const fs_report *report);

/* How a text report looks. */
typedef struct fs_style {
    bool color;
    int verbosity; /* -1 quiet: verdict lines only; 0; 1: every step of a witness */
    bool summary;  /* only a line for each file that does not pass, and a count; quiet: no count
                    * when all pass */
} fs_style;

/*
 * Writes the report. *text is NUL-terminated, *length bytes long, owned by the report and
 * valid until the next call. `style` may be NULL and concerns FS_FORMAT_TEXT.
 */
fs_status fs_report_write(fs_report *report, fs_format format, const fs_style *style,
                          const char **text, size_t *length);

/* ---- costs beside those of a baseline ---- */

/*
 * The costs of all runs as the text of a file for fs_options.baseline. Ownership as with
 * fs_report_write. FS_BAD_INPUT: no run had cycles.
 */
fs_status fs_report_baseline(fs_report *report, const char **text, size_t *length);

/* How many costs were in the baseline and could be compared with it. */
size_t fs_report_compared(const fs_report *report);

/* What costs more than the baseline allows, a line each; NULL past the last. */
const char *fs_report_regression(const fs_report *report, size_t index);

/* ---- one text: what there is, and conversion ---- */

/*
 * The profiles: a list with what each is, or (name given) one with every number, its unit and
 * where it comes from. The text is malloc'ed; the caller frees it. FS_BAD_INPUT: *text is
 * the error.
 */
fs_status fs_profiles_text(const char *name, fs_format format, char **text);

/*
 * The rules of findings and verdicts and the causes of lost cycles: a list, or (id given) one
 * with what it means and what to do about it. Otherwise as fs_profiles_text.
 */
fs_status fs_rules_text(const char *id, fs_format format, char **text);

/*
 * One file in the other format: a litmus test as a trace, a trace (one variant of it) as a
 * litmus test. The text is malloc'ed; the caller frees it. FS_BAD_INPUT: *text says what is
 * wrong with the file or what the other format cannot say, a line for each.
 */
fs_status fs_convert(const char *path, const char *variant, char **text);

/* ---- fitting a profile's cycle parameters to measured loops ---- */

/* What is made small: the sum of the squares of relative residuals, or of their amounts. */
typedef enum fs_loss { FS_LOSS_SQUARES, FS_LOSS_ABSOLUTE } fs_loss;

/* fs_fit_options_init fills in the defaults. */
typedef struct fs_fit_options {
    size_t size;      /* sizeof(fs_fit_options), set by fs_fit_options_init */
    const char *base; /* the profile to begin with, by name or path; it must have cycles */
    /*
     * The cycle parameters that may move: "NAME" or a pattern such as "mfence_*", either with a
     * range behind it: "NAME=LOW:HIGH". None: nothing is fitted, and the report says which
     * parameters matter to which loops.
     */
    const char *const *free_names;
    size_t free_count;
    fs_loss loss;
    uint64_t iterations;      /* of each loop, 4000 */
    double max_seconds;       /* of the whole; 0: none */
    uint64_t max_memory;      /* bytes, of all loops together; 0: none */
    unsigned jobs;            /* loops at a time; 0: one per core */
    const volatile int *stop; /* non-zero ends it with the best so far; may be NULL */
} fs_fit_options;

void fs_fit_options_init(fs_fit_options *options);

typedef struct fs_fit_result fs_fit_result;

/*
 * Reads measured loops (a path or "-"; docs/FIT.md) and fits the free parameters to them. The
 * outcome depends on nothing but the input, unless it is ended early. *result is set unless
 * FS_NO_MEMORY is returned, also after FS_BAD_INPUT, which leaves nothing to write; free it with
 * fs_fit_free. It owns everything that the functions below return.
 */
fs_status fs_fit(const char *path, const fs_fit_options *options, fs_fit_result **result);

void fs_fit_free(fs_fit_result *result);

/* As fs_report_diagnostic. */
const char *fs_fit_diagnostic(const fs_fit_result *result, size_t index);

/* Whether it ran to its end; otherwise it has the best values until then. */
bool fs_fit_complete(const fs_fit_result *result);

/*
 * The report: parameters, groups of loops, and (verbosity >= 0) each loop; text or JSON. *text is
 * NUL-terminated and valid until the next call.
 */
fs_status fs_fit_write(fs_fit_result *result, fs_format format, int verbosity, const char **text,
                       size_t *length);

/*
 * The fitted values as a profile that inherits the base. FS_BAD_INPUT: there are none, since
 * nothing was free or not one loop depends on what was. Ownership as with fs_fit_write.
 */
fs_status fs_fit_profile(fs_fit_result *result, const char **text, size_t *length);

/* ---- one execution, step by step ---- */

/*
 * One execution, step by step, chosen by the caller: the next instruction of a CPU, a buffered
 * store that becomes visible, an interrupt. Everything that a stepper returns is its own and
 * valid until the next call that takes or undoes a step. Not thread-safe; to be used by the
 * thread that opened it.
 */
typedef struct fs_stepper fs_stepper;

/*
 * Starts the first variant and the first profile that the options name (without: the trace's) of
 * one trace. Of the options, also the limits of states, time and memory count: first all
 * executions are explored, to know which outcomes are relaxed; of more than a million states that
 * stays unknown. *stepper is set unless FS_NO_MEMORY is returned; after FS_BAD_INPUT it only has
 * diagnostics. After a later FS_NO_MEMORY it has nothing any more.
 */
fs_status fs_stepper_open(const char *path, const fs_options *options, fs_stepper **stepper);
void fs_stepper_free(fs_stepper *stepper);

/* As fs_report_diagnostic. */
const char *fs_stepper_diagnostic(const fs_stepper *stepper, size_t index);

/* The trace's name, the profile and the variant. */
const char *fs_stepper_title(const fs_stepper *stepper);

/* Lines of text: each CPU's next instruction, registers and buffer, memory; at the end the outcome
 * and which expectations it meets. */
const char *fs_stepper_state(const fs_stepper *stepper);

/* What can be done next, a line each; NULL past the last. None: the execution has ended. */
const char *fs_stepper_choice(const fs_stepper *stepper, size_t index);

/* The steps that were taken, a line each; NULL past the last. */
const char *fs_stepper_step(const fs_stepper *stepper, size_t index);

/* Takes a choice. FS_BAD_INPUT: there is none of that number. */
fs_status fs_stepper_take(fs_stepper *stepper, size_t choice);

/* Takes back the last `count` steps, or as many as there are. */
fs_status fs_stepper_undo(fs_stepper *stepper, size_t count);

/* ---- traces of compiled code ---- */

/* A part of a file that is machine code and nothing else, a CPU of its own. */
typedef struct fs_capture_raw {
    const char *path; /* "-": standard input */
    uint64_t offset;  /* of the code in the file */
    uint64_t length;  /* 0: all from there */
    uint64_t address; /* where the code lies when it runs */
} fs_capture_raw;

/* What to capture, and how. fs_capture_options_init fills in the defaults: nothing. */
typedef struct fs_capture_options {
    size_t size; /* sizeof(fs_capture_options), set by fs_capture_options_init */
    /* "FILE:FUNCTION[,FUNCTION...]": a CPU for each function, in their order */
    const char *const *targets;
    size_t target_count;
    /* "P0:rdi=VALUE": a register at the start; a number, an object, an object+distance */
    const char *const *args;
    size_t arg_count;
    /* "NAME" or "NAME=VALUE": calls of it return at once, with rax as it is or VALUE */
    const char *const *stubs;
    size_t stub_count;
    /* "NAME": what calls it must not get that far: it is unknown then. "*": all that no file has */
    const char *const *traps;
    size_t trap_count;
    /* "NAME[+N]=VALUE": what an object holds at the start, instead of what the file says */
    const char *const *inits;
    size_t init_count;
    /* "NAME: {size: 8}": objects of the user's, as in a trace's `memory:` */
    const char *const *memory;
    size_t memory_count;
    /* what outcomes list; none: every object that can be written, and what functions return */
    const char *const *observe;
    size_t observe_count;
    /* "never: CONDITION", as in a trace's `expect:` */
    const char *const *expect;
    size_t expect_count;
    const char *name;    /* of the trace; NULL: made of the targets */
    const char *profile; /* for whose vendor a kernel's code is patched; NULL: it is not */
    /* "WORD*32+BIT=on" or "=off": a feature by Linux's number, where the profile does not say */
    const char *const *features;
    size_t feature_count;
    /* A compiler and its options: the targets are source files, compiled with it first. */
    const char *const *compiler;
    size_t compiler_count;
    /* "FILE[:FUNCTION,...]", FILE "-": standard input. Disassemblies and dumps of bytes; without
     * functions those that no other one of the file goes to */
    const char *const *texts;
    size_t text_count;
    const fs_capture_raw *raws;
    size_t raw_count;
    /* "FUNCTION,FUNCTION": a running process is stopped where a thread of its own reaches each of
     * them. With `live_pid` that process, which then goes on; otherwise `live_command` is run for
     * it, and killed. NULL: none */
    const char *live_functions;
    long live_pid;
    const char *const *live_command;
    size_t live_command_count;
    double live_seconds; /* how long to wait; 0: 10 */
    /* "NAME=on" or "=off": a static key of a kernel's; without it its branches are as compiled */
    const char *const *static_keys;
    size_t static_key_count;
} fs_capture_options;

void fs_capture_options_init(fs_capture_options *options);

/*
 * A trace of functions out of ELF files: objects, executables, libraries, archives. The text
 * is malloc'ed; the caller frees it. FS_BAD_INPUT: *text says what is wrong, a line for each.
 */
fs_status fs_capture(const fs_capture_options *options, char **text);

#ifdef __cplusplus
}
#endif

#endif
