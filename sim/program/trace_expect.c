/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `observe:` and `expect:`. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/program/trace_reader.h"

enum { WITHIN_PERCENT_MAX = 1000 };

enum {
    NEVER,
    SOMETIMES,
    ALWAYS,
    CYCLES,
    REDUNDANT,
    FINDING,
    CHEAPER,
    KIND_COUNT,
    VARIANTS = KIND_COUNT,
    PROFILES,
    EXCEPT,
    FIELD_COUNT
};

_Static_assert((int)NEVER == (int)EXPECT_NEVER && (int)CHEAPER == (int)EXPECT_CHEAPER,
               "the fields are in the order of the kinds");

static const struct field expect_fields[FIELD_COUNT] = {
    [NEVER] = {.name = "never"},         [SOMETIMES] = {.name = "sometimes"},
    [ALWAYS] = {.name = "always"},       [CYCLES] = {.name = "cycles"},
    [REDUNDANT] = {.name = "redundant"}, [FINDING] = {.name = "finding"},
    [CHEAPER] = {.name = "cheaper"},     [VARIANTS] = {.name = "variants"},
    [PROFILES] = {.name = "profiles"},   [EXCEPT] = {.name = "except"},
};

void read_observe(struct trace_reader *reader, const struct node *node)
{
    if (!input_list(&reader->input, node, "observe", "terms (CPU:register or an object)"))
        return;
    if (node->count == 0)
        input_error(&reader->input, node->place, "observe: found an empty list, expected a term");
    reader->program->observe_given = true;
    for (size_t i = 0; i < node->count; i++)
        read_observed(reader, node->items[i]);
    reader->program->observed_count = reader->program->term_count;
}

/* ---- narrowing to variants and profiles ---- */

static void check_variant(struct trace_reader *reader, const struct node *node)
{
    struct name_table *table = &reader->variants;
    if (name_table_find(table, node->text) == NO_INDEX)
        input_error(&reader->input, node->place, "found %s, which is no variant%s",
                    input_describe(&reader->input, node),
                    input_suggest(&reader->input, node->text, table->names, table->name_count));
}

static void add_name(struct trace_reader *reader, struct name_list *list, const struct node *node,
                     size_t most)
{
    if (!list->names) {
        list->names = region_array(reader->input.region, most, sizeof *list->names);
        list->places = region_array(reader->input.region, most, sizeof *list->places);
    }
    list->places[list->count] = node->place;
    list->names[list->count++] = node->text;
}

/*
 * One name or a list of them. With both lists (`except:`) a name that is a variant of this
 * trace goes to the variants, any other to the profiles.
 */
static void read_names(struct trace_reader *reader, const struct node *node, const char *what,
                       struct name_list *variants, struct name_list *profiles)
{
    const struct node *single[] = {node};
    const struct node *const *items = node->kind == NODE_LIST ? node->items : single;
    size_t count = node->kind == NODE_LIST ? node->count : 1;
    if (count == 0)
        input_error(&reader->input, node->place, "%s: found an empty list, expected a name", what);
    for (size_t i = 0; i < count; i++) {
        const char *name;
        if (!input_text(&reader->input, items[i], what, &name))
            continue;
        bool is_variant = name_table_find(&reader->variants, name) != NO_INDEX;
        if (!profiles)
            check_variant(reader, items[i]);
        if (!profiles || (variants && is_variant))
            add_name(reader, variants, items[i], count);
        else
            add_name(reader, profiles, items[i], count);
    }
}

/* `variants:` or `profiles:`: names, or a mapping with `except`. */
static void read_narrowing(struct trace_reader *reader, const struct field *field,
                           struct name_list *variants, struct name_list *profiles)
{
    const struct node *node = field->value;
    if (!node)
        return;
    struct name_list *list = variants ? variants : profiles;
    struct field fields[] = {{.name = "except"}};
    if (node->kind == NODE_MAP) {
        input_map(&reader->input, node, field->name, fields, 1);
        node = fields[0].value;
        list->except = true;
    }
    if (node)
        read_names(reader, node, field->name, variants, profiles);
}

