/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following one execution: what can be done next, doing it, taking it back. */
#include "sim/run/stepping.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/run/run.h"

static uint32_t *now(const struct stepping *s) { return s->path[s->count]; }

static size_t tuple_bytes(const struct stepping *s)
{
    return s->exploration->tuple_length * sizeof(uint32_t);
}

/* "P0: +11 mov eax, dword ptr [y]   y is 0". Further accesses of the step stand behind. */
static const char *step_text(struct stepping *s, const struct witness *witness)
{
    struct text text;
    if (witness->count == 0)
        return NULL;
    const struct witness_step *first = &witness->steps[0];
    text_init(&text, s->view);
    text_printf(&text, "%s: ",
                strcmp(first->event, "write-back") == 0
                    ? "memory"
                    : s->prepared->program->cpus[first->cpu].name);
    if (first->has_insn)
        text_printf(&text, "%s %s",
                    program_offset_text(s->prepared->program, s->view, s->prepared->variant,
                                        first->cpu, first->offset),
                    first->text);
    else
        text_printf(&text, "(%s)", first->event);
    for (size_t i = 0; i < witness->count; i++)
        if (witness->steps[i].detail[0])
            text_printf(&text, "%s%s", i ? "; " : "   ", witness->steps[i].detail);
    return text.data;
}

struct listing {
    struct stepping *stepping;
    const uint32_t *from;
};

static void add_choice(void *receiver, uint32_t cpu, struct transition *transition,
                       const uint32_t *tuple)
{
    struct listing *listing = receiver;
    struct stepping *s = listing->stepping;
    s->choices =
        region_push(s->view, s->choices, s->choice_count, &s->choice_capacity, sizeof *s->choices);
    struct stepping_choice *choice = &s->choices[s->choice_count++];
    choice->tuple = region_alloc(s->view, tuple_bytes(s));
    memcpy(choice->tuple, tuple, tuple_bytes(s));
    choice->text =
        step_text(s, witness_of_transition(s->view, s->exploration, listing->from, choice->tuple,
                                           transition ? cpu : 0, transition));
}

static void list_choices(struct stepping *s)
{
    struct listing listing = {s, now(s)};
    region_release(s->view);
    s->choices = NULL;
    s->choice_count = s->choice_capacity = 0;
    for_each_successor(s->exploration, now(s), add_choice, &listing);
}

/* A load that has all its parts still has to write its register: nobody could tell when. */
static bool take_silent(struct stepping *s)
{
    for (size_t i = 0; i < s->choice_count; i++)
        if (!s->choices[i].text) {
            memcpy(now(s), s->choices[i].tuple, tuple_bytes(s));
            return true;
        }
    return false;
}

static void begin(struct stepping *s)
{
    struct prepared *prepared = s->prepared;
    if (s->exploration)
        exploration_close(s->exploration);
    s->exploration = explore(s->region, prepared->oracle, prepared->start, s->profile,
                             model_find(s->profile->model), &prepared->footprint, prepared->terms,
                             prepared->term_count, &s->options);
    s->path = region_push(s->region, s->path, 0, &s->path_capacity, sizeof *s->path);
    s->path[0] = region_alloc(s->region, tuple_bytes(s));
    states_get(&s->exploration->states, 0, s->path[0]);
    s->count = 0;
}

static void push(struct stepping *s, const struct stepping_choice *choice)
{
    s->steps = region_push(s->region, s->steps, s->count, &s->step_capacity, sizeof *s->steps);
    s->path = region_push(s->region, s->path, s->count + 1, &s->path_capacity, sizeof *s->path);
    s->steps[s->count] = region_strdup(s->region, choice->text);
    s->path[s->count + 1] = region_alloc(s->region, tuple_bytes(s));
    memcpy(s->path[s->count + 1], choice->tuple, tuple_bytes(s));
    s->count++;
}

/* Lists what can be done, after what goes without saying has been done. */
static void settle(struct stepping *s)
{
    do
        list_choices(s);
    while (take_silent(s));
}

/*
 * A load was seen that may be made early, of which nothing was known: what could be done before
 * was not all. The same steps are taken again with that known.
 */
static void relearn(struct stepping *s)
{
    size_t count = s->count;
    const char **steps = region_array(s->region, count + 1, sizeof *steps);
    memcpy(steps, s->steps, count * sizeof *steps);
    begin(s);
    settle(s);
    for (size_t n = 0; n < count; n++) {
        size_t i = 0;
        while (i < s->choice_count && strcmp(s->choices[i].text, steps[n]) != 0)
            i++;
        if (i == s->choice_count)
            return;
        push(s, &s->choices[i]);
        settle(s);
    }
}

static void refresh(struct stepping *s)
{
    settle(s);
    while (footprint_is_broken(&s->prepared->footprint))
        relearn(s);
    s->state = stepping_describe(s);
}

struct stepping *stepping_new(struct region *region, const struct program *program,
                              uint32_t variant, const struct profile *profile,
                              const struct run_options *options, uint64_t learn_states)
{
    struct stepping *s = region_alloc(region, sizeof *s);
    struct result_list results = {0};
    run_program(region, program, &profile, 1, &variant, 1, options, &results);
    s->region = region;
    s->view = region_child(region);
    s->profile = profile;
    s->result = results.items[0];
    s->options = (struct explore_options){
        .reduce = false, .max_states = learn_states, .max_memory = options->max_memory};
    s->prepared = prepare_run(region, region, exec_open(region, program), program, variant, false);
    s->title = region_printf(region, "%s, %s%s%s", program->name, profile->name,
                             program->variant_count > 1 ? ", " : "",
                             program->variant_count > 1 ? program->variants[variant].name : "");
    if (s->prepared->start->problem)
        return s;
    begin(s);
    refresh(s);
    return s;
}

const char *stepping_problem(const struct stepping *s) { return s->prepared->start->problem; }

const struct result *stepping_result(const struct stepping *s) { return s->result; }

const char *stepping_title(const struct stepping *s) { return s->title; }

const char *stepping_state(const struct stepping *s) { return s->state; }

const char *stepping_choice(const struct stepping *s, size_t index)
{
    return index < s->choice_count ? s->choices[index].text : NULL;
}

const char *stepping_step(const struct stepping *s, size_t index)
{
    return index < s->count ? s->steps[index] : NULL;
}

void stepping_take(struct stepping *s, size_t choice)
{
    push(s, &s->choices[choice]);
    refresh(s);
}

void stepping_undo(struct stepping *s, size_t count)
{
    s->count -= count < s->count ? count : s->count;
    refresh(s);
}
