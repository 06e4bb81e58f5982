/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction goes through, and what cores do to each other: by the file that has it. */
#ifndef FENCESIM_SIM_TIME_STAGES_H_
#define FENCESIM_SIM_TIME_STAGES_H_

#include "sim/time/core.h"

/* ---- timeline (stalls.c) ---- */

void mark(struct event *event, enum stall cause, ticks until);
/* Shares out the time since the previous retirement. */
void attribute(struct core *core, ticks previous, const struct event *event);
/* A loop's figures are of the iterations from now on. */
void measure_from_here(struct core *core);

/* ---- front_end.c ---- */

/* Sets dispatch and earliest. */
void dispatch(struct core *core, struct event *event);
/* Accounts for a taken branch, known after execution. */
void front_end_taken(struct core *core, struct event *event);

/* ---- branches.c ---- */

/* A wrongly predicted jump holds up dispatch. */
void time_branch(struct core *core, const struct event *event);

/* ---- ports.c ---- */

/* Takes a port in the first cycle at or after `from` that has one; returns that cycle. */
ticks issue(struct core *core, enum port port, ticks from);
/* The same with one of `pipes`; none means that nothing limits it. */
ticks issue_pipe(struct core *core, enum bank bank, int64_t pipes, ticks from);
/* Tells of an instruction that was not seen before. */
void want_pipes(struct core *core, const struct op *op);
/* The computation of an instruction; returns when it starts, `*value` is when it has its result. */
ticks issue_operation(struct core *core, const struct op *op, ticks from, ticks *value);

/* ---- caches.c ---- */

void caches_init(struct core *core);
/*
 * Brings in the line; returns when a load issued at `at` has its data, without L1 extras.
 * FETCH_LOCAL leaves other CPUs out of it.
 */
enum fetch { FETCH_READ, FETCH_WRITE, FETCH_LOCAL };
ticks caches_fetch(struct core *core, uint64_t line, ticks at, enum fetch fetch, enum level *level);
/* Removes the line from this core's caches and the shared one. */
void caches_drop(struct core *core, uint64_t line);

/* ---- coherence.c ---- */

/* Whether the line must come from another CPU; then `*arrival` is when it is here. */
bool coherence_fetch(struct core *core, uint64_t line, ticks at, bool write, ticks *arrival);
/* The same for the write itself, for which the line may have been fetched before. */
bool coherence_write(struct core *core, uint64_t line, ticks at, ticks *arrival);
/* When this core's copy of the line is gone; INT64_MAX unless another has asked for it. */
ticks coherence_loss(struct core *core, uint64_t line);

/* ---- loads.c, stores.c, locks.c, barriers.c, wc.c, flushes.c ---- */

void time_loads(struct core *core, struct event *event);
/* Asks for the line, and waits for nothing but its own address. */
void time_prefetch(struct core *core, struct event *event);
void time_store_issue(struct core *core, struct event *event, ticks data_ready);
void time_store_commit(struct core *core, struct event *event);
/* Nothing is written together with the stores so far. */
void commits_forget(struct core *core);
/* How many of the newest stores a load looks at. */
static inline uint64_t store_window(const struct core *core)
{
    int64_t entries = core->timing->store_queue;
    return entries > 0 && entries < STORE_RING ? (uint64_t)entries : STORE_RING;
}
/* The store queue entry with number `n`. */
static inline struct store_entry *store_at(struct core *core, uint64_t n)
{
    return &core->stores[n % STORE_RING];
}
void time_lock(struct core *core, struct event *event);
/*
 * The line may be at another CPU when the atomic part of the lock in hand should start.
 * Returns whether that delays it: then other CPUs may have to go first.
 */
bool lock_transfer(struct core *core);
void lock_after_retire(struct core *core, struct event *event);
void time_barrier(struct core *core, struct event *event);
void time_hold(struct core *core, struct event *event);
void barrier_after_retire(struct core *core, struct event *event);
/* A non-temporal store that could commit at `at`; returns when it is in its buffer. */
ticks wc_store(struct core *core, const struct access *access, ticks at);
/* Sends all open buffers; returns when everything that was ever sent is in memory. */
ticks wc_flush(struct core *core, ticks at);
/* How long an lfence waits for non-temporal stores. */
ticks wc_lfence(struct core *core);
/* A flush of the line that could commit at `*commit`, and when it does; returns when it has ended.
 */
