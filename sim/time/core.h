/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled core: a recurrence over events, one pass in program order. Each instruction
 * is dispatched, issues, produces its value, is done, retires; a store then commits and
 * becomes visible. An instruction's times depend only on older instructions, so nothing is
 * ever revisited and memory stays constant however long the run is.
 */
#ifndef FENCESIM_SIM_TIME_CORE_H_
#define FENCESIM_SIM_TIME_CORE_H_

#include "sim/time/image.h"
#include "sim/time/interpret.h"
#include "sim/time/time.h"
#include "sim/time/timing.h"

/* ---- static instructions ---- */

enum op_kind {
    OP_PLAIN, /* loads, computes, stores */
    OP_NOP,
    OP_MOVE, /* done by renaming: register moves, zero idioms */
    OP_LOCK, /* atomic read-modify-write, or timed like one */
    OP_LFENCE,
    OP_MFENCE,
    OP_SFENCE,
    OP_FLUSH,
    OP_HOLD /* system instruction: holds up dispatch for a time */
};

enum lock_kind {
    LOCK_ARITHMETIC,
    LOCK_XCHG,
    LOCK_XADD,
    LOCK_BIT,
    LOCK_CMPXCHG,
    LOCK_CMPXCHG8B,
    LOCK_CMPXCHG16B
};

/* Ports of which the profile gives a number. */
enum port { PORT_ADDRESS, PORT_LOAD, PORT_VECTOR_LOAD, PORT_STORE_DATA, PORT_COUNT };

/* What computes: pipes, or a unit that is busy for an interval. */
enum unit {
    UNIT_NONE,
    UNIT_PIPES,
    UNIT_DIVIDE,
    UNIT_FP_DIVIDE,
    UNIT_FP_DIVIDE_SINGLE,
    UNIT_SQRT,
    UNIT_SQRT_SINGLE,
    UNIT_COUNT
};

/* Pipes with the same number are different ones, unless the profile says that vectors share them.
 */
enum bank { BANK_INTEGER, BANK_VECTOR, BANK_COUNT };

enum { LOADS_MAX = 2, TIMED_REGISTERS = 48, WANTED_WHOLE = 60 };

struct predictor;

struct op {
    const struct insn *insn;
    struct interpreted interpreted;
    enum op_kind kind;
    enum lock_kind lock;
    uint8_t unit; /* of the computation, UNIT_NONE when there is none */
    uint8_t bank;
    uint8_t operations; /* so many take a pipe; the result is the first one's */
    bool multiplies;    /* of the integer multipliers' queue */
    bool early_done;    /* may retire one cycle after issue */
    bool known;         /* false: no timing rule, timed as one cycle */
    bool is_branch, is_conditional;
    bool repeats;   /* rep string instruction: one step at a time */
    bool may_fault; /* by the values of its operands */
    bool fuses;     /* with a conditional jump after it */
    bool indexed;   /* index and displacement */
    bool vector_load, vector_store, writes_integer, nt;
    uint8_t load_count;
    bool stores;
    int64_t pipes, then_pipes; /* then_pipes: of an operation with the result; 0: none */
    ticks latency, then_latency;
    ticks interval; /* of a unit that is not pipelined */
    ticks slots;    /* dispatch cost */
    ticks hold;     /* OP_HOLD */
    uint64_t address_reads, data_reads, writes;
    /* what the run learns about it */
    uint64_t store_distance;     /* stores between the last one that its load met and the load */
    struct predictor *predictor; /* of a conditional jump */
    ticks cycles;
    ticks stall[STALL_COUNT];
};

/* What executes an instruction, by its name without prefixes (costs.c). */
void cost_integer(struct op *op, const char *name, const struct timing *timing);
void cost_vector(struct op *op, const char *name, const struct timing *timing);
static inline enum bank vector_bank(const struct timing *timing)
{
    return timing->vector_shares_pipes ? BANK_INTEGER : BANK_VECTOR;
}

