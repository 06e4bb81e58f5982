/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that name data: what registers and objects hold at the start. */
#include "sim/capture/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/capture/percpu.h"

/* ---- names in options ---- */

static bool is_users_object(const struct elf_capture *elf, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < elf->options->memory_count; i++)
        if (strncmp(elf->options->memory[i], name, length) == 0 &&
            elf->options->memory[i][length] == ':')
            return true;
    return false;
}

/* "NAME" or "NAME+N". */
static bool split_name(struct elf_capture *elf, const char *text, const char **name,
                       uint64_t *distance)
{
    size_t length = strcspn(text, "+");
    char *end;
    *name = region_strndup(elf->region, text, length);
    *distance = 0;
    if (!length || isdigit((unsigned char)*text))
        return false;
    if (!text[length])
        return true;
    *distance = strtoull(text + length + 1, &end, 0);
    return end != text + length + 1 && !*end;
}

/* What a name of the files' stands for; false when they have no such data, or when each CPU has
 * its own (`target->kind` says that it is per-CPU data then). */
static bool target_of_name(struct elf_capture *elf, const char *name, struct target *target)
{
    *target = (struct target){.kind = TARGET_NONE, .name = ""};
    for (size_t i = 0; i < elf->inputs.binary_count; i++) {
        struct binary *binary = elf->inputs.binaries[i];
        const struct binary_symbol *symbol = binary_find(binary, name);
        if (!symbol || !symbol_is_defined(symbol))
            continue;
        *target = target_of_symbol(elf, binary, (uint32_t)(symbol - binary->symbols), 0);
        return target->kind != TARGET_TLS && target->kind != TARGET_PERCPU;
    }
    for (size_t i = 0; i < elf->loose_count; i++)
        if (strcmp(elf->looses[i].name, name) == 0) {
            *target = (struct target){.kind = TARGET_LOOSE, .loose = i, .name = name};
            return true;
        }
    return false;
}

static bool looks_like_number(const char *text)
{
    return isdigit((unsigned char)text[*text == '-']);
}

/* A value that may be the address of the files' data is needed before objects are made. */
void need_value(struct elf_capture *elf, const char *value)
{
    const char *name;
    uint64_t distance;
    struct target target;
    if (!looks_like_number(value) && split_name(elf, value, &name, &distance) &&
        !is_users_object(elf, name) &&
        (target_of_name(elf, name, &target) || target.kind == TARGET_PERCPU))
        need_data(elf, &target, 0);
}

/* The object of the files' data by its name there, or in the trace ("P0_counter"). */
static bool find_object(struct elf_capture *elf, const char *name, int *object, int64_t *inside)
{
    struct target target;
    if (target_of_name(elf, name, &target))
        return object_of(elf, &target, object, inside);
    *object = capture_object_named(&elf->capture, name);
    *inside = 0;
    return *object != NO_INDEX;
}

/* A value as the trace has it: names of the files' data become those of the objects. */
static const char *value_text(struct elf_capture *elf, const char *what, const char *value)
{
    const char *name;
    uint64_t distance;
    struct target target;
    int object;
    int64_t inside;
    if (looks_like_number(value))
        return value;
    if (!split_name(elf, value, &name, &distance)) {
        elf_error(elf, NULL, "%s: found '%s', expected a number, or a name and +N", what, value);
        return "0";
    }
    if (is_users_object(elf, name))
        return value;
    if (find_object(elf, name, &object, &inside))
        return region_printf(elf->region, "%s+%" PRIu64, elf->capture.objects[object].name,
                             (uint64_t)inside + distance);
    target_of_name(elf, name, &target);
    if (target.kind == TARGET_PERCPU)
        return percpu_offset(elf, &target, &inside)
                   ? region_printf(elf->region, "%" PRIu64, (uint64_t)inside + distance)
                   : "0";
    elf_error(elf, NULL,
              "%s: found '%s', which the files do not have; --memory '%s: {size: N}' "
              "adds it",
              what, name, name);
    return "0";
}

static const char *after_equals(struct elf_capture *elf, const char *option, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals && equals[1])
        return equals + 1;
    elf_error(elf, NULL, "%s %s: expected NAME=VALUE", option, text);
    return NULL;
}

/* ---- arguments ---- */

