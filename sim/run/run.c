/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One program on every profile and variant that was asked for. */
#include "sim/run/run.h"

#include <string.h>

#include "sim/run/judge.h"

void result_note(struct region *region, struct result *result, const char *note)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (strcmp(result->notes[i], note) == 0)
            return;
    result->notes = region_push(region, result->notes, result->note_count, &result->note_capacity,
                                sizeof *result->notes);
    result->notes[result->note_count++] = region_strdup(region, note);
}

static const char *const gpr_names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* Registers that loads of a CPU write: what its code may have seen of others. */
static uint32_t loaded_registers(const struct code *code)
{
    uint32_t registers = 0;
    for (size_t i = 0; i < code->insn_count; i++) {
        const struct insn *insn = code->insns[i];
        if (insn->memory.read || insn->implicit_load)
            registers |= (uint32_t)(insn->writes & 0xffff);
    }
    return registers & ~(UINT32_C(1) << 4); /* rsp moves with every pop */
}

struct term_list {
    struct region *region;
    struct term *items;
    size_t count, capacity;
};

static void add_term(struct term_list *list, const struct term *term)
{
    list->items =
        region_push(list->region, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = *term;
}

static bool is_integer(const struct object *object)
{
    return object->size == 1 || object->size == 2 || object->size == 4 || object->size == 8;
}

/* Nothing names what to observe: every register that a load writes, every integer object. */
static void choose_terms(struct term_list *list, const struct program *program,
                         const struct oracle *oracle)
{
    for (uint32_t cpu = 0; cpu < program->cpu_count; cpu++)
        for (uint8_t index = 0; index < 16; index++)
            if (loaded_registers(oracle->code[cpu]) >> index & 1)
                add_term(list, &(struct term){.text = region_printf(list->region, "%s:%s",
                                                                    program->cpus[cpu].name,
                                                                    gpr_names[index]),
                                              .cpu = cpu,
                                              .view = {REGISTER_GPR, index, 0, 64}});
    for (uint32_t i = 0; i < program->object_count; i++)
        if (is_integer(&program->objects[i]) && program->objects[i].parent == NO_INDEX)
            add_term(list, &(struct term){
                               .text = program->objects[i].name, .is_object = true, .object = i});
}

static void choose_observed(struct region *region, struct prepared *prepared)
{
    const struct program *program = prepared->program;
    struct term_list list = {.region = region};
    for (size_t i = 0; i < program->term_count; i++)
        add_term(&list, &program->terms[i]);
    size_t first = 0, count = program->observed_count;
    if (count == 0 && !program->observe_given) {
        first = list.count;
        choose_terms(&list, program, prepared->oracle);
        count = list.count - first;
    }
    uint32_t *observed = region_array(region, count + 1, sizeof *observed);
    for (size_t i = 0; i < count; i++)
        observed[i] = (uint32_t)(first + i);
    prepared->terms = list.items;
    prepared->term_count = list.count;
    prepared->observed = observed;
    prepared->observed_count = count;
}

struct prepared *prepare_run(struct region *region, struct region *scratch, struct exec *exec,
                             const struct program *program, uint32_t variant, bool reduce)
{
    struct prepared *prepared = region_alloc(scratch, sizeof *prepared);
    prepared->program = program;
    prepared->variant = variant;
    prepared->oracle = oracle_new(scratch, exec, program, variant);
    prepared->start = start_new(scratch, exec, program, variant);
    footprint_init(&prepared->footprint, scratch, program, !reduce);
    choose_observed(region, prepared);
    return prepared;
}

static void time_it(struct judgement *judgement, struct exec *exec)
{
    const struct run_options *options = judgement->options;
    struct time_options limits = {
        .max_seconds = options->max_seconds, .stop = options->stop, .timeline = options->timeline};
    struct result *result = judgement->result;
    if (!judgement->profile->has_cycles)
        return;
    result->timed = time_run(judgement->region, exec, result->program, result->variant,
                             judgement->profile, &limits);
    if (result->timed->limited)
        result_note(judgement->region, result,
                    region_printf(judgement->region,
                                  "cycles: %s after %llu instructions, of which the figures are",
                                  result->timed->reason,
                                  (unsigned long long)result->timed->instructions));
    else if (!result->timed->complete && result->timed->reason)
        result_note(judgement->region, result,
                    region_printf(judgement->region, "cycles: %s", result->timed->reason));
    for (size_t i = 0; i < result->timed->unmodelled_count; i++)
        add_unmodelled(judgement->region, result,
                       &(struct unmodelled){.cpu = "",
                                            .text = result->timed->unmodelled[i],
                                            .reason = "the cycle model does not know it"});
}

/* What the vendor of a part guarantees for all its parts; NULL when that is no other profile. */
static const struct profile *guarantee_of(struct region *region, const struct profile *profile,
                                          const struct run_options *options)
{
    struct diagnostics diagnostics;
    bool has_vendor = strcmp(profile->vendor, "intel") == 0 || strcmp(profile->vendor, "amd") == 0;
    if (!has_vendor || strcmp(profile->name, profile->vendor) == 0 || !options->order ||
        options->findings != FINDINGS_ALL)
        return NULL;
    diagnostics_init(&diagnostics, region);
    return profile_load(region, profile->vendor, &diagnostics);
}

static struct result *run_one(struct region *region, struct region *scratch, struct exec *exec,
                              struct prepared *prepared, const struct profile *profile,
                              const struct profile *guarantee, const struct run_options *options)
{
    struct result *result = region_alloc(region, sizeof *result);
    struct judgement judgement = {.region = region,
                                  .scratch = scratch,
                                  .prepared = prepared,
                                  .profile = profile,
                                  .model = model_find(profile->model),
                                  .options = options,
                                  .started = seconds_now(),
                                  .result = result,
                                  .guarantee = guarantee};
    result->program = prepared->program;
    result->profile = profile;
    result->variant = prepared->variant;
    if (prepared->start->problem) {
        add_unmodelled(
            region, result,
            &(struct unmodelled){.cpu = "", .text = "", .reason = prepared->start->problem});
        result->ordered = options->order;
        judge_verdict(result);
        return result;
    }
    if (options->order)
        judge_order(&judgement);
    if (options->time)
        time_it(&judgement, exec);
    if (options->order && options->findings != FINDINGS_NONE)
        find_all(&judgement);
    judge_expectations(&judgement);
    if (options->explain && judgement.exploration) {
        find_forbidding_fences(&judgement);
        tell_witnesses(&judgement);
    }
    if (options->order && options->graph_states)
        judge_graph(&judgement);
    if (judgement.exploration)
        exploration_close(judgement.exploration);
    return result;
}

void run_program(struct region *region, const struct program *program,
                 const struct profile *const *profiles, size_t profile_count,
                 const uint32_t *variants, size_t variant_count, const struct run_options *options,
                 struct result_list *results)
{
    struct region *scratch = region_child(region);
    struct exec *exec = exec_open(scratch, program);
    struct prepared **prepared = region_array(scratch, variant_count, sizeof *prepared);
    for (size_t v = 0; v < variant_count; v++)
        prepared[v] = prepare_run(region, scratch, exec, program, variants[v], options->reduce);
    size_t first = results->count;
    for (size_t p = 0; p < profile_count; p++) {
        const struct profile *guarantee = guarantee_of(region, profiles[p], options);
        for (size_t v = 0; v < variant_count; v++) {
            results->items = region_push(region, results->items, results->count, &results->capacity,
                                         sizeof *results->items);
            results->items[results->count++] =
                run_one(region, scratch, exec, prepared[v], profiles[p], guarantee, options);
        }
    }
    struct result_list mine = {results->items + first, results->count - first, 0};
    judge_cheaper(region, &mine);
    for (size_t i = 0; i < mine.count; i++)
        judge_verdict(mine.items[i]);
    exec_close(exec);
    region_release(scratch);
}
