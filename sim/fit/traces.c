/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measured loop as the text of a trace. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/fit/fit.h"

/* A block of lines without their own indentation; `key` ends with ": ". Returns its first line. */
static void add_block(struct text *out, const char *key, const char *lines)
{
    text_printf(out, "    %s|\n", key);
    do {
        size_t length = strcspn(lines, "\n"), blank = strspn(lines, " \t");
        blank = blank < length ? blank : length;
        text_add(out, "      ");
        text_add_bytes(out, lines + blank, length - blank);
        text_add(out, "\n");
        lines += length;
    } while (*lines++ == '\n');
}

static uint32_t line_after(const struct text *text)
{
    uint32_t line = 1;
    for (size_t i = 0; i < text->length; i++)
        line += text->data[i] == '\n';
    return line;
}

const char *loop_trace(struct region *region, const struct loop_text *text, uint64_t iterations,
                       uint32_t *setup_line, uint32_t *code_line)
{
    struct text out;
    text_init(&out, region);
    text_printf(&out, "trace: 1\nname: loop\nsyntax: %s\n", text->att ? "att" : "intel");
    if (text->memory)
        text_printf(&out, "memory: %s\n", text->memory);
    text_add(&out, "cpus:\n  - name: P0\n");
    if (text->regs)
        text_printf(&out, "    regs: %s\n", text->regs);
    *setup_line = *code_line = 0;
    if (text->setup && *text->setup) {
        *setup_line = line_after(&out);
        add_block(&out, "setup: ", text->setup);
    }
    *code_line = line_after(&out);
    add_block(&out, "asm: ", text->code);
    text_printf(&out, "loop: {cpu: P0, iterations: %llu}\n", (unsigned long long)iterations);
    return out.data;
}

/* ---- the memory of loops as they were measured ---- */

enum { SLOTS = 13, SLOT_SEED = 12 };

/* What the context's pointers, at 8 bytes each from r14, are to. */
static const struct {
    const char *name, *object;
} slots[SLOTS] = {
    {"A", NULL},
    {"B", NULL},
    {"l2a", "{size: 128KiB, init: chase, resident: L2}"},
    {"l2b", "{size: 128KiB, init: chase, resident: L2}"},
    {"l3a", "{size: 2MiB, init: chase, resident: L3}"},
    {"l3b", "{size: 2MiB, init: chase, resident: L3}"},
    {"da", "{size: 2MiB, init: chase, resident: DRAM}"},
    {"db", "{size: 2MiB, init: chase, resident: DRAM}"},
    {"dram", "{size: 4MiB, resident: DRAM}"},
    {"l2", "{size: 256KiB, resident: L2}"},
    {"l3", "{size: 4MiB, resident: L3}"},
    {"nt", "{size: 64MiB, resident: DRAM}"},
    [SLOT_SEED] = {"0x2545f491", NULL},
};

/* Marks the slots that "N(%r14)" names in the setup. */
static bool find_slots(const char *setup, bool used[SLOTS])
{
    static const char base[] = "(%r14)";
    for (const char *at = setup; (at = strstr(at, base)); at += sizeof base - 1) {
        const char *digits = at;
        while (digits > setup && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        unsigned long slot = strtoul(digits, NULL, 10) / 8;
        if (digits == at)
            slot = 0;
        if (slot >= SLOTS)
            return false;
        used[slot] = true;
    }
    return true;
}

bool loop_context(struct region *region, struct loop_text *text)
{
    bool used[SLOTS] = {[0] = true, [1] = true, [SLOT_SEED] = true};
    struct text memory, words;
    if (!find_slots(text->setup, used))
        return false;
    text_init(&memory, region);
    text_init(&words, region);
    text_add(&memory,
             "{A: {size: 2MiB, align: 2MiB}, B: {at: A+0x8800, size: 64KiB}, x: {size: 8}");
    for (size_t i = 0; i < SLOTS; i++) {
        text_printf(&words, "%s%s", i ? ", " : "", used[i] ? slots[i].name : "0");
        if (used[i] && slots[i].object)
            text_printf(&memory, ", %s: %s", slots[i].name, slots[i].object);
    }
    text_printf(&memory, ", ctx: {size: %d, init: [%s]}}", SLOTS * 8, words.data);
    text->memory = memory.data;
    text->regs = "{rdi: A, rsi: B, r14: ctx}";
    text->att = true;
    return true;
}
