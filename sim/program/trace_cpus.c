/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `cpus:` and `handlers:`: who runs, from which registers, and what. */
#include <string.h>

#include "sim/program/layout.h"
#include "sim/program/trace_reader.h"

enum { NAME, REGS, SETUP, ASM, CODE, PLACE, COUNT, AGENT, RELOCATIONS, SOURCE, FIELD_COUNT };

static const struct field cpu_fields[FIELD_COUNT] = {
    [NAME] = {.name = "name"},
    [REGS] = {.name = "regs"},
    [SETUP] = {.name = "setup"},
    [ASM] = {.name = "asm"},
    [CODE] = {.name = "code"},
    [PLACE] = {.name = "place"},
    [COUNT] = {.name = "count"},
    [AGENT] = {.name = "agent"},
    [RELOCATIONS] = {.name = "relocations"},
    [SOURCE] = {.name = "source"},
};

static bool comes_after(struct place a, struct place b)
{
    return a.line != b.line ? a.line > b.line : a.column > b.column;
}

/* Exactly one of `asm` and `code`. */
static void read_body(struct trace_reader *reader, const struct node *owner, const char *what,
                      const struct field *assembly, const struct field *code, struct body *body)
{
    if (assembly->key && code->key) {
        bool code_last = comes_after(code->key->place, assembly->key->place);
        input_error(&reader->input, (code_last ? code : assembly)->key->place,
                    "found both 'asm' and 'code' in %s, expected one of them", what);
    } else if (assembly->value) {
        read_assembly(reader, assembly->value, "asm", body);
    } else if (code->value) {
        read_code(reader, code->value, body);
    } else {
        input_error(&reader->input, owner->place,
                    "%s has no code: expected 'asm' (assembly) or 'code' (bytes)", what);
    }
}

/* ---- registers ---- */

static bool read_register_name(struct trace_reader *reader, const struct node *key,
                               struct register_view *view)
{
    if (!register_parse(key->text, view) || view->file != REGISTER_GPR) {
        input_error(&reader->input, key->place,
                    "regs: found %s, expected a general register such as rdi, r8 or eax",
                    input_describe(&reader->input, key));
        return false;
    }
    if (view->width < 32) {
        input_error(&reader->input, key->place,
                    "regs: found %s, which is a part of a register; give the whole one",
                    input_describe(&reader->input, key));
        return false;
    }
    return true;
}

static void read_registers(struct trace_reader *reader, const struct node *node, struct cpu *cpus,
                           uint32_t count)
{
    unsigned seen = 0;
    static const char *const bases[] = {"fs_base", "gs_base"};
    if (node->kind != NODE_MAP) {
        input_error(&reader->input, node->place, "regs: found %s, expected registers with values",
                    input_describe(&reader->input, node));
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->pairs[i].key;
        struct register_view view;
        uint64_t value = 0;
        if (strcmp(key->text, bases[0]) == 0 || strcmp(key->text, bases[1]) == 0) {
            read_value(reader, node->pairs[i].value, key->text, 64, &value);
            for (uint32_t cpu = 0; cpu < count; cpu++)
                *(key->text[0] == 'f' ? &cpus[cpu].fs_base : &cpus[cpu].gs_base) = value;
            continue;
        }
        if (!read_register_name(reader, key, &view))
            continue;
        if (seen & 1u << view.index)
            input_error(&reader->input, key->place, "regs: found the register of '%s' twice",
                        key->text);
        seen |= 1u << view.index;
        read_value(reader, node->pairs[i].value, key->text, view.width, &value);
        for (uint32_t cpu = 0; cpu < count; cpu++)
            cpus[cpu].gpr[view.index] = value;
    }
}

/* ---- CPUs ---- */

/* The name of an entry, which with `count:` is that of a family. */
static const char *entry_name(struct trace_reader *reader, const struct node *node,
                              const struct node *given, size_t index)
{
    struct region *region = reader->input.region;
    const char *name = NULL;
    struct place place = given ? given->place : node->place;
    if (given && !input_name(&reader->input, given, "a CPU's name", "-", &name))
        return region_printf(region, "P%zu", index);
    if (!name)
        name = region_printf(region, "P%zu", index);
    if (name_table_find(&reader->families, name) != NO_INDEX)
        input_error(&reader->input, place, "found a second CPU with the name '%s'", name);
    return name;
}

