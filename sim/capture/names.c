/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects of a capture, and names for them that a trace can use. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/capture/capture.h"
#include "sim/program/layout.h"

int capture_object_named(const struct capture *capture, const char *name)
{
    for (size_t i = 0; i < capture->object_count; i++)
        if (strcmp(capture->objects[i].name, name) == 0)
            return (int)i;
    return NO_INDEX;
}

/* Whether a line that the user adds to `memory:` is about that name. */
static bool is_users(const struct capture *capture, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < capture->memory_count; i++)
        if (strncmp(capture->memory[i], name, length) == 0 && capture->memory[i][length] == ':')
            return true;
    return false;
}

const char *capture_name(const struct capture *capture, const char *wanted)
{
    enum { STEM_MAX = NAME_MAX_BYTES - 8 };
    char stem[STEM_MAX + 3];
    size_t length = 0;
    if (isdigit((unsigned char)*wanted) || name_is_reserved(wanted) || !*wanted)
        length = (size_t)snprintf(stem, sizeof stem, "v_");
    for (; *wanted && length < STEM_MAX; wanted++)
        stem[length++] = (char)(isalnum((unsigned char)*wanted) ? *wanted : '_');
    stem[length] = '\0';
    const char *name = region_strdup(capture->region, stem);
    for (unsigned n = 2; capture_object_named(capture, name) != NO_INDEX || is_users(capture, name);
         n++)
        name = region_printf(capture->region, "%s_%u", stem, n);
    return name;
}

int capture_add_object(struct capture *capture, const char *wanted, uint64_t size)
{
    const char *name = capture_name(capture, wanted);
    capture->objects = region_push(capture->region, capture->objects, capture->object_count,
                                   &capture->object_capacity, sizeof *capture->objects);
    capture->objects[capture->object_count] =
        (struct capture_object){.name = name, .parent = NO_INDEX, .size = size, .alignment = 1};
    return (int)capture->object_count++;
}

void capture_add_pointer(struct capture *capture, int object, uint64_t offset, int target,
                         int64_t addend)
{
    struct capture_object *owner = &capture->objects[object];
    owner->pointers = region_push(capture->region, owner->pointers, owner->pointer_count,
                                  &owner->pointer_capacity, sizeof *owner->pointers);
    owner->pointers[owner->pointer_count++] = (struct capture_pointer){offset, target, addend};
}

void capture_set_bytes(struct capture *capture, int object, uint64_t offset, uint64_t size,
                       uint64_t value)
{
    struct capture_object *owner = &capture->objects[object];
    uint64_t bytes = owner->init_size > offset + size ? owner->init_size : offset + size;
    uint8_t *init = region_alloc(capture->region, bytes);
    if (owner->init_size)
        memcpy(init, owner->init, owner->init_size);
    for (uint64_t i = 0; i < size; i++)
        init[offset + i] = (uint8_t)(value >> 8 * i);
    owner->init = init;
    owner->init_size = bytes;
}

void capture_note(struct capture *capture, struct capture_cpu *cpu, const char *format, ...)
{
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cpu->notes = region_push(capture->region, cpu->notes, cpu->note_count, &cpu->note_capacity,
                             sizeof *cpu->notes);
    cpu->notes[cpu->note_count++] = region_strdup(capture->region, text);
}
