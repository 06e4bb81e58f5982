/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that are left out: stubs that return, traps that end what can be known. */
#include "sim/capture/stand_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_name(const char *name, size_t length, const char *other)
{
    return strncmp(other, name, length) == 0 && other[length] == '\0';
}

/* Functions that end the program: whoever gets there has not shown anything about ordering. */
static bool ends_program(const char *name, size_t length)
{
    static const char *const names[] = {"abort",          "panic",         "__assert_fail",
                                        "__assert",       "__libc_fatal",  "__stack_chk_fail",
                                        "__fortify_fail", "__libc_message"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_same_name(name, length, names[i]))
            return true;
    return false;
}

/* Whether a function of that name is left out. */
bool find_stand_in(const struct elf_capture *elf, const char *name, struct stand_in *found)
{
    const fs_capture_options *options = elf->options;
    size_t length = strcspn(name, "@");
    *found = (struct stand_in){.name = region_strndup(elf->region, name, length), .value = ""};
    if (!length)
        return false;
    for (size_t i = 0; i < options->stub_count; i++) {
        const char *stub = options->stubs[i];
        if (strncmp(stub, name, length) != 0 || (stub[length] != '\0' && stub[length] != '='))
            continue;
        found->value = stub[length] ? stub + length + 1 : "";
        return true;
    }
    for (size_t i = 0; i < options->trap_count && !found->traps; i++)
        found->traps = is_same_name(name, length, options->traps[i]);
    found->traps |= ends_program(name, length);
    return found->traps;
}

/* By any name of a place. */
bool stand_in_at(const struct elf_capture *elf, const struct binary *binary,
                 const struct binary_symbol *symbol, struct stand_in *found)
{
    const struct binary_section *section = &binary->sections[symbol->section];
    size_t i = binary_symbols_before(binary, section, symbol->value);
    for (; i < section->symbol_count; i++) {
        const struct binary_symbol *other = &binary->symbols[section->symbols[i]];
        if (other->value != symbol->value)
            return false;
        if (find_stand_in(elf, other->name, found))
            return true;
    }
    return false;
}

/* With '*', all that no file has. */
bool traps_unknown(const struct elf_capture *elf)
{
    for (size_t i = 0; i < elf->options->trap_count; i++)
        if (strcmp(elf->options->traps[i], "*") == 0)
            return true;
    return false;
}

/* Whether something in the code that was collected was left out by that name. */
static bool stands_in(const struct elf_capture *elf, const char *name)
{
    for (size_t i = 0; i < elf->code_count; i++)
        for (size_t n = 0; n < elf->codes[i].part_count; n++)
            if (!elf->codes[i].parts[n].place.binary &&
                strcmp(elf->codes[i].parts[n].name, name) == 0)
                return true;
    return false;
}

/* A name that is misspelt would leave nothing out, and nobody would notice. */
static void check_name(struct elf_capture *elf, const char *option, const char *text)
{
    const struct binary_symbol *symbol;
    const char *name = region_strndup(elf->region, text, strcspn(text, "="));
    if (strcmp(name, "*") == 0 || ends_program(name, strlen(name)) || stands_in(elf, name))
        return;
    for (size_t i = 0; i < elf->inputs.binary_count; i++) {
        const struct binary *binary = elf->inputs.binaries[i];
        if (binary_find(binary, name))
            return;
        for (size_t n = 0; n < binary->outside_count; n++) /* no symbols of the file's */
            if (is_same_name(binary->outside[n].name, strcspn(binary->outside[n].name, "@"), name))
                return;
    }
    if (!inputs_find(&elf->inputs, name, &symbol))
        elf_error(elf, NULL, "%s %s: no function is called that in the files, and none calls it",
                  option, text);
}

void check_stand_ins(struct elf_capture *elf)
{
    const fs_capture_options *options = elf->options;
    for (size_t i = 0; i < options->stub_count; i++)
        check_name(elf, "--stub", options->stubs[i]);
    for (size_t i = 0; i < options->trap_count; i++)
        check_name(elf, "--trap", options->traps[i]);
}

static void write_stub(struct elf_capture *elf, struct code_part *part, const char *value)
{
    if (!*value) {
        part->note = "a stub: returns at once with all registers as they are";
    } else {
        char *end;
        errno = 0;
        uint64_t number = strtoull(value, &end, 0);
        if (*end || end == value || errno == ERANGE)
            elf_error(elf, NULL, "--stub %s=%s: expected a number of 64 bits", part->name, value);
        part->bytes[0] = 0x48; /* movabs rax, number */
        part->bytes[1] = 0xb8;
        for (unsigned i = 0; i < 8; i++)
            part->bytes[2 + i] = (uint8_t)(number >> 8 * i);
        part->size = 10;
        part->note = region_printf(elf->region, "a stub: returns %s, does nothing else", value);
    }
    part->bytes[part->size++] = 0xc3; /* ret */
}

int stand_in_part(struct elf_capture *elf, struct cpu_code *code, const struct stand_in *stand_in)
{
    for (size_t i = 0; i < code->part_count; i++)
        if (!code->parts[i].place.binary && strcmp(code->parts[i].name, stand_in->name) == 0)
            return (int)i;
    struct code_part *part = new_part(elf, code);
    part->name = stand_in->name;
    part->bytes = region_alloc(elf->region, 16);
    if (stand_in->traps) {
        part->bytes[part->size++] = 0xcc; /* int3 */
        part->note = "left out; getting here makes the verdict unknown";
    } else {
        write_stub(elf, part, stand_in->value);
    }
    return (int)(code->part_count - 1);
}
