/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All findings of one run, and how they are reported. */
#include "sim/findings/findings.h"

#include <string.h>

/* Beyond these, variations are not explored; a note says so. */
enum { BASE_STATES_MAX = 200000, TRIAL_STATES_MAX = 2000000 };

static double cycles_at(const struct timed *timed, uint32_t cpu, uint32_t offset)
{
    for (size_t i = 0; timed && timed->complete && i < timed->cpu_count; i++)
        for (size_t n = 0; timed->cpus[i].cpu == cpu && n < timed->cpus[i].insn_count; n++)
            if (timed->cpus[i].insns[n].offset == offset)
                return timed->cpus[i].insns[n].cycles;
    return -1;
}

static bool loops(const struct program *program, uint32_t cpu)
{
    for (size_t i = 0; i < program->loop_cpu_count; i++)
        if (program->loop_cpus[i] == cpu)
            return true;
    return false;
}

static void report(struct judgement *judgement, const char *id, uint32_t cpu,
                   const struct insn *insn, const char *message, bool with_cycles)
{
    const struct rule *rule = rule_find(id);
    struct result *result = judgement->result;
    const struct snippet *code = result->program->variants[result->variant].code[cpu];
    struct finding finding = {.rule = rule->id,
                              .cpu = cpu,
                              .offset = (uint32_t)(insn->address - code->address),
                              .text = insn->text,
                              .cycles = -1,
                              .message = message ? message : rule->advice,
                              .is_error = rule->level == RULE_ERROR};
    finding.place = insn_place(result->program, result->variant, cpu, finding.offset);
    if (with_cycles)
        finding.cycles = cycles_at(result->timed, cpu, finding.offset);
    if (finding.cycles >= 0.005)
        finding.message = region_printf(
            judgement->region, "%s; %.2f cycles%s are charged to it, part of which may only move",
            finding.message, finding.cycles, loops(result->program, cpu) ? " a round" : "");
    add_finding(judgement->region, result, &finding);
}

void report_finding(struct judgement *judgement, const char *rule, uint32_t cpu,
                    const struct insn *insn, const char *message)
{
    report(judgement, rule, cpu, insn, message, false);
}

void report_costly(struct judgement *judgement, const char *rule, uint32_t cpu,
                   const struct insn *insn, const char *message)
{
    report(judgement, rule, cpu, insn, message, true);
}

/* Whether another CPU of the family (`count:`) was found to do the same at the same place. */
static bool told_of_family(const struct result *result, const struct finding *finding)
{
    const struct cpu *cpus = result->program->cpus;
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *old = &result->findings[i];
        if (strcmp(old->rule, finding->rule) == 0 && old->offset == finding->offset &&
            strcmp(cpus[old->cpu].family, cpus[finding->cpu].family) == 0)
            return true;
    }
    return false;
}

void find_observed(struct judgement *judgement)
{
    const struct components *components = &judgement->exploration->components;
    struct result *result = judgement->result;
    for (size_t i = 0; i < components->observation_count; i++) {
        const struct observation *seen = &components->observations[i];
        report_finding(judgement, seen->rule, seen->cpu, seen->insn, NULL);
        result->finding_count--;
        result->finding_count += !told_of_family(result, &result->findings[result->finding_count]);
    }
}

/* They have a list of their own; as findings they can be expected and filtered like others. */
void find_unmodelled(struct judgement *judgement)
{
    struct result *result = judgement->result;
    for (size_t i = 0; i < result->unmodelled_count; i++) {
        const struct unmodelled *row = &result->unmodelled[i];
        int cpu = program_cpu(result->program, row->cpu);
        if (cpu == NO_INDEX)
            continue;
        add_finding(judgement->region, result,
                    &(struct finding){.rule = rule_find("unmodelled")->id,
                                      .cpu = (uint32_t)cpu,
                                      .offset = row->offset,
                                      .text = row->text,
                                      .cycles = -1,
                                      .message = row->reason,
                                      .place = row->place});
    }
}

/* Whether the exploration is one that variations can be compared with; a note when not. */
static bool can_vary(struct judgement *judgement)
{
    const struct exploration *exploration = judgement->exploration;
    judgement->result->findings_incomplete = true;
    if (!exploration->complete)
        return false; /* the verdict is unknown, and says why */
    judgement->result->findings_incomplete = exploration->state_count > BASE_STATES_MAX;
    if (!judgement->result->findings_incomplete)
        return true;
    result_note(judgement->region, judgement->result,
                region_printf(judgement->region,
                              "fences were not tried out one by one: the run has %llu states, "
                              "more than %d",
                              (unsigned long long)exploration->state_count, BASE_STATES_MAX));
    return false;
}

void find_all(struct judgement *judgement)
{
    find_red_zone_stores(judgement);
    if (judgement->exploration->state_count == 0)
        return;
    find_observed(judgement);
    find_unmodelled(judgement);
    find_unfenced(judgement);
    if (judgement->options->findings != FINDINGS_ALL)
        return;
    struct trial trial = {.judgement = judgement, .states_left = TRIAL_STATES_MAX};
    list_fences(&trial);
    if ((!trial.site_count && !judgement->guarantee) || !can_vary(judgement))
        return;
    find_redundant_and_weaker(&trial);
    find_misplaced(&trial);
    find_implementation_only(&trial);
    judgement->result->findings_incomplete = trial.skipped;
    if (trial.skipped)
        result_note(judgement->region, judgement->result,
                    "not every fence was tried out: without it, or with it elsewhere, there are "
                    "too many states");
}