static void read_scope(struct trace_reader *reader, const struct field *fields,
                       struct expectation *expectation)
{
    struct name_list variants = {.except = true}, profiles = {.except = true};
    read_narrowing(reader, &fields[VARIANTS], &expectation->variants, NULL);
    read_narrowing(reader, &fields[PROFILES], NULL, &expectation->profiles);
    const struct node *except = fields[EXCEPT].value;
    if (!except)
        return;
    read_names(reader, except, "except", &variants, &profiles);
    if ((variants.count && expectation->variants.count) ||
        (profiles.count && expectation->profiles.count)) {
        input_error(&reader->input, fields[EXCEPT].key->place,
                    "found 'except' beside '%s' for the same kind of name, expected one of them",
                    variants.count && expectation->variants.count ? "variants" : "profiles");
        return;
    }
    if (variants.count)
        expectation->variants = variants;
    if (profiles.count)
        expectation->profiles = profiles;
}

/* ---- kinds ---- */

/* The condition on one line, as the report repeats it. */
static const char *one_line(struct region *region, const char *kind, const char *text)
{
    struct text line;
    text_init(&line, region);
    text_add(&line, kind);
    while (*(text += strspn(text, " \t\n"))) {
        size_t word = strcspn(text, " \t\n");
        text_add(&line, " ");
        text_add_bytes(&line, text, word);
        text += word;
    }
    return line.data;
}

static bool read_one_cpu(struct trace_reader *reader, const struct node *map,
                         const struct field *field, uint32_t *cpu)
{
    uint32_t count;
    if (field->value)
        return read_cpu_name(reader, field->value, "cpu", false, cpu, &count);
    input_error(&reader->input, map->place, "found no 'cpu' here, expected the CPU that is timed");
    return false;
}

/* "10%" as 0.10. */
static bool read_percentage(struct trace_reader *reader, const struct node *node, double *value)
{
    char *end = NULL;
    double percent = 0;
    size_t digits = node->kind == NODE_SCALAR ? strspn(node->text, "0123456789.") : 0;
    if (digits)
        percent = strtod(node->text, &end);
    if (digits == 0 || end != node->text + digits || strcmp(end, "%") != 0 ||
        percent > WITHIN_PERCENT_MAX) {
        input_error(&reader->input, node->place,
                    "within: found %s, expected a percentage from 0%% to %d%%",
                    input_describe(&reader->input, node), WITHIN_PERCENT_MAX);
        return false;
    }
    *value = percent / 100;
    return true;
}

static void read_cycles(struct trace_reader *reader, const struct node *node,
                        struct expectation *expectation)
{
    enum { CPU, MAX, VALUE, WITHIN, COUNT };
    struct field fields[COUNT] = {[CPU] = {.name = "cpu"},
                                  [MAX] = {.name = "max"},
                                  [VALUE] = {.name = "value"},
                                  [WITHIN] = {.name = "within"}};
    struct input *input = &reader->input;
    if (!input_map(input, node, "'cycles'", fields, COUNT))
        return;
    read_one_cpu(reader, node, &fields[CPU], &expectation->cpu);
    if (fields[MAX].value)
        input_real(input, fields[MAX].value, "max", &expectation->max);
    if (fields[VALUE].value)
        input_real(input, fields[VALUE].value, "value", &expectation->value);
    if (fields[WITHIN].value)
        read_percentage(reader, fields[WITHIN].value, &expectation->within);
    if (!fields[MAX].key && !fields[VALUE].key)
        input_error(input, node->place, "found no limit in 'cycles', expected 'max' or 'value'");
    else if (!fields[VALUE].key != !fields[WITHIN].key)
        input_error(input, node->place, "found '%s' without '%s' in 'cycles'",
                    fields[VALUE].key ? "value" : "within", fields[VALUE].key ? "within" : "value");
    struct text text;
    text_init(&text, input->region);
    text_add(&text, "cycles");
    if (expectation->cpu < reader->program->cpu_count)
        text_printf(&text, " %s", reader->program->cpus[expectation->cpu].name);
    for (int i = MAX; i < COUNT; i++)
        if (fields[i].value && fields[i].value->kind == NODE_SCALAR)
            text_printf(&text, " %s %s", fields[i].name, fields[i].value->text);
    expectation->text = text.data;
}

static const char *read_variant_name(struct trace_reader *reader, const struct node *map,
                                     const struct field *field)
{
    const char *name = "";
    if (!field->value)
        input_error(&reader->input, map->place, "found no '%s' in 'cheaper', expected a variant",
                    field->name);
    else if (input_text(&reader->input, field->value, field->name, &name))
        check_variant(reader, field->value);
    return name;
}

