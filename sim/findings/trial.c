/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fences of a run, exploring without them, and comparing what comes out. */
#include <string.h>

#include "sim/findings/findings.h"

enum { RSP = 4, STATES_EACH = 400000 };

bool is_barrier_idiom(const struct insn *insn)
{
    return insn->class == INSN_LOCKED && insn->memory.base == RSP && keeps_the_value(insn);
}

static bool is_fence(const struct insn *insn)
{
    switch (insn->class) {
    case INSN_MFENCE:
    case INSN_LFENCE:
    case INSN_SFENCE:
        return true;
    case INSN_SERIALIZING: /* those that do nothing else that a trace could see */
        return insn->kind == KIND_SERIALIZE || insn->kind == KIND_WBINVD ||
               insn->kind == KIND_WBNOINVD;
    default:
        return is_barrier_idiom(insn);
    }
}

void list_fences(struct trial *trial)
{
    struct judgement *judgement = trial->judgement;
    const struct program *program = judgement->result->program;
    for (uint32_t cpu = 0; cpu < program->cpu_count;) {
        const struct code *code = judgement->prepared->oracle->code[cpu];
        uint32_t members = program->cpus[cpu].family_count ? program->cpus[cpu].family_count : 1;
        for (size_t i = 0; i < code->insn_count; i++) {
            const struct insn *insn = code->insns[i];
            if (!is_fence(insn))
                continue;
            trial->sites = region_push(judgement->region, trial->sites, trial->site_count,
                                       &trial->site_capacity, sizeof *trial->sites);
            trial->sites[trial->site_count++] =
                (struct fence_site){.cpu = cpu,
                                    .members = members,
                                    .insn = insn,
                                    .offset = (uint32_t)(insn->address - code->snippet->address)};
        }
        cpu += members;
    }
}

uint64_t trial_limit(const struct trial *trial)
{
    uint64_t most = trial->states_left < STATES_EACH ? trial->states_left : STATES_EACH;
    uint64_t wanted = trial->judgement->options->max_states;
    return wanted && wanted < most ? wanted : most;
}

struct exploration *trial_keep(struct trial *trial, struct exploration *exploration)
{
    uint64_t states = exploration->state_count;
    trial->states_left -= states < trial->states_left ? states : trial->states_left;
    if (exploration->complete)
        return exploration;
    /* What cannot be followed without the fence shows that the fence matters; no note then. */
    trial->skipped = trial->skipped || exploration->incomplete;
    exploration_close(exploration);
    return NULL;
}

struct exploration *trial_without(struct trial *trial, const struct fence_site *site,
                                  enum insn_class as)
{
    struct judgement *judgement = trial->judgement;
    if (trial->states_left == 0) {
        trial->skipped = true;
        return NULL;
    }
    struct removed *removed = region_array(judgement->region, site->members, sizeof *removed);
    for (uint32_t n = 0; n < site->members; n++)
        removed[n] = (struct removed){.cpu = site->cpu + n,
                                      .start = site->offset,
                                      .end = site->offset + site->insn->length,
                                      .as = as};
    return trial_keep(trial, explore_varied(judgement, removed, site->members, trial_limit(trial)));
}

/* ---- comparing ---- */

/* A final or stuck state as bytes: its values, then who is stuck. */
static const void *final_key(const struct exploration *exploration, const struct final_state *final,
                             uint8_t *key, size_t *length)
{
    size_t values = exploration->term_count * sizeof *final->values;
    size_t cpus = exploration->program->cpu_count;
    memcpy(key, final->values, values);
    for (size_t cpu = 0; cpu < cpus; cpu++)
        key[values + cpu] = final->is_stuck ? 1 + final->stuck[cpu] : 0;
    *length = values + cpus;
    return key;
}

static bool finals_within(struct region *region, const struct exploration *part,
                          const struct exploration *whole)
{
    struct intern known;
    size_t length;
    bool fresh = false;
    uint8_t *key =
        region_alloc(region, part->term_count * sizeof(uint64_t) + part->program->cpu_count + 1);
    intern_init(&known, region);
    for (size_t i = 0; i < whole->final_count; i++) {
        final_key(whole, &whole->finals[i], key, &length);
        intern_add(&known, key, length, NULL);
    }
    for (size_t i = 0; i < part->final_count && !fresh; i++) {
        final_key(part, &part->finals[i], key, &length);
        intern_add(&known, key, length, &fresh);
    }
    return !fresh;
}

static bool images_within(struct region *region, const struct exploration *part,
                          const struct exploration *whole)
{
    struct intern known;
    size_t length = part->term_count * sizeof(uint64_t);
    bool fresh = false;
    intern_init(&known, region);
    for (size_t i = 0; i < whole->image_count; i++)
        intern_add(&known, whole->images[i].values, length, NULL);
    for (size_t i = 0; i < part->image_count && !fresh; i++)
        intern_add(&known, part->images[i].values, length, &fresh);
    return !fresh;
}

/* Rules broken, compared by number: each can be noted once a place. */
static bool rules_within(const struct exploration *part, const struct exploration *whole)
{
    return part->components.observation_count <= whole->components.observation_count;
}

bool ends_within(struct region *region, const struct exploration *part,
                 const struct exploration *whole)
{
    return (!part->can_stick || whole->can_stick) && rules_within(part, whole) &&
           finals_within(region, part, whole) && images_within(region, part, whole);
}