ticks flush_line(struct core *core, enum insn_kind kind, uint64_t line, ticks *commit);
/* When an access to the line may start: not while it is being flushed. */
ticks flush_wait(struct core *core, uint64_t line, ticks at, bool store);
/* Tells the flushes that the line of a store is up to date. */
void flush_note_store(struct core *core, uint64_t line, ticks visible);

/* ---- system.c ---- */

/* The same for instructions that neither compute nor access memory. */
bool execute_system(struct core *core, struct event *event);

/* ---- interrupts.c ---- */

/* What the WRMSR in hand sets off. */
bool interrupts_wrmsr(struct core *core, const struct event *event);
/* Goes to the handler when an interrupt has arrived. */
void interrupts_take(struct core *core);
/* Whether an interrupt wakes a CPU that has ended or sleeps. */
bool interrupts_wake(struct core *core);
/* Back to what was interrupted; false when nothing was. */
bool interrupts_return(struct core *core);
/* Back to the CPU's own code. */
void interrupts_leave_all(struct core *core);

/* ---- spins.c ---- */

/* The instruction in hand reads; at `at` a store becomes visible or a line moves; an interrupt
 * was sent. */
void spin_note_read(struct core *core, uint64_t address, unsigned size);
void spin_note_write(struct machine *machine, uint64_t address, unsigned size, ticks at);
void spin_note_interrupt(struct core *target, ticks at);
/* After a jump back. False when all wait for ever (machine->reason). */
bool spin_round(struct core *core);
/*
 * Before `next`, the CPU that is first in time (NULL: none is left), goes on: sends the waiting
 * CPUs round again when something happens until then. Returns whether it did; a wait that is
 * for ever is machine->reason.
 */
bool spin_release(struct machine *machine, const struct core *next);

/* ---- repeat.c ---- */

/* Whether a step of a repeated string instruction stays in its lines. */
bool repeat_merges(struct core *core, const struct event *event);
/* The first step holds up dispatch. */
void repeat_start(struct core *core, const struct event *event);

/* ---- step.c ---- */

/* The instruction at rip; NULL when the CPU has ended or machine->reason is set. */
struct op *core_next_op(struct core *core);
/* Dispatches the instruction at rip, up to its loads. Returns false when the CPU has ended. */
bool core_start(struct core *core);
/* When that instruction reads memory. */
ticks core_read_time(const struct core *core);
/* Brings machine->due up to date, after every change of what it depends on. */
void core_due(struct core *core);
/* Executes and retires it. Returns false when the run must end (machine->reason). */
bool core_finish(struct core *core);

/* ---- steady.c ---- */

/* After an iteration: whether all further ones would be like the last. */
bool steady_end(struct core *core);

/* ---- record.c ---- */

struct recorder *recorder_new(struct region *region, size_t capacity);
/* Of an instruction that has retired and whose store has its time of commit. */
void record_event(struct core *core, const struct event *event);
void recorder_finish(const struct core *core, struct timed_cpu *out);

/* ---- function.c ---- */

/* Where the instruction at rip accesses memory. */
void plan_accesses(const struct core *core, struct event *event);
/* Executes it; false when the run must end. */
bool execute(struct core *core, struct event *event);
/* Ends the run with the reason that the instruction is at fault; returns false. */
bool stop(struct core *core, const char *what, const struct insn *insn);
/* What the CPU finds in memory when of its own stores those visible by `at` count. */
void load_bytes(struct core *core, uint64_t address, unsigned size, ticks at, uint8_t *data);
/* Makes its stores part of memory at `visible`. */
void publish(struct core *core, ticks visible, bool at_once);
/* Makes all its earlier stores part of memory now. */
void publish_own(struct core *core);
/* Applies all stores of all cores that are visible by `at`. */
void publish_until(struct machine *machine, ticks at);
void note_unmodelled(struct machine *machine, const char *text);

#endif