static void read_cheaper(struct trace_reader *reader, const struct node *node,
                         struct expectation *expectation)
{
    enum { CPU, VARIANT, THAN, COUNT };
    struct field fields[COUNT] = {
        [CPU] = {.name = "cpu"}, [VARIANT] = {.name = "variant"}, [THAN] = {.name = "than"}};
    if (!input_map(&reader->input, node, "'cheaper'", fields, COUNT))
        return;
    read_one_cpu(reader, node, &fields[CPU], &expectation->cpu);
    expectation->variant = read_variant_name(reader, node, &fields[VARIANT]);
    expectation->than = read_variant_name(reader, node, &fields[THAN]);
    const char *cpu = expectation->cpu < reader->program->cpu_count
                          ? reader->program->cpus[expectation->cpu].name
                          : "";
    expectation->text = region_printf(reader->input.region, "cheaper %s %s than %s", cpu,
                                      expectation->variant, expectation->than);
}

static void read_name(struct trace_reader *reader, const struct node *node,
                      struct expectation *expectation)
{
    const char *kind = expect_fields[expectation->kind].name;
    struct name_table *slots = &reader->slots;
    if (!input_text(&reader->input, node, kind, &expectation->name))
        return;
    expectation->text = region_printf(reader->input.region, "%s %s", kind, expectation->name);
    if (expectation->kind == EXPECT_REDUNDANT &&
        name_table_find(slots, expectation->name) == NO_INDEX)
        input_error(
            &reader->input, node->place, "redundant: found %s, which is no slot%s",
            input_describe(&reader->input, node),
            input_suggest(&reader->input, expectation->name, slots->names, slots->name_count));
}

static void read_kind(struct trace_reader *reader, const struct node *node,
                      struct expectation *expectation)
{
    const char *kind = expect_fields[expectation->kind].name;
    switch (expectation->kind) {
    case EXPECT_CYCLES:
        read_cycles(reader, node, expectation);
        break;
    case EXPECT_CHEAPER:
        read_cheaper(reader, node, expectation);
        break;
    case EXPECT_REDUNDANT:
    case EXPECT_FINDING:
        read_name(reader, node, expectation);
        break;
    default:
        expectation->condition =
            read_condition(reader, node, &expectation->about_crash, &expectation->about_stuck);
        if (expectation->condition)
            expectation->text = one_line(reader->input.region, kind, node->text);
    }
}

static void read_expectation(struct trace_reader *reader, const struct node *node,
                             struct expectation *expectation)
{
    struct field fields[FIELD_COUNT];
    memcpy(fields, expect_fields, sizeof fields);
    *expectation =
        (struct expectation){.place = node->place, .text = "", .value = -1, .max = -1, .name = ""};
    if (!input_map(&reader->input, node, "an expectation", fields, FIELD_COUNT))
        return;
    int kind = NO_INDEX;
    bool misspelt = false;
    for (size_t i = 0; i < node->count; i++) {
        size_t field = 0;
        while (field < FIELD_COUNT && fields[field].key != node->pairs[i].key)
            field++;
        misspelt |= field == FIELD_COUNT;
        if (field >= KIND_COUNT)
            continue;
        if (kind != NO_INDEX)
            input_error(&reader->input, node->pairs[i].key->place,
                        "found '%s' beside '%s', expected one of them in an entry of 'expect'",
                        fields[field].name, fields[kind].name);
        else
            kind = (int)field;
    }
    read_scope(reader, fields, expectation);
    if (kind != NO_INDEX) {
        expectation->kind = (enum expectation_kind)kind;
        read_kind(reader, fields[kind].value, expectation);
    } else if (!misspelt) { /* otherwise that key was meant, and is reported */
        input_error(&reader->input, node->place,
                    "found no expectation here, expected never, sometimes, always, cycles, "
                    "redundant, finding or cheaper");
    }
}

void read_expect(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    if (!input_list(&reader->input, node, "expect", "expectations"))
        return;
    program->expectations =
        region_array(program->region, node->count, sizeof *program->expectations);
    for (size_t i = 0; i < node->count; i++)
        read_expectation(reader, node->items[i],
                         &program->expectations[program->expectation_count++]);
}
