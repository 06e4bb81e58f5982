/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of the data is observed: integers and pointers, under names that say what they are. */
#include <inttypes.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/lines.h"

enum { FIELDS_MAX = 64, WORDS_MAX = 8, WORD = 8 };

void add_variable(struct elf_capture *elf, int object, struct binary *binary, const char *name)
{
    elf->variables = region_push(elf->region, elf->variables, elf->variable_count,
                                 &elf->variable_capacity, sizeof *elf->variables);
    elf->variables[elf->variable_count++] = (struct variable){object, binary, name};
}

static bool is_integer(uint64_t size) { return size <= WORD && (size & (size - 1)) == 0; }

static size_t fields_of(struct elf_capture *elf, int object, struct variable_field *fields)
{
    const struct capture_object *whole = &elf->capture.objects[object];
    for (size_t i = 0; i < elf->variable_count; i++)
        if (elf->variables[i].object == object)
            return lines_fields(elf->variables[i].binary, elf->variables[i].name, whole->size,
                                fields, FIELDS_MAX);
    return 0;
}

/* Without names: the words that it consists of, and the bytes behind the last whole one. */
static size_t words_of(const struct elf_capture *elf, uint64_t size, struct variable_field *fields)
{
    size_t count = 0;
    for (uint64_t at = 0; at < size && size <= WORDS_MAX * WORD; count++) {
        uint64_t bytes = size - at < WORD ? 1 : WORD;
        fields[count] =
            (struct variable_field){region_printf(elf->region, "at_%" PRIu64, at), at, bytes};
        at += bytes;
    }
    return count;
}

static void add_field(struct elf_capture *elf, int object, const struct variable_field *field)
{
    struct capture *capture = &elf->capture;
    const struct capture_object whole = capture->objects[object];
    int name = capture_add_object(
        capture, region_printf(elf->region, "%s_%s", whole.name, field->name), field->size);
    capture->objects[name].parent = whole.parent == NO_INDEX ? object : whole.parent;
    capture->objects[name].offset = whole.offset + field->offset;
    capture->objects[name].observed = true;
}

void observe_fields(struct elf_capture *elf)
{
    size_t count = elf->capture.object_count;
    struct variable_field *fields = region_array(elf->region, FIELDS_MAX, sizeof *fields);
    for (size_t i = 0; i < count; i++) {
        const struct capture_object object = elf->capture.objects[i];
        if (!object.observed)
            continue;
        size_t found = fields_of(elf, (int)i, fields);
        if (found == 1 && fields[0].size == object.size)
            continue;
        if (found == 0 && is_integer(object.size))
            continue;
        if (found == 0)
            found = words_of(elf, object.size, fields);
        elf->capture.objects[i].observed = false;
        if (found == 0)
            elf->capture.objects[i].note = "too large to be observed; --memory names parts of it";
        for (size_t n = 0; n < found; n++)
            add_field(elf, (int)i, &fields[n]);
    }
}