/* Fills in everything but `insn`'s dynamic part. */
void op_init(struct op *op, const struct insn *insn, const struct timing *timing);

/* The conditional jump after it is fused with it. */
void op_fuse(struct op *op, const struct timing *timing);

/* The `dec r15; jnz` that the loop puts behind the snippet, as one operation. */
void op_init_loop_end(struct op *op, const struct timing *timing);

/* ---- dynamic instructions ---- */

struct access {
    uint64_t address;
    unsigned size;
};

enum { MARKS_MAX = 12 };

/* Why an instruction is not done earlier: stretches of time with a cause, ascending. */
struct timeline {
    unsigned count;
    ticks until[MARKS_MAX];
    uint8_t cause[MARKS_MAX];
};

struct event {
    struct op *op;
    bool merged; /* a further step within the lines of the one before */
    bool fused;  /* the conditional jump of a fused pair */
    bool taken;
    ticks dispatch, earliest; /* earliest: first possible issue */
    struct access load[LOADS_MAX], store;
    ticks load_issue, load_value, load_done;
    bool load_missed;
    ticks read; /* when it reads memory */
    ticks store_issue, store_data, store_value;
    ticks store_request; /* its line's miss buffer */
    ticks store_line;    /* its line is here */
    ticks store_redo;    /* it missed under a lock: may not retire before */
    uint8_t store_level;
    ticks issue, value, done, retire;
    uint8_t value_cause; /* what a consumer of the value waits for */
    ticks lock_start, lock_interval;
    bool lock_owned; /* its line has been asked for */
    struct timeline timeline;
};

/* ---- rings ---- */

enum {
    RING = 1024,
    STORE_RING = 128,
    CALENDAR = 4096,
    BUCKETS = 512,
    TABLE = 1024,
    STREAMS = 8,
    WC_MAX = 32,
    FLUSHED = 64,
    ARRIVALS = 4096
};

struct ring { /* the last RING times of something, by its running number */
    uint64_t count;
    ticks at[RING];
};

static inline void ring_push(struct ring *ring, ticks time)
{
    ring->at[ring->count++ % RING] = time;
}

/* The time of the entry `back` before the next one to come; 0 when there were not so many. */
static inline ticks ring_back(const struct ring *ring, int64_t back)
{
    if (back <= 0 || back > RING || (uint64_t)back > ring->count) {
        return 0;
    }
    return ring->at[(ring->count - (uint64_t)back) % RING];
}

struct store_entry {
    uint64_t address;
    unsigned size;
    bool vector, lock, integer;
    ticks value; /* of the register that it stores */
    ticks data;  /* its data half issued */
    ticks commit, visible;
    ticks retry; /* from here on a load that it cannot serve is tried again */
};

struct cycle_use {
    int64_t cycle;
    uint16_t busy[BANK_COUNT]; /* pipes, a bit each */
    uint8_t used[PORT_COUNT];
};

struct wc_buffer {
    uint64_t line;
    uint64_t mask; /* bytes written */
    bool open;
    uint64_t age;
};

struct flushed_line {
    uint64_t line;
    ticks ready;   /* the newest flush has ended */
    ticks visible; /* the newest store is in the line */
    bool dirty;
};

struct pending_store { /* of several CPUs: not yet in the shared memory */
    uint64_t address;
    unsigned size;
    ticks visible;
    uint8_t data[EXEC_ACCESS_BYTES];
};

struct line_copy { /* a line that this core has, as of a version */
    uint64_t line;
    uint32_t version;
};

struct cache {
    uint32_t *tags; /* sets x ways, most recent first; line number + 1 */
    uint32_t sets, ways;
};

enum level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_DRAM, LEVEL_TRANSFER };

/* Watching a loop for its steady state. */
struct steady {
    struct registers registers; /* at the end of the last window */
    ticks time, window;         /* when it ended, how long it took */
    unsigned equal;             /* windows in a row that were as long */
    uint64_t measured_from;
};

