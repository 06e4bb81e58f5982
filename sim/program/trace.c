/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace from its YAML text to a program: the top level. */
#include <string.h>

#include "sim/program/read.h"
#include "sim/program/trace_reader.h"

enum {
    TRACE,
    NAME,
    ABOUT,
    SOURCE,
    SYNTAX,
    MEMORY,
    CPUS,
    HANDLERS,
    VARIANTS,
    OBSERVE,
    EXPECT,
    LOOP,
    TIMER,
    MSRS,
    FIELD_COUNT
};

static const struct field trace_fields[FIELD_COUNT] = {
    [TRACE] = {.name = "trace"},       [NAME] = {.name = "name"},
    [ABOUT] = {.name = "about"},       [SOURCE] = {.name = "source"},
    [SYNTAX] = {.name = "syntax"},     [MEMORY] = {.name = "memory"},
    [CPUS] = {.name = "cpus"},         [HANDLERS] = {.name = "handlers"},
    [VARIANTS] = {.name = "variants"}, [OBSERVE] = {.name = "observe"},
    [EXPECT] = {.name = "expect"},     [LOOP] = {.name = "loop"},
    [TIMER] = {.name = "timer"},       [MSRS] = {.name = "msrs"},
};

void source_list_add(struct source_list *list, struct source *source)
{
    list->items = region_push(list->region, list->items, list->count, &list->capacity,
                              sizeof(struct source *));
    list->items[list->count++] = source;
}

static void read_version(struct trace_reader *reader, const struct field *field,
                         const struct node *root)
{
    if (!field->value)
        input_error(&reader->input, root->place, "found no 'trace: 1', which tells the format");
    else if (field->value->kind != NODE_SCALAR || strcmp(field->value->text, "1") != 0)
        input_error(&reader->input, field->value->place, "trace: found %s, expected version 1",
                    input_describe(&reader->input, field->value));
}

/* Reports repeat the name on a line of its own. */
static void read_name(struct trace_reader *reader, const struct field *field,
                      const struct node *root)
{
    struct program *program = reader->program;
    if (!field->value)
        input_error(&reader->input, root->place, "the trace has no 'name'");
    else if (input_text(&reader->input, field->value, "name", &program->name) &&
             !is_printable_line(program->name))
        input_error(&reader->input, field->value->place, "name: found %s",
                    strpbrk(program->name, "\r\n") ? "several lines, expected one"
                                                   : "a control character");
}

static void read_head(struct trace_reader *reader, const struct field *fields,
                      const struct node *root)
{
    static const char *const syntaxes[] = {"intel", "att"};
    struct program *program = reader->program;
    int syntax = 0;
    read_version(reader, &fields[TRACE], root);
    read_name(reader, &fields[NAME], root);
    if (fields[ABOUT].value)
        input_text(&reader->input, fields[ABOUT].value, "about", &program->about);
    if (fields[SOURCE].value)
        input_text(&reader->input, fields[SOURCE].value, "source", &program->source);
    if (fields[SYNTAX].value)
        input_choice(&reader->input, fields[SYNTAX].value, "syntax", syntaxes, 2, &syntax);
    reader->att = syntax == 1;
}

static void read_rest(struct trace_reader *reader, const struct field *fields)
{
    struct program *program = reader->program;
    if (fields[OBSERVE].value)
        read_observe(reader, fields[OBSERVE].value);
    if (fields[EXPECT].value)
        read_expect(reader, fields[EXPECT].value);
    if (!fields[OBSERVE].key)
        program->observed_count = program->term_count;
    if (fields[LOOP].value)
        read_loop(reader, fields[LOOP].value);
    if (fields[TIMER].value)
        read_timer(reader, fields[TIMER].value);
    if (fields[MSRS].value)
        read_msrs(reader, fields[MSRS].value);
}

static void init_reader(struct trace_reader *reader, struct region *region)
{
    struct name_table *const tables[] = {&reader->objects, &reader->cpus, &reader->families,
                                         &reader->slots, &reader->variants};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        name_table_init(tables[i], region);
    intern_init(&reader->terms, region);
}

struct program *trace_parse(struct region *region, const char *name, const char *text,
                            size_t length, struct source_list *sources,
                            struct diagnostics *diagnostics)
{
    const struct yaml_document *document = yaml_read(region, name, text, length, diagnostics);
    if (!document)
        return NULL;
    struct trace_reader *reader = region_alloc(region, sizeof *reader);
    struct program *program = region_alloc(region, sizeof *program);
    *program = (struct program){.region = region,
                                .file = name,
                                .name = "",
                                .timer_vector = NO_INDEX,
                                .timer_lvt = NO_INDEX};
    *reader = (struct trace_reader){
        .input = {region, name, diagnostics, document}, .program = program, .sources = sources};
    init_reader(reader, region);
    struct field fields[FIELD_COUNT];
    memcpy(fields, trace_fields, sizeof fields);
    if (!input_map(&reader->input, document->root, "a trace", fields, FIELD_COUNT))
        return NULL;
    read_head(reader, fields, document->root);
    if (fields[MEMORY].value)
        read_memory(reader, fields[MEMORY].value);
    read_cpus(reader, fields[CPUS].value, document->root->place);
    read_object_relocations(reader);
    if (fields[HANDLERS].value)
        read_handlers(reader, fields[HANDLERS].value);
    read_variants(reader, fields[VARIANTS].value);
    make_snippets(reader);
    read_rest(reader, fields);
    return program;
}