static int register_number(const char *name)
{
    struct register_view view;
    if (strcmp(name, "fs_base") == 0)
        return CAPTURE_FS_BASE;
    if (strcmp(name, "gs_base") == 0)
        return CAPTURE_GS_BASE;
    if (!register_parse(name, &view) || view.file != REGISTER_GPR || view.width != 64)
        return -1;
    return view.index;
}

void set_argument(struct elf_capture *elf, const char *text)
{
    struct capture *capture = &elf->capture;
    const char *value = after_equals(elf, "--arg", text), *colon = strchr(text, ':');
    if (!value)
        return;
    if (!colon || colon > value) {
        elf_error(elf, NULL, "--arg %s: expected CPU:REGISTER=VALUE", text);
        return;
    }
    const char *cpu = region_strndup(elf->region, text, (size_t)(colon - text));
    const char *name = region_strndup(elf->region, colon + 1, (size_t)(value - colon - 2));
    int number = register_number(name);
    for (size_t i = 0; i < capture->cpu_count; i++) {
        if (strcmp(capture->cpus[i].name, cpu) != 0)
            continue;
        if (number < 0)
            elf_error(elf, NULL, "--arg %s: '%s' is no whole register such as rdi", text, name);
        else
            capture->cpus[i].registers[number] = value_text(elf, "--arg", value);
        return;
    }
    elf_error(elf, NULL, "--arg %s: there is no CPU '%s'", text, cpu);
}

/* ---- initial values ---- */

/* The object that has bytes of its own, and where in it. */
static struct capture_object *owner_of(struct capture *capture, int object, uint64_t *offset)
{
    struct capture_object *found = &capture->objects[object];
    if (found->parent == NO_INDEX)
        return found;
    *offset += found->offset;
    return &capture->objects[found->parent];
}

static void drop_pointers(struct capture_object *object, uint64_t offset, uint64_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < object->pointer_count; i++)
        if (object->pointers[i].offset + 8 <= offset || object->pointers[i].offset >= offset + size)
            object->pointers[kept++] = object->pointers[i];
    object->pointer_count = kept;
}

/* As many bytes as the object has from there on, at most 8, and an integer's number of them. */
static uint64_t value_bytes(uint64_t left)
{
    return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* A number that `size` bytes hold, with or without a sign. */
static uint64_t initial_number(struct elf_capture *elf, const char *option, const char *value,
                               uint64_t size)
{
    char *end;
    bool negative = *value == '-';
    errno = 0;
    uint64_t number = strtoull(value, &end, 0);
    uint64_t most = UINT64_MAX >> (64 - 8 * size), least = most ^ (most >> 1);
    if (*end)
        elf_error(elf, NULL, "--init %s: '%s' is no number", option, value);
    else if (errno == ERANGE || (negative ? -number > least : number > most))
        elf_error(elf, NULL, "--init %s: %s does not fit into %" PRIu64 " byte%s", option, value,
                  size, size == 1 ? "" : "s");
    return number;
}

void set_initial(struct elf_capture *elf, const char *text)
{
    const char *name, *value = after_equals(elf, "--init", text);
    uint64_t offset, distance;
    int64_t inside, far;
    int object, to;
    if (!value)
        return;
    const char *place = region_strndup(elf->region, text, (size_t)(value - 1 - text));
    if (!split_name(elf, place, &name, &offset) || !find_object(elf, name, &object, &inside)) {
        elf_error(elf, NULL, "--init %s: the code refers to no data named '%s'", text, name);
        return;
    }
    offset += (uint64_t)inside;
    struct capture *capture = &elf->capture;
    if (offset >= capture->objects[object].size) {
        elf_error(elf, NULL, "--init %s: '%s' has %" PRIu64 " bytes", text, name,
                  capture->objects[object].size);
        return;
    }
    uint64_t size = value_bytes(capture->objects[object].size - offset);
    struct capture_object *owner = owner_of(capture, object, &offset);
    drop_pointers(owner, offset, size);
    if (looks_like_number(value)) {
        capture_set_bytes(capture, (int)(owner - capture->objects), offset, size,
                          initial_number(elf, text, value, size));
    } else if (split_name(elf, value, &name, &distance) && find_object(elf, name, &to, &far) &&
               size == 8) {
        capture_add_pointer(capture, (int)(owner - capture->objects), offset, to,
                            far + (int64_t)distance);
    } else {
        elf_error(elf, NULL, "--init %s: expected a number, or data of the files for 8 bytes",
                  text);
    }
}
