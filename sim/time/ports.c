/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Execution pipes and ports: how many operations of a kind may start in one cycle. Instructions
 * ask in program order, so the oldest ready one gets the pipe, which is what a scheduler does.
 */
#include "sim/time/stages.h"

static struct cycle_use *use_at(struct core *core, int64_t cycle)
{
    struct cycle_use *use = &core->calendar[(uint64_t)cycle % CALENDAR];
    if (use->cycle != cycle) {
        *use = (struct cycle_use){.cycle = cycle};
    }
    return use;
}

static int64_t loads_at(const struct core *core, int64_t cycle)
{
    const struct cycle_use *use = &core->calendar[(uint64_t)cycle % CALENDAR];
    return use->cycle == cycle ? use->used[PORT_LOAD] : 0;
}

/* Caches with banks serve fewer loads than there are address ports, over pairs of cycles. */
static bool load_fits(const struct core *core, int64_t cycle)
{
    int64_t here = loads_at(core, cycle) + 1;
    int64_t limit = core->timing->load_ports;
    return here + loads_at(core, cycle - 1) <= limit && here + loads_at(core, cycle + 1) <= limit;
}

static bool port_free(const struct core *core, enum port port, const struct cycle_use *use)
{
    const struct timing *t = core->timing;
    if (port == PORT_STORE_DATA) {
        return use->used[PORT_STORE_DATA] < t->store_data_ports;
    }
    if (use->used[PORT_ADDRESS] >= t->address_ports) {
        return false;
    }
    if (port == PORT_VECTOR_LOAD && use->used[PORT_VECTOR_LOAD] >= t->vector_loads) {
        return false;
    }
    return port == PORT_ADDRESS || load_fits(core, use->cycle);
}

static void take_port(enum port port, struct cycle_use *use)
{
    use->used[port]++;
    if (port == PORT_VECTOR_LOAD) {
        use->used[PORT_LOAD]++;
    }
    if (port == PORT_VECTOR_LOAD || port == PORT_LOAD) {
        use->used[PORT_ADDRESS]++;
    }
}

ticks issue(struct core *core, enum port port, ticks from)
{
    /* A forwarding latency of 5.25 is an average, which a chain of stores and loads keeps. */
    bool whole = port != PORT_STORE_DATA;
    int64_t cycle = (whole ? next_cycle(from) : from) / CYCLE;
    /* A profile without the port would never find it: take it for unlimited. */
    for (int tries = 0; tries < CALENDAR; tries++, cycle++) {
        struct cycle_use *use = use_at(core, cycle);
        if (port_free(core, port, use)) {
            take_port(port, use);
            break;
        }
    }
    return whole ? cycle * CYCLE : later(from, cycle * CYCLE);
}

/*
 * Of the free pipes the one that the code needs least for operations that have less choice, as a
 * core balances them; the profile's order decides between equals.
 */
static unsigned least_wanted(const struct core *core, enum bank bank, int64_t pipes, unsigned busy)
{
    unsigned best = 0;
    for (uint64_t order = pipes_order(pipes); order != 0; order >>= 4) {
        unsigned pipe = order & 15;
        bool better = best == 0 || core->wanted[bank][pipe] < core->wanted[bank][best];
        if (!(busy & 1u << pipe) && better) {
            best = pipe;
        }
    }
    return best;
}

ticks issue_pipe(struct core *core, enum bank bank, int64_t pipes, ticks from)
{
    unsigned set = pipes_set(pipes);
    if (set == 0) {
        return from;
    }
    int64_t cycle = next_cycle(from) / CYCLE;
    struct cycle_use *use = use_at(core, cycle);
    while ((set & ~(unsigned)use->busy[bank]) == 0) {
        use = use_at(core, ++cycle);
    }
    use->busy[bank] |= (uint16_t)(1u << least_wanted(core, bank, pipes, use->busy[bank]));
    return cycle * CYCLE;
}

void want_pipes(struct core *core, const struct op *op)
{
    if (op->unit == UNIT_FP_DIVIDE) {
        core->divisions_time += later(op->interval, CYCLE);
        core->divisions++;
    }
    unsigned set = op->unit == UNIT_PIPES ? pipes_set(op->pipes) : 0;
    for (unsigned left = set; left != 0; left &= left - 1) {
        core->wanted[op->bank][__builtin_ctz(left)] +=
            WANTED_WHOLE * op->operations / (uint32_t)__builtin_popcount(set);
    }
}

/*
 * The floating-point divider is not pipelined: it starts one operation per interval. Fixed
 * intervals rather than gaps between starts: starts out of order would leave gaps too short for
 * anything. Divisions and square roots share it; where the code has several kinds, the interval is
 * their mean.
 */
static ticks issue_slowly(struct core *core, ticks from)
{
    int64_t *buckets = core->buckets;
    ticks interval = core->divisions_time / core->divisions;
    int64_t bucket = from / interval;
    while (buckets[(uint64_t)bucket % BUCKETS] == bucket + 1) {
        bucket++;
    }
    buckets[(uint64_t)bucket % BUCKETS] = bucket + 1;
    return later(next_cycle(from), next_cycle(bucket * interval));
}

/* The bits of the quotient, which is in rax by now. */
static int64_t quotient_bits(const struct core *core, const struct op *op)
{
    unsigned bits = 8u * op->insn->operand_size;
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t quotient = core->registers.gpr[0] & mask;
    if (op->insn->mnemonic[0] == 'i' && quotient >> (bits - 1) & 1) {
        quotient = (0 - quotient) & mask;
    }
    return quotient == 0 ? 0 : 64 - __builtin_clzll(quotient);
}

/* One divider, busy for longer the more bits the quotient has. */
static ticks issue_division(struct core *core, const struct op *op, ticks from, ticks *value)
{
    ticks more = quotient_bits(core, op) * core->timing->divide_bit;
    more -= more % CYCLE;
    ticks start = later(next_cycle(from), core->divider_free);
    core->divider_free = next_cycle(start + op->interval + more);
    *value = next_cycle(start + op->latency + more);
    return start;
}

ticks issue_operation(struct core *core, const struct op *op, ticks from, ticks *value)
{
    if (op->unit == UNIT_DIVIDE) {
        return issue_division(core, op, from, value);
    }
    if (op->unit != UNIT_PIPES) {
        ticks start = issue_slowly(core, from);
        *value = start + op->latency;
        return start;
    }
    enum bank bank = (enum bank)op->bank;
    ticks start = issue_pipe(core, bank, op->pipes, from), last = start;
    for (unsigned i = 1; i < op->operations; i++) {
        last = issue_pipe(core, bank, op->pipes, from);
    }
    *value = later(start + op->latency, last + CYCLE);
    if (op->then_pipes != 0) {
        *value = issue_pipe(core, bank, op->then_pipes, *value) + op->then_latency;
    }
    return start;
}