static void add_cpus(struct trace_reader *reader, const struct node *node,
                     const struct field *fields, size_t index, struct cpu_entry *entry)
{
    static const char *const kinds[] = {"device"};
    struct program *program = reader->program;
    const char *family = entry_name(reader, node, fields[NAME].value, index), *cluster = "";
    uint64_t count = 1;
    int device = NO_INDEX;
    if (fields[COUNT].value)
        input_number(&reader->input, fields[COUNT].value, "count", 1, CPUS_MAX, &count);
    if (fields[PLACE].value)
        input_text(&reader->input, fields[PLACE].value, "place", &cluster);
    if (fields[AGENT].value)
        input_choice(&reader->input, fields[AGENT].value, "agent", kinds, 1, &device);
    if (count > CPUS_MAX - program->cpu_count) {
        input_error(&reader->input, node->place, "found more than %d CPUs", CPUS_MAX);
        count = CPUS_MAX - program->cpu_count;
    }
    entry->first = (uint32_t)program->cpu_count;
    entry->count = (uint32_t)count;
    name_table_add(&reader->families, family, (int)entry->first);
    for (uint32_t i = 0; i < entry->count; i++) {
        program->cpus = region_push(program->region, program->cpus, program->cpu_count,
                                    &reader->cpu_capacity, sizeof *program->cpus);
        struct cpu *cpu = &program->cpus[program->cpu_count];
        *cpu = (struct cpu){.name = family,
                            .family = family,
                            .family_count = entry->count,
                            .place = node->place,
                            .agent = device == NO_INDEX ? AGENT_CPU : AGENT_DEVICE,
                            .cluster = cluster};
        if (fields[COUNT].value)
            cpu->name = region_printf(program->region, "%s.%u", family, i);
        program_place_cpu(cpu, program->cpu_count);
        name_table_add(&reader->cpus, cpu->name, (int)program->cpu_count++);
    }
}

static void read_cpu(struct trace_reader *reader, const struct node *node, size_t index)
{
    struct field fields[FIELD_COUNT];
    memcpy(fields, cpu_fields, sizeof fields);
    if (!input_map(&reader->input, node, "a CPU", fields, FIELD_COUNT))
        return;
    struct cpu_entry *entry = &reader->entries[reader->entry_count++];
    add_cpus(reader, node, fields, index, entry);
    struct cpu *cpus = &reader->program->cpus[entry->first];
    if (fields[REGS].value)
        read_registers(reader, fields[REGS].value, cpus, entry->count);
    if (fields[SETUP].value)
        read_assembly(reader, fields[SETUP].value, "setup", &entry->setup);
    read_body(reader, node, "this CPU", &fields[ASM], &fields[CODE], &entry->code);
    read_code_details(reader, &fields[CODE], &fields[RELOCATIONS], &fields[SOURCE], &entry->code);
}

void read_cpus(struct trace_reader *reader, const struct node *node, struct place top)
{
    if (!node) {
        input_error(&reader->input, top, "the trace has no 'cpus'");
        return;
    }
    if (!input_list(&reader->input, node, "cpus", "CPUs"))
        return;
    if (node->count == 0) {
        input_error(&reader->input, node->place, "cpus: found an empty list, expected a CPU");
        return;
    }
    size_t entries = node->count < CPUS_MAX ? node->count : CPUS_MAX;
    reader->entries = region_array(reader->input.region, entries, sizeof *reader->entries);
    for (size_t i = 0; i < entries; i++)
        read_cpu(reader, node->items[i], i);
    if (node->count > CPUS_MAX)
        input_error(&reader->input, node->items[CPUS_MAX]->place, "found more than %d CPUs",
                    CPUS_MAX);
}

static bool unknown_cpu(struct trace_reader *reader, const struct node *node, const char *what)
{
    const char *near =
        input_suggest(&reader->input, node->text, reader->cpus.names, reader->cpus.name_count);
    input_error(&reader->input, node->place, "%s: found %s, which is no CPU%s", what,
                input_describe(&reader->input, node), near);
    return false;
}