struct machine;
struct recorder;

/* A waiting loop, at its last jump back. */
struct spin {
    bool seen, valid; /* valid: that round had no effect */
    ticks slot, period;
    ticks until; /* something is known to happen then: it is run up to there */
    uint64_t stores, writes;
    struct registers registers;
};

enum { INTERRUPTS_MAX = 64, CONTEXTS_MAX = 8 };

/* What an interrupt saved; the handler's code replaces it meanwhile. */
struct context {
    uint64_t rip, rsp, rflags;
    struct code code;
    struct op **ops;
};

struct core {
    struct machine *machine;
    const struct timing *timing;
    uint32_t cpu;

    /* function */
    struct registers registers;
    struct code code;
    struct op **ops; /* by byte offset */
    struct op loop_end;
    bool loops, ended, halted;
    bool uncached; /* CR0.CD is set */
    bool waiting;  /* set aside in a waiting loop */
    uint64_t cr0, cr4;
    uint64_t iteration, iterations, half_iteration;
    struct steady steady;
    ticks half_time, last_time;

    /* front end and window */
    ticks slot;    /* the dispatch clock */
    ticks barrier; /* nothing dispatches before it */
    uint8_t barrier_cause;
    struct op *barrier_op; /* who set it: is charged for the wait */
    uint8_t queue_cause;   /* why the newest commit was late */
    bool decoding;         /* front end on the decoders */
    const struct op *previous;
    uint64_t rep_load, rep_store; /* lines of the last step of a repeated instruction */
    ticks last_taken;             /* cycle of the last taken branch */
    ticks multiply_cycle;
    int64_t multiplies_in_cycle;
    int64_t nops_in_entry; /* the newest reorder buffer entry holds one nop and takes another */
    struct ring entry_retire, load_retire, integer_retire, multiply_issue, store_commit, lock_end,
        store_retire;

    /* execution */
    ticks ready[TIMED_REGISTERS];
    uint8_t ready_cause[TIMED_REGISTERS];
    struct cycle_use calendar[CALENDAR];
    int64_t buckets[UNIT_COUNT][BUCKETS]; /* of units that are not pipelined */
    ticks divider_free;
    uint32_t wanted[BANK_COUNT][PIPES_MAX + 1]; /* by the instructions seen so far, per pipe */

    /* order */
    ticks retire;       /* of the newest instruction */
    ticks all_done;     /* maximum of `done` */
    ticks all_visible;  /* maximum of `visible` */
    ticks late_visible; /* when an lfence sees the last lock done */
    ticks commit;       /* of the newest store */
    uint64_t commit_line, commit_address;

    /* stores */
    uint64_t store_count;
    struct store_entry stores[STORE_RING];
    uint64_t line_table[TABLE];      /* by line: newest store, number + 1 */
    uint64_t alias_table[TABLE / 2]; /* by address bits 3 to 11 */
    ticks last_plain_commit;
    const struct op *last_store;

    /* locks */
    bool any_lock; /* the chain has an element */
    bool chain_is_sfence;
    ticks chain_start, chain_interval;
    ticks lock_finish;         /* newest lock's end */
    ticks missing_visible;     /* of all missing stores so far */
    ticks missing_before_lock; /* of those older than the newest lock */

    /* caches */
    struct cache l1, l2;
    struct ring dram_done;
    ticks installed; /* when the line of the newest fetch is installed */
    ticks request;   /* when the newest fetch got a miss buffer */
    struct {
        uint64_t line;
        ticks at;
    } arrivals[ARRIVALS];
    struct {
        uint64_t next;
        ticks at;
        unsigned length;
    } streams[STREAMS];
    unsigned next_stream;

