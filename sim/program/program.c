/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions that later stages ask a program. */
#include "sim/program/program.h"

#include <inttypes.h>
#include <string.h>

static bool list_admits(const struct name_list *list, const char *name)
{
    if (list->count == 0 || !name)
        return true;
    bool found = false;
    for (size_t i = 0; i < list->count && !found; i++)
        found = strcmp(list->names[i], name) == 0;
    return found != list->except;
}

bool expectation_applies(const struct expectation *expectation, const char *variant,
                         const char *profile)
{
    return list_admits(&expectation->variants, variant) &&
           list_admits(&expectation->profiles, profile);
}

int program_object_at(const struct program *program, uint64_t address, uint64_t size)
{
    /* The last root that begins at or before the address is the only one that can cover it. */
    size_t low = 0, high = program->root_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (program->objects[program->roots[middle]].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NO_INDEX;
    uint32_t index = program->roots[low - 1];
    const struct object *object = &program->objects[index];
    uint64_t offset = address - object->address;
    return offset < object->size && size <= object->size - offset ? (int)index : NO_INDEX;
}

/* An `at:` name that covers the address; the reader of litmus tests has names of its own there. */
static bool is_inner_name(const struct object *object, uint64_t address)
{
    return object->parent != NO_INDEX && object->name[0] != '\0' && object->name[1] != '.' &&
           address - object->address < object->size;
}

const char *program_name_at(const struct program *program, struct region *region, uint64_t address)
{
    int best = program_object_at(program, address, 1);
    if (best == NO_INDEX)
        return NULL;
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        if (object->address == address)
            return object->name;
        if (is_inner_name(object, address) && object->address > program->objects[best].address)
            best = (int)i;
    }
    return region_printf(region, "%s+%" PRIu64, program->objects[best].name,
                         address - program->objects[best].address);
}

const struct snippet *program_snippet(const struct program *program, uint32_t variant, uint32_t cpu,
                                      uint32_t *offset, int *handler)
{
    const struct snippet *code = program->variants[variant].code[cpu];
    *handler = NO_INDEX;
    for (size_t i = 0; i < program->handler_count && *offset >= HANDLER_OFFSET; i++) {
        const struct snippet *snippet = program->variants[variant].handlers[i];
        uint64_t start = snippet->address - code->address;
        if (program->handlers[i].cpu != cpu || *offset < start || *offset >= start + snippet->size)
            continue;
        *offset -= (uint32_t)start;
        *handler = (int)i;
        return snippet;
    }
    return code;
}

const char *program_offset_text(const struct program *program, struct region *region,
                                uint32_t variant, uint32_t cpu, uint32_t offset)
{
    int handler;
    program_snippet(program, variant, cpu, &offset, &handler);
    return handler == NO_INDEX
               ? region_printf(region, "+%u", offset)
               : region_printf(region, "0x%x+%u", program->handlers[handler].vector, offset);
}

const char *program_insn_name(const struct program *program, struct region *region,
                              uint32_t variant, uint32_t cpu, uint32_t offset)
{
    const char *place = program_offset_text(program, region, variant, cpu, offset);
    return region_printf(region, "%s%s%s", program->cpus[cpu].name, *place == '+' ? "" : " ",
                         place);
}

const char *snippet_source(const struct snippet *snippet, uint32_t offset)
{
    const char *source = "";
    for (size_t i = 0; i < snippet->source_count && snippet->sources[i].offset <= offset; i++)
        source = snippet->sources[i].text;
    return *source ? source : NULL;
}

const char *program_source(const struct program *program, uint32_t variant, uint32_t cpu,
                           uint32_t offset)
{
    int handler;
    const struct snippet *snippet = program_snippet(program, variant, cpu, &offset, &handler);
    return snippet_source(snippet, offset);
}

int program_cpu(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->cpu_count; i++)
        if (strcmp(program->cpus[i].name, name) == 0)
            return (int)i;
    return NO_INDEX;
}

int program_object(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->object_count; i++)
        if (strcmp(program->objects[i].name, name) == 0)
            return (int)i;
    return NO_INDEX;
}

int program_variant(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->variant_count; i++)
        if (strcmp(program->variants[i].name, name) == 0)
            return (int)i;
    return NO_INDEX;
}
