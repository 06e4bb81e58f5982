/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/instruction_bench.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include <capstone/capstone.h>

#include "sim/exec/native.h"

/* ---- the program under test: one instruction after the other, none is run in a row ---- */

enum { STEPS_MAX = 64 };

struct bench bench;

struct text {
    char *at;
    size_t size, capacity;
};

static void add_text(struct text *text, const char *words, size_t length)
{
    if (text->size + length + 1 > text->capacity) {
        text->capacity = 2 * (text->size + length + 1);
        text->at = realloc(text->at, text->capacity);
        if (!text->at)
            abort();
    }
    memcpy(text->at + text->size, words, length);
    text->size += length;
    text->at[text->size] = 0;
}

static void add_line(struct text *text, const char *mnemonic, size_t length, const char *operands,
                     size_t operands_length)
{
    add_text(text, "      ", 6);
    add_text(text, mnemonic, length);
    add_text(text, " ", 1);
    add_text(text, operands, operands_length);
    add_text(text, "\n", 1);
}

/* The length of the next mnemonic, with its prefix. */
static size_t mnemonic_length(const char *words)
{
    size_t first = strcspn(words, " ");
    bool prefix = strncmp(words, "lock", first) == 0 || strncmp(words, "rep", 3) == 0;
    return prefix ? first + 1 + strcspn(words + first + 1, " ") : first;
}

static void add_group(struct text *text, const struct instruction_group *group)
{
    const char *mnemonic = group->mnemonics;
    while (*mnemonic) {
        size_t length = mnemonic_length(mnemonic);
        for (const char *operands = group->operands;;) {
            size_t size = strcspn(operands, "|");
            add_line(text, mnemonic, length, operands, size);
            if (!operands[size])
                break;
            operands += size + 1;
        }
        mnemonic += length + (mnemonic[length] != 0);
    }
}

void bench_open(const char *lines)
{
    static const char head[] = "trace: 1\nname: bench\nmemory:\n  data: {size: 4096}\n"
                               "cpus:\n  - name: P0\n    asm: |\n";
    struct text text = {0};
    add_text(&text, head, sizeof head - 1);
    add_text(&text, lines, strlen(lines));
    reading_open(&bench.reading, text.at);
    free(text.at);
    struct diagnostics *diagnostics = &bench.reading.diagnostics;
    if (diagnostics->count == 0)
        assemble(&bench.reading.sources, diagnostics);
    if (diagnostics->count == 0)
        trace_finish(bench.reading.program, diagnostics);
    for (size_t i = 0; i < diagnostics->count; i++)
        printf("%u: %s\n", diagnostics->items[i].place.line, diagnostics->items[i].message);
    CU_ASSERT_EQUAL_FATAL(diagnostics->count, 0);
    bench.exec = exec_open(&bench.reading.region, bench.reading.program);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bench.exec);
    code_init(&bench.code, &bench.reading.region, bench.reading.program->variants[0].code[0]);
    CU_ASSERT_EQUAL_FATAL(code_sweep(&bench.code), bench.code.snippet->size);
}

void bench_open_group(const struct instruction_group *group)
{
    struct text text = {0};
    add_group(&text, group);
    bench_open(text.at);
    free(text.at);
}

void bench_close(void) { reading_close(&bench.reading); }

static uint8_t *bench_bytes(uint64_t address)
{
    return address >= STACK_BASE ? bench.stack + (address - STACK_BASE)
                                 : bench.data + (address - OBJECT_BASE);
}

static void read_bench(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    (void)context;
    bench.loaded += size;
    memcpy(data, bench_bytes(address), size);
}

enum exec_status bench_step(const struct insn *insn, struct registers *registers)
{
    struct exec_result result;
    registers->rip = insn->address;
    bench.loaded = bench.stored = 0;
    for (int i = 0; i < STEPS_MAX; i++) {
        exec_step(bench.exec, insn, registers, read_bench, NULL, &result);
        if (result.status != EXEC_OK)
            return result.status;
        for (unsigned k = 0; k < result.count; k++)
            if (result.accesses[k].write) {
                bench.stored += result.accesses[k].size;
                memcpy(bench_bytes(result.accesses[k].address), result.accesses[k].data,
                       result.accesses[k].size);
            }
        if (registers->rip != insn->address || (!insn->rep && !insn->repne))
            break;
    }
    return EXEC_OK;
}

/* ---- random inputs ---- */

static uint64_t random_state = 1;

