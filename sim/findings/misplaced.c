/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * misplaced-fence: the run is explored again with the fence behind the nearest access that
 * follows it, and in front of the nearest one before it. For that the code is patched: the
 * fence and what it changes places with are rotated, which keeps every other offset.
 */
#include <string.h>

#include "sim/findings/findings.h"

/* Bytes [start, start + first) and [start + first, end) change places. */
struct rotation {
    uint32_t start, first, end;
    const struct insn *across; /* the access that the fence is moved across */
};

static bool accesses_memory(const struct insn *insn)
{
    return insn->memory.present || insn->implicit_load || insn->implicit_store ||
           (insn->class != INSN_ORDINARY && insn->class != INSN_NOTHING &&
            insn->class != INSN_NATIVE);
}

/* Whether the instruction does the same at another address. */
static bool can_move(const struct insn *insn)
{
    return insn && !insn->is_branch && insn->class != INSN_IRET && !strstr(insn->text, "rip");
}

static bool is_target(const struct code *code, uint64_t address)
{
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->insns[i]->has_target && code->insns[i]->target == address)
            return true;
    return false;
}

static const struct insn *insn_ending_at(const struct code *code, uint64_t address)
{
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->insns[i]->address + code->insns[i]->length == address)
            return code->insns[i];
    return NULL;
}

static const struct insn *insn_starting_at(const struct code *code, uint64_t address)
{
    for (size_t i = 0; i < code->insn_count; i++)
        if (code->insns[i]->address == address)
            return code->insns[i];
    return NULL;
}

/* Down to behind the next access. No jump may lead to between them. */
static bool rotation_down(const struct code *code, const struct insn *fence,
                          struct rotation *rotation)
{
    uint64_t base = code->snippet->address, at = fence->address + fence->length;
    const struct insn *next;
    for (;;) {
        next = insn_starting_at(code, at);
        if (!can_move(next) || is_target(code, at))
            return false;
        at += next->length;
        if (accesses_memory(next))
            break;
    }
    *rotation = (struct rotation){(uint32_t)(fence->address - base), fence->length,
                                  (uint32_t)(at - base), next};
    return true;
}

/* Up to in front of the access before. */
static bool rotation_up(const struct code *code, const struct insn *fence,
                        struct rotation *rotation)
{
    uint64_t base = code->snippet->address, at = fence->address;
    const struct insn *before;
    for (;;) {
        before = insn_ending_at(code, at);
        if (!can_move(before) || is_target(code, at))
            return false;
        at = before->address;
        if (accesses_memory(before))
            break;
    }
    *rotation = (struct rotation){(uint32_t)(at - base), (uint32_t)(fence->address - at),
                                  (uint32_t)(fence->address + fence->length - base), before};
    return true;
}

static const struct snippet *rotated(struct region *region, const struct snippet *snippet,
                                     const struct rotation *r)
{
    struct snippet *copy = region_alloc(region, sizeof *copy);
    *copy = *snippet;
    copy->bytes = region_array(region, snippet->size + 1, 1);
    memcpy(copy->bytes, snippet->bytes, snippet->size);
    memcpy(copy->bytes + r->start, snippet->bytes + r->start + r->first,
           r->end - r->start - r->first);
    memcpy(copy->bytes + r->end - r->first, snippet->bytes + r->start, r->first);
    return copy;
}

/* The program with the code of one family rotated in the variant that is judged. */
static struct program *rotated_program(struct judgement *judgement, const struct fence_site *site,
                                       const struct rotation *rotation)
{
    struct region *region = judgement->region;
    const struct program *program = judgement->result->program;
    uint32_t variant = judgement->result->variant;
    struct program *copy = region_alloc(region, sizeof *copy);
    *copy = *program;
    copy->variants = region_array(region, program->variant_count, sizeof *copy->variants);
    memcpy(copy->variants, program->variants, program->variant_count * sizeof *copy->variants);
    const struct snippet **code = region_array(region, program->cpu_count, sizeof *code);
    memcpy(code, program->variants[variant].code, program->cpu_count * sizeof *code);
    for (uint32_t n = 0; n < site->members; n++)
        code[site->cpu + n] = rotated(region, code[site->cpu + n], rotation);
    copy->variants[variant].code = code;
    return copy;
}

/* Whether the run forbids more, and lets nothing new happen, with the fence moved. */
static bool is_stronger(struct trial *trial, const struct fence_site *site,
                        const struct rotation *rotation)
{
    struct judgement *judgement = trial->judgement;
    struct region *region = judgement->region;
    if (trial->states_left == 0) {
        trial->skipped = true;
        return false;
    }
    struct program *program = rotated_program(judgement, site, rotation);
    struct prepared prepared = *judgement->prepared;
    struct judgement moved = *judgement;
    prepared.program = program;
    prepared.oracle =
        oracle_new(region, judgement->prepared->oracle->exec, program, prepared.variant);
    footprint_init(&prepared.footprint, region, program, !judgement->options->reduce);
    moved.prepared = &prepared;
    struct exploration *varied =
        trial_keep(trial, explore_varied(&moved, NULL, 0, trial_limit(trial)));
    if (!varied)
        return false;
    bool stronger = ends_within(region, varied, judgement->exploration) &&
                    !ends_within(region, judgement->exploration, varied);
    exploration_close(varied);
    return stronger;
}

static void try_moving(struct trial *trial, const struct fence_site *site)
{
    const struct code *code = trial->judgement->prepared->oracle->code[site->cpu];
    struct region *region = trial->judgement->region;
    struct rotation r;
    const char *where = NULL;
    if (rotation_down(code, site->insn, &r) && is_stronger(trial, site, &r))
        where = "behind";
    else if (rotation_up(code, site->insn, &r) && is_stronger(trial, site, &r))
        where = "in front of";
    if (where)
        report_finding(trial->judgement, "misplaced-fence", site->cpu, site->insn,
                       region_printf(region,
                                     "move it %s '%s': there it forbids outcomes that it lets "
                                     "pass here",
                                     where, r.across->text));
}

void find_misplaced(struct trial *trial)
{
    for (size_t i = 0; i < trial->site_count; i++)
        if (trial->sites[i].insn->class != INSN_LOCKED)
            try_moving(trial, &trial->sites[i]);
}
