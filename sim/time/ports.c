/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Execution ports: how many operations of a kind may start in one cycle. Instructions ask
 * in program order, so the oldest ready one gets the port, which is what a scheduler does.
 */
#include "sim/time/core.h"

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
    switch (port) {
    case PORT_ALU:
        return use->used[PORT_ALU] < t->alu_ports;
    case PORT_MULTIPLY: /* one of the ALU ports has the multiplier */
        return use->used[PORT_MULTIPLY] < 1 && use->used[PORT_ALU] < t->alu_ports;
    case PORT_ADDRESS:
        return use->used[PORT_ADDRESS] < t->address_ports;
    case PORT_LOAD:
        return use->used[PORT_ADDRESS] < t->address_ports && load_fits(core, use->cycle);
    case PORT_STORE_DATA:
        return use->used[PORT_STORE_DATA] < t->store_data_ports;
    default:
        return use->used[PORT_VECTOR] < t->vector_ports;
    }
}

static void take_port(enum port port, struct cycle_use *use)
{
    use->used[port]++;
    if (port == PORT_MULTIPLY) {
        use->used[PORT_ALU]++;
    } else if (port == PORT_LOAD) {
        use->used[PORT_ADDRESS]++;
    }
}

/*
 * Units that are not pipelined start one operation per interval. Fixed intervals rather than
 * gaps between starts: starts out of order would leave gaps too short for anything.
 */
static ticks issue_slowly(int64_t *buckets, ticks interval, ticks from)
{
    interval = later(interval, CYCLE);
    int64_t bucket = from / interval;
    while (buckets[(uint64_t)bucket % BUCKETS] == bucket + 1) {
        bucket++;
    }
    buckets[(uint64_t)bucket % BUCKETS] = bucket + 1;
    return later(next_cycle(from), next_cycle(bucket * interval));
}

ticks issue(struct core *core, enum port port, ticks from)
{
    if (port == PORT_SQRT) {
        return issue_slowly(core->sqrt_bucket, core->timing->sqrt_interval, from);
    }
    if (port == PORT_DIVIDE) {
        return issue_slowly(core->divide_bucket, core->timing->divide_interval, from);
    }
    /* A profile without the port would never find it: take it for unlimited. */
    bool whole = port != PORT_STORE_DATA;
    int64_t cycle = (whole ? next_cycle(from) : from) / CYCLE;
    for (int tries = 0; tries < CALENDAR; tries++, cycle++) {
        struct cycle_use *use = use_at(core, cycle);
        if (port_free(core, port, use)) {
            take_port(port, use);
            break;
        }
    }
    /* A forwarding latency of 5.25 is an average, which a chain of stores and loads keeps. */
    return whole ? cycle * CYCLE : later(from, cycle * CYCLE);
}
