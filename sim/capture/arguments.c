/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which arguments a function reads: those that nobody gave are pointed out. */
#include <string.h>

#include "sim/capture/capture.h"
#include "sim/isa/insn.h"

enum { ARGUMENTS = 6 };

/* The general registers that arguments are passed in, in their order. */
static const uint8_t argument_registers[ARGUMENTS] = {7, 6, 2, 1, 8, 9};
static const char *const argument_names[ARGUMENTS] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};

struct walk {
    struct code code;
    uint16_t *written; /* by offset: what was written on every way there that was seen */
    bool *seen;
    uint32_t *waiting;
    size_t waiting_count;
    bool calls_keep;     /* what is called may leave registers as they are */
    uint16_t read_first; /* registers that are read before they are written */
};

static void reach(struct walk *walk, uint64_t offset, uint16_t written)
{
    if (offset >= walk->code.snippet->size)
        return;
    if (walk->seen[offset] && (walk->written[offset] & written) == walk->written[offset])
        return;
    walk->written[offset] =
        walk->seen[offset] ? (uint16_t)(walk->written[offset] & written) : written;
    walk->seen[offset] = true;
    walk->waiting[walk->waiting_count++] = (uint32_t)offset;
}

/* A register is pushed and xored with itself without its value being used. */
static bool only_saves(const struct insn *insn)
{
    return insn->zero_idiom || strncmp(insn->mnemonic, "push", 4) == 0;
}

static void step(struct walk *walk, uint32_t offset)
{
    const struct insn *insn = code_at(&walk->code, offset);
    uint16_t written = walk->written[offset];
    if (!insn)
        return;
    if (!only_saves(insn))
        walk->read_first |= (uint16_t)((uint16_t)insn->reads & (uint16_t)~written);
    written |= (uint16_t)insn->writes;
    if (insn->is_branch && insn->has_target)
        reach(walk, insn->target, written);
    if (!insn->is_branch || insn->is_conditional || insn->is_call)
        reach(walk, offset + (uint64_t)insn->length,
              insn->is_call && !walk->calls_keep ? (uint16_t)(written | 0x0fc7)
                                                 : written); /* it may have lost them */
}

uint16_t capture_read_first(struct region *region, uint8_t *bytes, uint32_t size, bool calls_keep)
{
    struct snippet snippet = {.bytes = bytes, .size = size};
    struct walk walk = {.calls_keep = calls_keep};
    code_init(&walk.code, region, &snippet);
    walk.written = region_array(region, size + (size_t)1, sizeof *walk.written);
    walk.seen = region_array(region, size + (size_t)1, sizeof *walk.seen);
    /* An offset waits again only when its mask lost a bit: at most 17 times. */
    walk.waiting = region_array(region, (size + (size_t)1) * 18, sizeof *walk.waiting);
    reach(&walk, 0, 0);
    while (walk.waiting_count)
        step(&walk, walk.waiting[--walk.waiting_count]);
    return walk.read_first;
}

void capture_check_arguments(struct capture *capture, struct capture_cpu *cpu,
                             const char *const *parameters, size_t parameter_count)
{
    struct region *scratch = region_child(capture->region);
    uint16_t read = cpu->size ? capture_read_first(scratch, cpu->bytes, cpu->size, false) : 0;
    region_release(scratch);
    for (size_t i = 0; i < ARGUMENTS; i++) {
        const char *what = i < parameter_count ? parameters[i] : NULL;
        if (!(read >> argument_registers[i] & 1) || cpu->registers[argument_registers[i]])
            continue;
        capture_note(capture, cpu, "%s%s%s%s is read but was not given: it is 0 (--arg %s:%s=...)",
                     argument_names[i], what ? " (" : "", what ? what : "", what ? ")" : "",
                     cpu->name, argument_names[i]);
    }
}
