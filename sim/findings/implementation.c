/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * implementation-only-fence: what this part forbids and its vendor does not. The run is
 * explored again with the vendor's order parameters; when more can happen then, each
 * parameter that differs is tried alone, to say which instruction relies on it.
 */
#include <string.h>

#include "sim/findings/findings.h"

/* Which instructions an order parameter is about. */
enum about {
    ABOUT_NOTHING,
    ABOUT_NT,
    ABOUT_MFENCE,
    ABOUT_LFENCE,
    ABOUT_MSR,
    ABOUT_LOCKED,
    ABOUT_STRING,
    ABOUT_STORE,
    ABOUT_LOAD,
    ABOUT_FLUSH,
    ABOUT_CR8
};

static const struct parameter_use {
    const char *name;
    enum about about;
} uses[] = {
    {"atomic_bytes", ABOUT_STORE},
    {"atomic_aligned_16", ABOUT_STORE},
    {"string_stores_unordered", ABOUT_STRING},
    {"string_stores_passed", ABOUT_STRING},
    {"stores_out_of_order", ABOUT_STORE},
    {"nt_passes_older_stores", ABOUT_NT},
    {"write_combining_buffers", ABOUT_NT},
    {"mfence_serializes", ABOUT_MFENCE},
    {"lfence_serializes", ABOUT_LFENCE},
    {"lfence_follows_sfence", ABOUT_LFENCE},
    {"lfence_orders_stores", ABOUT_LFENCE},
    {"sfence_drains", ABOUT_STORE},
    {"apic_wrmsr_waits", ABOUT_MSR},
    {"fences_order_apic_wrmsr", ABOUT_MSR},
    {"deadline_wrmsr_serializes", ABOUT_MSR},
    {"apic_wrmsr_serializes", ABOUT_MSR},
    {"weak_wrmsr_list", ABOUT_MSR},
    {"lock_orders_wc_loads", ABOUT_LOCKED},
    {"mfence_orders_wc_loads", ABOUT_MFENCE},
    {"wc_loads_weak", ABOUT_LOAD},
    {"self_snoop", ABOUT_MSR},
    {"persistent_caches", ABOUT_FLUSH},
    {"mov_cr8_serializes", ABOUT_CR8},
};

static const char *const parameter_names[] = {
#define PARAMETER(field, unit, meaning) #field,
#include "models/order_parameters.def"
#undef PARAMETER
};
enum { PARAMETERS = sizeof parameter_names / sizeof parameter_names[0] };
_Static_assert(sizeof(struct order_parameters) == PARAMETERS * sizeof(double),
               "order parameters are an array of numbers");

static enum about about_parameter(const char *name)
{
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (strcmp(uses[i].name, name) == 0)
            return uses[i].about;
    return ABOUT_NOTHING; /* sizes of buffers: no code relies on one being small */
}

static bool is_about(const struct insn *insn, enum about about)
{
    switch (about) {
    case ABOUT_NOTHING:
        return false;
    case ABOUT_NT:
        return insn->class == INSN_NT_STORE;
    case ABOUT_MFENCE:
        return insn->class == INSN_MFENCE;
    case ABOUT_LFENCE:
        return insn->class == INSN_LFENCE;
    case ABOUT_MSR:
        return insn->class == INSN_WRMSR;
    case ABOUT_LOCKED:
        return insn->class == INSN_LOCKED;
    case ABOUT_STRING:
        return insn->class == INSN_STRING;
    case ABOUT_STORE:
        return insn->memory.write || insn->implicit_store;
    case ABOUT_LOAD:
        return insn->memory.read || insn->implicit_load;
    case ABOUT_FLUSH:
        return insn->class == INSN_FLUSH || insn->memory.write;
    case ABOUT_CR8:
        return insn->kind == KIND_MOV_CR;
    }
    return false;
}

/* The first instruction that the parameter is about; any access when there is none. */
static const struct insn *relying_insn(const struct judgement *judgement, enum about about,
                                       uint32_t *cpu)
{
    const struct insn *any = NULL;
    uint32_t any_cpu = 0;
    for (*cpu = 0; *cpu < judgement->result->program->cpu_count; (*cpu)++) {
        const struct code *code = judgement->prepared->oracle->code[*cpu];
        for (size_t i = 0; i < code->insn_count; i++) {
            if (is_about(code->insns[i], about))
                return code->insns[i];
            if (!any && code->insns[i]->memory.present) {
                any = code->insns[i];
                any_cpu = *cpu;
            }
        }
    }
    *cpu = any_cpu;
    return any;
}

/* Whether more can happen with these order parameters. */
static bool allows_more(struct trial *trial, const struct order_parameters *order)
{
    struct judgement *judgement = trial->judgement;
    if (trial->states_left == 0) {
        trial->skipped = true;
        return false;
    }
    struct profile profile = *judgement->profile;
    struct judgement other = *judgement;
    profile.order = *order;
    other.profile = &profile;
    struct exploration *varied =
        trial_keep(trial, explore_varied(&other, NULL, 0, trial_limit(trial)));
    if (!varied)
        return false;
    bool more = !ends_within(judgement->region, varied, judgement->exploration);
    exploration_close(varied);
    return more;
}

static void report(struct trial *trial, const char *parameter, enum about about)
{
    struct judgement *judgement = trial->judgement;
    uint32_t cpu;
    const struct insn *insn = relying_insn(judgement, about, &cpu);
    if (!insn)
        return;
    report_finding(judgement, "implementation-only-fence", cpu, insn,
                   region_printf(judgement->region,
                                 "what %s forbids here %s does not guarantee (%s); judge it with "
                                 "--profile %s and fence what can happen there",
                                 judgement->profile->name, judgement->guarantee->name, parameter,
                                 judgement->guarantee->name));
}

void find_implementation_only(struct trial *trial)
{
    const struct judgement *judgement = trial->judgement;
    if (!judgement->guarantee)
        return;
    struct order_parameters all = judgement->profile->order;
    double *mine = (double *)&all;
    const double *theirs = (const double *)&judgement->guarantee->order;
    bool differs[PARAMETERS] = {false}, any = false, named = false;
    for (size_t i = 0; i < PARAMETERS; i++) {
        differs[i] = about_parameter(parameter_names[i]) != ABOUT_NOTHING && mine[i] != theirs[i];
        any = any || differs[i];
        if (differs[i])
            mine[i] = theirs[i];
    }
    if (!any || !allows_more(trial, &all))
        return;
    for (size_t i = 0; i < PARAMETERS; i++) {
        struct order_parameters one = judgement->profile->order;
        if (!differs[i])
            continue;
        ((double *)&one)[i] = theirs[i];
        if (!allows_more(trial, &one))
            continue;
        report(trial, parameter_names[i], about_parameter(parameter_names[i]));
        named = true;
    }
    if (!named)
        report(trial, "several parameters together", ABOUT_NOTHING);
}