    /* write combining, flushes */
    struct wc_buffer wc[WC_MAX];
    uint64_t wc_age;
    ticks wc_bus;  /* when the bus is free for the next line */
    ticks wc_done; /* when all sent lines are in memory */
    struct {
        uint64_t line;
        ticks done;
    } wc_sent[WC_MAX];
    unsigned wc_sent_next, wc_open_count;
    uint64_t wc_last_line;
    int64_t wc_lines;    /* lines gone to since the last lfence */
    ticks wc_store_done; /* newest non-temporal store's end of execution */
    struct flushed_line flushed[FLUSHED];
    unsigned flushed_count, flushed_next;

    /* several CPUs */
    struct pending_store *pending;
    size_t pending_first, pending_count, pending_capacity;
    ticks last_visible, last_read;
    struct line_copy copies[TABLE];

    struct {
        ticks at;
        uint8_t vector;
    } interrupts[INTERRUPTS_MAX]; /* on their way, the first one first */
    unsigned interrupt_count;
    struct context contexts[CONTEXTS_MAX];
    unsigned context_depth;
    struct spin spin;
    uint64_t rounds; /* jumps back */

    struct event event;                           /* the instruction in hand */
    struct exec_access writes[EXEC_ACCESSES_MAX]; /* what it stores */
    unsigned write_count;
    bool recording;            /* attribute cycles */
    struct recorder *recorder; /* NULL: no timeline is wanted */
};

/* What the cores share. */
struct machine {
    struct region *region;
    struct exec *exec;
    const struct program *program;
    uint32_t variant;
    struct timing timing;
    struct image image;
    struct core **cores;
    size_t core_count;
    size_t waiting_count; /* of the cores */
    uint32_t fills;       /* lines that came into the shared cache */
    uint64_t instructions;
    uint64_t writes;    /* to the shared memory */
    const char *reason; /* why the run ended early */
    bool limited;       /* by a limit, or from outside */
    const char **unmodelled;
    size_t unmodelled_count, unmodelled_capacity;
};

/*
 * When all of `registers` (a bit each) are ready, at the earliest `from`; `*cause` (may be NULL)
 * becomes what the last of them waited for, when that is after `from`.
 */
static inline ticks registers_ready(const struct core *core, uint64_t registers, ticks from,
                                    uint8_t *cause)
{
    for (uint64_t left = registers; left != 0; left &= left - 1) {
        int index = __builtin_ctzll(left);
        if (core->ready[index] <= from) {
            continue;
        }
        from = core->ready[index];
        if (cause) {
            *cause = core->ready_cause[index];
        }
    }
    return from;
}

/* ---- timeline (stalls.c) ---- */

void mark(struct event *event, enum stall cause, ticks until);
/* Shares out the time since the previous retirement. */
void attribute(struct core *core, ticks previous, const struct event *event);

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

/* ---- loads.c, stores.c, locks.c, barriers.c, wc.c, flushes.c ---- */

void time_loads(struct core *core, struct event *event);
void time_store_issue(struct core *core, struct event *event, ticks data_ready);
void time_store_commit(struct core *core, struct event *event);
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

/* ---- interrupts.c ---- */

/* What the WRMSR in hand sets off. */
void interrupts_wrmsr(struct core *core, const struct event *event);
/* Goes to the handler when an interrupt has arrived. */
void interrupts_take(struct core *core);
/* Whether an interrupt wakes a CPU that has ended or sleeps. */
bool interrupts_wake(struct core *core);
/* Back to what was interrupted; false when nothing was. */
bool interrupts_return(struct core *core);
/* Back to the CPU's own code. */
void interrupts_leave_all(struct core *core);

/* ---- spins.c ---- */

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
/* Makes its stores part of memory at `visible`. */
void publish(struct core *core, ticks visible, bool at_once);
/* Makes all its earlier stores part of memory now. */
void publish_own(struct core *core);
/* Applies all stores of all cores that are visible by `at`. */
void publish_until(struct machine *machine, ticks at);
void note_unmodelled(struct machine *machine, const char *text);

#endif
