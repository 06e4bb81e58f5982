/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compilers make indirect branches and returns go through thunks of the kernel's (gcc's
 * -mindirect-branch=thunk-extern and -mfunction-return=thunk-extern), and functions begin with a
 * call for tracing. A kernel that starts on a part without the weakness puts the plain
 * instructions there (Linux, arch/x86/kernel/alternative.c), and NOPs for tracing.
 */
#include "sim/capture/thunks.h"

#include <string.h>

#include "sim/capture/patches.h"
#include "sim/capture/stand_in.h"
#include "sim/isa/insn.h"

enum { TRAP = 0xcc, INSN_BYTES_MAX = 15 };

/* What a thunk does: an instruction of at most 3 bytes, or nothing. */
struct thunk {
    uint8_t bytes[3], length;
    const char *sites; /* the section that lists its callers */
    const char *note;
};

static bool branch_to_register(const char *name, bool is_call, struct thunk *thunk)
{
    struct register_view view;
    if (!register_parse(name, &view) || view.file != REGISTER_GPR || view.width != 64)
        return false;
    unsigned low = view.index & 7u;
    if (view.index >= 8)
        thunk->bytes[thunk->length++] = 0x41; /* REX.B */
    thunk->bytes[thunk->length++] = 0xff;
    thunk->bytes[thunk->length++] = (uint8_t)((is_call ? 0xd0u : 0xe0u) | low);
    return true;
}

static bool find_thunk(const char *name, bool is_call, struct thunk *thunk)
{
    static const char *const indirect[] = {"__x86_indirect_thunk_", "__x86_indirect_call_thunk_",
                                           "__x86_indirect_jump_thunk_"};
    *thunk = (struct thunk){.length = 0};
    if (is_call && strcmp(name, "__fentry__") == 0) {
        thunk->sites = "__mcount_loc";
        return true;
    }
    if (!is_call && strcmp(name, "__x86_return_thunk") == 0) {
        thunk->bytes[thunk->length++] = 0xc3; /* ret */
        thunk->sites = ".return_sites";
        thunk->note = "return thunks are plain returns, as on parts without that mitigation";
        return true;
    }
    thunk->sites = ".retpoline_sites";
    thunk->note = "retpolines are plain indirect branches, as on parts without that mitigation";
    for (size_t i = 0; i < sizeof indirect / sizeof *indirect; i++) {
        size_t length = strlen(indirect[i]);
        if (strncmp(name, indirect[i], length) == 0 &&
            branch_to_register(name + length, is_call, thunk))
            return true;
    }
    return false;
}

/* The name of what a branch goes to, "" when none begins there. */
static const char *name_of(const struct target *target)
{
    if (target->kind == TARGET_NAME)
        return target->name;
    if (target->kind != TARGET_PLACE)
        return "";
    uint64_t offset = target->place.offset + (uint64_t)target->distance;
    const struct binary_symbol *symbol =
        binary_symbol_at(target->place.binary, target->place.section, offset, SYMBOL_CODE);
    return symbol && symbol->value == offset ? symbol->name : "";
}

/* One that a file has is taken as it is, unless its callers are listed to be patched. */
static bool is_replaced(const struct target *target, const struct code_part *part,
                        const struct thunk *thunk)
{
    const struct binary *binary = part->place.binary;
    if (target->kind == TARGET_NAME)
        return true;
    for (uint32_t i = 1; i < binary->section_count; i++)
        if (strcmp(binary->sections[i].name, thunk->sites) == 0)
            return true;
    return false;
}

static void put_thunk(uint8_t *bytes, const struct insn *insn, const struct thunk *thunk)
{
    uint8_t made[INSN_BYTES_MAX];
    uint32_t length = 0;
    if (insn->is_conditional) { /* a short jump of the opposite condition over it */
        made[length++] = (uint8_t)(0x70 | ((insn->bytes[insn->length - 5] & 15) ^ 1));
        made[length++] = thunk->length;
    }
    memcpy(made + length, thunk->bytes, thunk->length);
    length += thunk->length;
    memcpy(bytes, made, length);
    if (insn->is_call || insn->is_conditional)
        put_nops(bytes + length, insn->length - length);
    else
        memset(bytes + length, TRAP, insn->length - length);
}

bool replace_thunk(struct elf_capture *elf, struct code_part *part, const struct insn *insn,
                   uint32_t offset, const struct target *target)
{
    struct thunk thunk;
    struct stand_in stand_in;
    const char *name = name_of(target);
    if (insn->length < 5 || !find_thunk(name, insn->is_call, &thunk) ||
        !is_replaced(target, part, &thunk) || find_stand_in(elf, name, &stand_in))
        return false;
    put_thunk(part->bytes + offset, insn, &thunk);
    if (thunk.note && !(part->note && strstr(part->note, thunk.note)))
        add_part_note(elf, part, thunk.note);
    return true;
}