bool read_cpu_name(struct trace_reader *reader, const struct node *node, const char *what,
                   bool several, uint32_t *first, uint32_t *count)
{
    const char *name;
    if (!input_text(&reader->input, node, what, &name))
        return false;
    int index = name_table_find(&reader->cpus, name);
    if (index != NO_INDEX) {
        *first = (uint32_t)index;
        *count = 1;
        return true;
    }
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, ".*") == 0)
        name = region_strndup(reader->input.region, name, length - 2);
    index = name_table_find(&reader->families, name);
    if (index == NO_INDEX)
        return unknown_cpu(reader, node, what);
    *first = (uint32_t)index;
    *count = reader->program->cpus[index].family_count;
    if (several || *count == 1)
        return true;
    input_error(&reader->input, node->place, "%s: found %s, which is %u CPUs, expected one (%s.0)",
                what, input_describe(&reader->input, node), *count, name);
    return false;
}

/* ---- handlers ---- */

enum { H_CPU, H_VECTOR, H_ASM, H_CODE, H_RELOCATIONS, H_SOURCE, HANDLER_FIELD_COUNT };

static bool handler_fits(struct trace_reader *reader, const struct node *node, uint32_t cpu,
                         uint8_t vector)
{
    const struct program *program = reader->program;
    size_t same_cpu = 0;
    if (program->cpus[cpu].agent == AGENT_DEVICE) {
        input_error(&reader->input, node->place, "'%s' is a device, which takes no interrupts",
                    program->cpus[cpu].name);
        return false;
    }
    for (size_t i = 0; i < program->handler_count; i++) {
        if (program->handlers[i].cpu != cpu)
            continue;
        same_cpu++;
        if (program->handlers[i].vector == vector) {
            input_error(&reader->input, node->place,
                        "found a second handler for vector 0x%02x of '%s'", vector,
                        program->cpus[cpu].name);
            return false;
        }
    }
    if (same_cpu >= HANDLERS_PER_CPU) {
        input_error(&reader->input, node->place, "found more than %d handlers for '%s'",
                    HANDLERS_PER_CPU, program->cpus[cpu].name);
        return false;
    }
    return true;
}

static void read_handler(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    struct field fields[HANDLER_FIELD_COUNT] = {[H_CPU] = {.name = "cpu"},
                                                [H_VECTOR] = {.name = "vector"},
                                                [H_ASM] = {.name = "asm"},
                                                [H_CODE] = {.name = "code"},
                                                [H_RELOCATIONS] = {.name = "relocations"},
                                                [H_SOURCE] = {.name = "source"}};
    if (!input_map(&reader->input, node, "a handler", fields, HANDLER_FIELD_COUNT))
        return;
    uint64_t vector = 0;
    uint32_t first = 0, count = 0;
    struct handler_entry *entry = &reader->handler_entries[reader->handler_entry_count++];
    if (!fields[H_CPU].value)
        input_error(&reader->input, node->place, "the handler has no 'cpu'");
    else if (!read_cpu_name(reader, fields[H_CPU].value, "cpu", true, &first, &count))
        count = 0;
    if (!fields[H_VECTOR].value)
        input_error(&reader->input, node->place, "the handler has no 'vector'");
    else if (!input_number(&reader->input, fields[H_VECTOR].value, "vector", 0, 255, &vector))
        count = 0;
    read_body(reader, node, "this handler", &fields[H_ASM], &fields[H_CODE], &entry->code);
    read_code_details(reader, &fields[H_CODE], &fields[H_RELOCATIONS], &fields[H_SOURCE],
                      &entry->code);
    entry->first = (uint32_t)program->handler_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!handler_fits(reader, node, first + i, (uint8_t)vector))
            break;
        program->handlers[program->handler_count++] =
            (struct handler){.cpu = first + i, .vector = (uint8_t)vector, .place = node->place};
        entry->count++;
    }
}

void read_handlers(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    if (!input_list(&reader->input, node, "handlers", "handlers"))
        return;
    size_t most = program->cpu_count * HANDLERS_PER_CPU;
    program->handlers = region_array(program->region, most, sizeof *program->handlers);
    /* Entries that add no handler are errors, but their assembly is still read. */
    reader->handler_entries =
        region_array(program->region, node->count, sizeof *reader->handler_entries);
    for (size_t i = 0; i < node->count; i++)
        read_handler(reader, node->items[i]);
}
