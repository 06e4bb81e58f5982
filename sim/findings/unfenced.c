/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt-store-unfenced and flush-unfenced: from each such instruction, is there a way through the
 * code to its end, or to a store that relies on it, without anything that waits for it?
 */
#include <string.h>

#include "sim/findings/findings.h"

/* What waits for non-temporal stores and for flushes alike. */
static bool waits(const struct insn *insn, uint8_t fact)
{
    switch (insn->class) {
    case INSN_SFENCE:
    case INSN_MFENCE:
    case INSN_LOCKED:
    case INSN_SERIALIZING:
    case INSN_IRET:
    case INSN_IO:
        return true;
    default:
        return fact & FACT_UNCACHEABLE; /* an access of uc memory empties the buffers */
    }
}

enum { FOUND_NOTHING, FOUND_END, FOUND_STORE };

struct walk {
    const struct code *code;
    const uint8_t *facts;
    uint8_t *visited;
    bool flush;
    const struct insn *store; /* the one that relies on it */
};

static size_t index_at(const struct code *code, uint64_t address)
{
    uint64_t offset = address - code->snippet->address;
    return offset < code->snippet->size && code->index_at[offset] ? code->index_at[offset] - 1
                                                                  : SIZE_MAX;
}

/* A plain store that others can see, or for flushes one that lasts. */
static bool relies(const struct walk *walk, const struct insn *insn, uint8_t fact)
{
    if (walk->flush)
        return fact & FACT_PERSISTENT && fact & FACT_STORES;
    return fact & FACT_STORES && !(fact & FACT_WEAK) && insn->class != INSN_NT_STORE;
}

/* Follows the code from an address; an explicit stack, since snippets may be long. */
static int walk_from(struct walk *walk, struct region *region, uint64_t start)
{
    uint64_t *stack = NULL;
    size_t count = 0, capacity = 0;
    bool end = false;
    stack = region_push(region, stack, count, &capacity, sizeof *stack);
    stack[count++] = start;
    while (count) {
        uint64_t address = stack[--count];
        size_t index = index_at(walk->code, address);
        if (index == SIZE_MAX) {
            end = true;
            continue;
        }
        const struct insn *insn = walk->code->insns[index];
        if (walk->visited[index])
            continue;
        walk->visited[index] = 1;
        if (waits(insn, walk->facts[index]) || !(walk->facts[index] & FACT_SEEN))
            continue;
        if (relies(walk, insn, walk->facts[index])) {
            walk->store = insn;
            return FOUND_STORE;
        }
        end = end || insn->is_return;
        if (insn->has_target) {
            stack = region_push(region, stack, count, &capacity, sizeof *stack);
            stack[count++] = insn->target;
        }
        if (!insn->is_return && (!insn->is_branch || insn->is_conditional || insn->is_call)) {
            stack = region_push(region, stack, count, &capacity, sizeof *stack);
            stack[count++] = insn->address + insn->length;
        }
    }
    return end ? FOUND_END : FOUND_NOTHING;
}

/* What was reported last for flushes and for stores: one finding for what one fence mends. */
struct reported {
    bool any;
    const struct insn *store;
};

static void check(struct judgement *judgement, uint32_t cpu, const uint8_t *facts, size_t index,
                  struct reported reported[2])
{
    struct region *region = judgement->region;
    const struct code *code = judgement->prepared->oracle->code[cpu];
    const struct insn *insn = code->insns[index];
    bool flush = insn->class == INSN_FLUSH;
    struct walk walk = {.code = code,
                        .facts = facts,
                        .visited = region_array(region, code->insn_count + 1, 1),
                        .flush = flush};
    int found = walk_from(&walk, region, insn->address + insn->length);
    if (found == FOUND_NOTHING || (reported[flush].any && reported[flush].store == walk.store))
        return;
    reported[flush] = (struct reported){true, walk.store};
    const char *message =
        found == FOUND_STORE
            ? region_printf(region, "%s before '%s'; put SFENCE between them",
                            flush ? "need not be durable" : "need not be visible", walk.store->text)
        : flush ? "nothing waits for it before the code ends; put SFENCE behind it"
                : "nothing empties its buffer before the code ends; put SFENCE behind it";
    report_finding(judgement, flush ? "flush-unfenced" : "nt-store-unfenced", cpu, insn, message);
}

static bool is_weak_flush(const struct insn *insn)
{
    return insn->class == INSN_FLUSH && (insn->kind == KIND_CLFLUSHOPT || insn->kind == KIND_CLWB);
}

void find_unfenced(struct judgement *judgement)
{
    const struct program *program = judgement->result->program;
    for (uint32_t cpu = 0; cpu < program->cpu_count;) {
        uint32_t members = program->cpus[cpu].family_count ? program->cpus[cpu].family_count : 1;
        const struct code *code = judgement->prepared->oracle->code[cpu];
        if (program->cpus[cpu].agent == AGENT_CPU) {
            const uint8_t *facts = access_facts(judgement, cpu);
            struct reported reported[2] = {{false, NULL}, {false, NULL}};
            for (size_t i = 0; i < code->insn_count; i++)
                if (facts[i] & FACT_WEAK || (facts[i] & FACT_SEEN && is_weak_flush(code->insns[i])))
                    check(judgement, cpu, facts, i, reported);
        }
        cpu += members;
    }
}
