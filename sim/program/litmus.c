/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A litmus test from its text to a program: what all its sections come to. */
#include "sim/program/litmus.h"

#include "sim/program/layout.h"
#include "sim/program/litmus_reader.h"

const char *quantifier_name(enum quantifier quantifier)
{
    static const char *const names[] = {"exists", "~exists", "forall"};
    return names[quantifier];
}

/* ---- what all sections come to ---- */

/* A variable of which code accesses more than its type has gets that room. */
static void widen_objects(struct litmus_reader *reader)
{
    struct program *program = reader->program;
    size_t count = program->object_count;
    for (uint32_t i = 0; i < count; i++) {
        struct symbol *symbol = &reader->symbols[i];
        if (symbol->hidden || symbol->accessed <= program->objects[i].size)
            continue;
        const char *name =
            region_printf(reader->region, "%s with what follows it", program->objects[i].name);
        uint32_t root = symbol_part(reader, i, name, 0, symbol->type);
        struct object *object = &program->objects[i], *whole = &program->objects[root];
        whole->parent = NO_INDEX;
        whole->size = reader->symbols[i].accessed;
        whole->init = object->init;
        whole->init_size = object->init_size;
        object->init = NULL;
        object->init_size = 0;
        object->parent = (int)root;
        object->address = 0;
        for (size_t n = 0; n < program->object_count; n++) /* its parts lie in the whole, too */
            if (program->objects[n].parent == (int)i)
                program->objects[n].parent = (int)root;
    }
}

/* Names that the assembler would not take stand for their objects under others. */
static void add_code_names(struct litmus_reader *reader)
{
    struct program *program = reader->program;
    size_t count = program->object_count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = reader->symbols[i].code_name;
        if (reader->symbols[i].hidden || strcmp(name, program->objects[i].name) == 0)
            continue;
        int parent = program->objects[i].parent;
        symbol_part(reader, parent == NO_INDEX ? i : (uint32_t)parent, name, 0,
                    reader->symbols[i].type);
    }
}

static void fill_pending(struct litmus_reader *reader)
{
    struct program *program = reader->program;
    for (size_t i = 0; i < reader->pending_count; i++) {
        const struct pending *pending = &reader->pending[i];
        uint64_t value = program->objects[pending->target].address + (uint64_t)pending->offset;
        if (pending->number) {
            *pending->number =
                pending->size < 8 ? value & ((UINT64_C(1) << pending->size * 8) - 1) : value;
            continue;
        }
        struct object *object = &program->objects[pending->object];
        if (!object->init)
            object = &program->objects[object->parent];
        for (uint8_t n = 0; n < pending->size; n++)
            object->init[pending->at + n] = (uint8_t)(value >> 8 * n);
    }
}

static void fill_registers(struct litmus_reader *reader)
{
    static const uint8_t numbers[] = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};
    struct program *program = reader->program;
    for (size_t i = 0; i < reader->register_count; i++) {
        const struct typed_register *value = &reader->registers[i];
        if (value->cpu >= program->cpu_count || value->number >= sizeof numbers || !value->given)
            continue; /* of a thread that is not there: ignored, as herd does */
        uint64_t address = value->target == NO_INDEX ? 0 : program->objects[value->target].address;
        program->cpus[value->cpu].gpr[numbers[value->number]] = value->value + address;
    }
}

static void make_cpus(struct litmus_reader *reader)
{
    static const char *const names[] = {"P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7"};
    struct program *program = reader->program;
    program->cpu_count = reader->thread_count;
    program->cpus = region_array(reader->region, program->cpu_count, sizeof *program->cpus);
    for (size_t i = 0; i < program->cpu_count; i++) {
        const char *name =
            i < sizeof names / sizeof *names ? names[i] : region_printf(reader->region, "P%zu", i);
        program->cpus[i] = (struct cpu){
            .name = name, .family = name, .family_count = 1, .place = {1, 1}, .cluster = ""};
        program_place_cpu(&program->cpus[i], i);
    }
}

static const struct snippet *make_snippet(struct litmus_reader *reader, size_t cpu)
{
    const struct thread *thread = &reader->threads[cpu];
    struct snippet *snippet = region_alloc(reader->region, sizeof *snippet);
    snippet->address = code_address(cpu);
    if (!thread->count)
        return snippet;
    struct source *source = region_alloc(reader->region, sizeof *source);
    *source = (struct source){.file = reader->program->file,
                              .att = true,
                              .lines = thread->lines,
                              .line_count = thread->count,
                              .program = reader->program,
                              .snippet = snippet,
                              .limit = CODE_BYTES_MAX};
    source_list_add(reader->sources, source);
    return snippet;
}