uint64_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned below(unsigned limit) { return (unsigned)(random_word() >> 33) % limit; }

static uint64_t random_value(void)
{
    static const uint64_t edges[] = {0,          1,      UINT64_MAX, INT64_MAX, UINT64_C(1) << 63,
                                     0x80,       0x8000, 0x80000000, 0xff,      0xffff,
                                     UINT32_MAX, 31,     32,         63,        64};
    unsigned choice = below(8);
    if (choice < 3)
        return edges[below(sizeof edges / sizeof edges[0])];
    return choice == 3 ? random_word() & 0x7f : random_word();
}

static uint64_t random_floats(void)
{
    static const double doubles[] = {0.0, -0.0, 1.0, -2.5, 1e300, 123456.75, -0x1p-1070, 0x1p63};
    static const float floats[] = {0.0f, -0.0f, 1.0f, -2.5f, 1e38f, 1234.75f, -0x1p-140f, 0x1p31f};
    static const uint64_t special[] = {UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000001),
                                       UINT64_C(0x7ff0000000000001), UINT64_C(0x7f8000007fc00001),
                                       UINT64_C(0x7f800001ff800000), UINT64_C(0x6162636465666768)};
    uint64_t value = 0;
    float pair[2] = {floats[below(8)], floats[below(8)]};
    switch (below(4)) {
    case 0:
        memcpy(&value, &doubles[below(8)], 8);
        return value;
    case 1:
        memcpy(&value, pair, 8);
        return value;
    case 2:
        return special[below(6)];
    default:
        return random_value();
    }
}

static void random_vectors(struct registers *registers)
{
    for (unsigned i = 0; i < 16; i++)
        for (unsigned half = 0; half < 2; half++) {
            registers->xmm[i][half] = random_floats();
            registers->ymm_high[i][half] = random_value();
        }
    for (unsigned i = 0; i < 4; i++) { /* for comparisons to find something equal */
        unsigned from = below(4), to = below(4);
        memcpy(registers->xmm[to], registers->xmm[from], 16);
        memcpy(registers->ymm_high[to], registers->ymm_high[from], 16);
    }
}

static void random_memory(const struct registers *registers)
{
    for (unsigned at = 0; at < DATA_BYTES; at += 8) {
        uint64_t value = random_floats();
        memcpy(bench.data + at, &value, 8);
    }
    if (below(2))
        memcpy(bench.data + DATA_MIDDLE, &registers->gpr[0], 8);
    if (below(2))
        memcpy(bench.data + DATA_MIDDLE + 8, &registers->gpr[2], 8);
    if (below(4) == 0)
        memcpy(bench.data + DATA_MIDDLE, registers->xmm[1], 16);
    if (below(2))
        memcpy(bench.data + 2 * DATA_MIDDLE - 8, bench.data + DATA_MIDDLE - 8, 24);
    for (unsigned at = 0; at < 128; at += 8) {
        uint64_t value = random_value();
        memcpy(bench.stack + STACK_TOP_OFFSET + at, &value, 8);
    }
}

void random_input(const struct insn *insn, struct registers *registers)
{
    memset(registers, 0, sizeof *registers);
    for (unsigned i = 0; i < 16; i++)
        registers->gpr[i] = random_value();
    if (below(4) == 0)
        registers->gpr[0] = registers->gpr[1];
    random_vectors(registers);
    registers->gpr[3] = insn->id == X86_INS_XLATB ? OBJECT_BASE : registers->gpr[3];
    registers->gpr[4] = STACK_BASE + STACK_TOP_OFFSET;
    registers->gpr[5] = insn->id == X86_INS_LEAVE ? registers->gpr[4] + 16 : registers->gpr[5];
    registers->gpr[6] = OBJECT_BASE + 2 * DATA_MIDDLE;
    registers->gpr[7] = OBJECT_BASE + DATA_MIDDLE;
    if (insn->rep || insn->repne)
        registers->gpr[1] &= 15;
    registers->rflags = 0x202 | (random_word() & STATUS_FLAGS);
    if (insn->class == INSN_STRING && below(2))
        registers->rflags |= DIRECTION;
    random_memory(registers);
    if (insn->id == X86_INS_POPFQ) { /* no trap flag for the host */
        uint64_t flags = 0x202 | (random_word() & (STATUS_FLAGS | DIRECTION));
        memcpy(bench.stack + STACK_TOP_OFFSET, &flags, 8);
    }
}