static void make_variant(struct litmus_reader *reader)
{
    struct program *program = reader->program;
    struct variant *variant = region_alloc(reader->region, sizeof *variant);
    variant->name = "default";
    variant->code = region_array(reader->region, program->cpu_count, sizeof *variant->code);
    variant->setup = region_array(reader->region, program->cpu_count, sizeof *variant->setup);
    variant->handlers = region_array(reader->region, 1, sizeof *variant->handlers);
    for (size_t i = 0; i < program->cpu_count; i++)
        variant->code[i] = make_snippet(reader, i);
    program->variants = variant;
    program->variant_count = 1;
}

/* "~exists (condition)" */
static const char *expectation_text(struct region *region, enum quantifier quantifier,
                                    const char *condition)
{
    const char *name = quantifier_name(quantifier);
    char *text = region_alloc(region, strlen(name) + strlen(condition) + sizeof " ()");
    strcpy(text, name);
    strcat(text, " (");
    strcat(text, condition);
    strcat(text, ")");
    return text;
}

void litmus_expect(struct program *program, enum quantifier quantifier, bool wanted)
{
    struct litmus *litmus = region_alloc(program->region, sizeof *litmus);
    *litmus = *program->litmus;
    litmus->quantifier = quantifier;
    program->litmus = litmus;
    program->expectation_count = 0;
    if (quantifier == QUANTIFIER_EXISTS && !wanted)
        return;
    struct condition *condition = region_alloc(program->region, sizeof *condition);
    *condition = (struct condition){
        .op = CONDITION_AND, .left = litmus->filter, .right = litmus->condition, .term = NO_INDEX};
    if (litmus->filter && quantifier == QUANTIFIER_FORALL) {
        struct condition *dropped = region_alloc(program->region, sizeof *dropped);
        *dropped =
            (struct condition){.op = CONDITION_NOT, .left = litmus->filter, .term = NO_INDEX};
        condition->op = CONDITION_OR;
        condition->left = dropped;
    }
    program->expectations = region_array(program->region, 1, sizeof *program->expectations);
    program->expectations[0] =
        (struct expectation){.kind = quantifier == QUANTIFIER_EXISTS       ? EXPECT_SOMETIMES
                                     : quantifier == QUANTIFIER_NOT_EXISTS ? EXPECT_NEVER
                                                                           : EXPECT_ALWAYS,
                             .place = litmus->place,
                             .text = expectation_text(program->region, quantifier, litmus->text),
                             .condition = litmus->filter ? condition : litmus->condition,
                             .name = "",
                             .value = -1,
                             .max = -1};
    program->expectation_count = 1;
}

static void finish(struct litmus_reader *reader)
{
    struct program *program = reader->program;
    make_cpus(reader);
    finish_locations(reader);
    widen_objects(reader);
    add_code_names(reader);
    int first = program_layout(program, NULL);
    if (first != NO_INDEX)
        litmus_error(reader, program->objects[first].place, "no room for '%s' in memory",
                     program->objects[first].name);
    fill_pending(reader);
    fill_registers(reader);
    make_variant(reader);
    litmus_expect(program, reader->litmus->quantifier, false);
}

static bool read_test(struct litmus_reader *reader)
{
    if (!read_litmus_header(reader))
        return false;
    read_init_section(reader);
    read_code_section(reader);
    if (!reader->thread_count)
        return false;
    read_condition_section(reader);
    finish(reader);
    return true;
}

/* What was only needed for reading; the next test's reader gets the memory. */
static void give_back(struct litmus_reader *reader)
{
    void *const blocks[] = {reader->symbols,     reader->pending,     reader->registers,
                            reader->threads,     reader->labels,      reader->jumps,
                            reader->uses,        reader->drafts,      reader->leaves,
                            reader->normal.data, reader->scratch.data};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        region_free(reader->region, blocks[i]);
}

struct program *litmus_parse(struct region *region, const char *name, const char *text,
                             size_t length, struct source_list *sources,
                             struct diagnostics *diagnostics)
{
    struct litmus_reader state, *reader = &state;
    struct program *program = region_alloc(region, sizeof *program);
    struct litmus *litmus = region_alloc(region, sizeof *litmus);
    *program = (struct program){.region = region,
                                .file = name,
                                .name = "",
                                .litmus = litmus,
                                .timer_vector = NO_INDEX,
                                .timer_lvt = NO_INDEX};
    *reader = (struct litmus_reader){.region = region,
                                     .diagnostics = diagnostics,
                                     .sources = sources,
                                     .program = program,
                                     .litmus = litmus,
                                     .at = text,
                                     .end = text + length,
                                     .line_start = text,
                                     .line = 1};
    text_init(&reader->normal, region);
    text_init(&reader->scratch, region);
    bool good = read_test(reader);
    give_back(reader);
    return good ? program : NULL;
}
