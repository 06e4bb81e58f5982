/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random programs, and how they are written as traces. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/property.h"

struct random {
    uint64_t state;
};

/* splitmix64 */
static uint64_t next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned below(struct random *random, unsigned limit)
{
    return (unsigned)(next(random) % limit);
}

/* A few accesses that most operations of a program share, so that threads meet. */
struct palette {
    unsigned count;
    struct op accesses[3];
};

/* Mostly the beginnings of words, sometimes across a boundary. */
static void choose_access(struct random *random, struct op *op)
{
    static const unsigned places[] = {0, 8, 16, 0, 8, 16, 2, 4, 6, 7, 12, 13, 14, 15, 20};
    op->size = 1u << below(random, 4);
    op->offset = places[below(random, sizeof places / sizeof places[0])];
    if (op->offset + op->size > WINDOW_BYTES)
        op->offset = WINDOW_BYTES - op->size;
}

static struct op random_op(struct random *random, const struct palette *palette, unsigned left)
{
    static const enum op_kind rare[] = {OP_ADD,          OP_LOCK_ADD, OP_LOCK_XADD, OP_XCHG,
                                        OP_LOCK_CMPXCHG, OP_MFENCE,   OP_BRANCH,    OP_ADD};
    static const enum op_kind common[] = {OP_STORE, OP_STORE_NUMBER, OP_LOAD, OP_LOAD};
    bool is_rare = below(random, 4) == 0;
    struct op op = {.kind = is_rare ? rare[below(random, 8)] : common[below(random, 4)]};
    if (op.kind == OP_BRANCH && left < 2)
        op.kind = OP_LOAD;
    const struct op *shared = &palette->accesses[below(random, palette->count)];
    op.offset = shared->offset;
    op.size = shared->size;
    if (below(random, 6) == 0)
        choose_access(random, &op);
    op.reg = 1 + below(random, REGISTERS - 1);
    op.number = 1 + below(random, 100);
    op.skip = left < 2 ? 0 : 1 + below(random, left - 1);
    return op;
}

struct sample sample_random(uint64_t seed)
{
    struct random random = {seed};
    struct sample sample;
    struct palette palette = {.count = 2 + below(&random, 2)};
    memset(&sample, 0, sizeof sample);
    sample.threads = 2 + (below(&random, 3) == 0);
    for (unsigned i = 0; i < palette.count; i++)
        choose_access(&random, &palette.accesses[i]);
    for (unsigned thread = 0; thread < sample.threads; thread++) {
        unsigned most = sample.threads == 2 ? 5 : 4;
        sample.count[thread] = most - below(&random, 3);
        for (unsigned i = 0; i < sample.count[thread]; i++)
            sample.ops[thread][i] = random_op(&random, &palette, sample.count[thread] - i);
        for (unsigned reg = 0; reg < REGISTERS; reg++)
            sample.registers[thread][reg] = below(&random, 3) ? next(&random) : 0;
        if (below(&random, 2)) /* a comparison that is likely to succeed, but for the high half */
            sample.registers[thread][0] &= UINT64_C(0xffffffff00000000);
    }
    return sample;
}

bool sample_with_fence(const struct sample *sample, uint64_t seed, struct sample *fenced)
{
    struct random random = {seed};
    unsigned thread = below(&random, sample->threads);
    unsigned count = sample->count[thread], at = below(&random, count + 1);
    *fenced = *sample;
    if (count == OPS_MAX)
        return false;
    struct op *ops = fenced->ops[thread];
    memmove(ops + at + 1, ops + at, (count - at) * sizeof *ops);
    ops[at] = (struct op){.kind = OP_MFENCE};
    fenced->count[thread]++;
    /* A branch over the place skips the fence as well. */
    for (unsigned i = 0; i < at; i++)
        if (ops[i].kind == OP_BRANCH && i + ops[i].skip >= at)
            ops[i].skip++;
    return true;
}

struct sample sample_permuted(const struct sample *sample, const unsigned *order)
{
    struct sample permuted = *sample;
    for (unsigned thread = 0; thread < sample->threads; thread++) {
        permuted.count[thread] = sample->count[order[thread]];
        memcpy(permuted.ops[thread], sample->ops[order[thread]], sizeof permuted.ops[thread]);
        memcpy(permuted.registers[thread], sample->registers[order[thread]],
               sizeof permuted.registers[thread]);
    }
    return permuted;
}

void sample_make_alike(struct sample *sample, unsigned count)
{
    for (unsigned thread = 1; thread < count; thread++) {
        sample->count[thread] = sample->count[0];
        memcpy(sample->ops[thread], sample->ops[0], sizeof sample->ops[0]);
        memcpy(sample->registers[thread], sample->registers[0], sizeof sample->registers[0]);
    }
}

struct writer {
    char *text;
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format,
                                                      ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length >= sizeof line)
        abort();
    if (writer->length + length + 1 > writer->capacity) {
        writer->capacity = (writer->capacity + length) * 2 + 64;
        writer->text = realloc(writer->text, writer->capacity);
        if (!writer->text)
            abort();
    }
    memcpy(writer->text + writer->length, line, length + 1);
    writer->length += length;
}

static const char *register_name(unsigned reg, unsigned size)
{
    static const char *const names[REGISTERS][4] = {{"al", "ax", "eax", "rax"},
                                                    {"r8b", "r8w", "r8d", "r8"},
                                                    {"r9b", "r9w", "r9d", "r9"},
                                                    {"r10b", "r10w", "r10d", "r10"},
                                                    {"r11b", "r11w", "r11d", "r11"}};
    return names[reg][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

static void put_op(struct writer *writer, const struct op *op, unsigned index)
{
    static const char *const sizes[] = {[1] = "byte", [2] = "word", [4] = "dword", [8] = "qword"};
    const char *reg = register_name(op->reg, op->size ? op->size : 8);
    char memory[64];
    snprintf(memory, sizeof memory, "%s ptr [rdi+%u]", op->size ? sizes[op->size] : "",
             WINDOW_BASE + op->offset);
    put(writer, "      l%u: ", index);
    switch (op->kind) {
    case OP_STORE:
        put(writer, "mov %s, %s\n", memory, reg);
        break;
    case OP_STORE_NUMBER:
        put(writer, "mov %s, %u\n", memory, op->number);
        break;
    case OP_LOAD:
        put(writer, "mov %s, %s\n", reg, memory);
        break;
    case OP_ADD:
        put(writer, "add %s, %u\n", memory, op->number);
        break;
    case OP_LOCK_ADD:
        put(writer, "lock add %s, %u\n", memory, op->number);
        break;
    case OP_LOCK_XADD:
        put(writer, "lock xadd %s, %s\n", memory, reg);
        break;
    case OP_XCHG:
        put(writer, "xchg %s, %s\n", memory, reg);
        break;
    case OP_LOCK_CMPXCHG:
        put(writer, "lock cmpxchg %s, %s\n", memory, reg);
        break;
    case OP_MFENCE:
        put(writer, "mfence\n");
        break;
    case OP_BRANCH:
        put(writer, "test %s, %s\n      jz l%u\n", register_name(op->reg, 8),
            register_name(op->reg, 8), index + 1 + op->skip);
        break;
    case OP_KINDS:
        abort();
    }
}

static void put_thread(struct writer *writer, const struct sample *sample, unsigned thread,
                       const char *area)
{
    put(writer, "  - name: T%u\n    regs: {rdi: %s", thread, area);
    for (unsigned reg = 0; reg < REGISTERS; reg++)
        put(writer, ", %s: 0x%" PRIx64, register_name(reg, 8), sample->registers[thread][reg]);
    put(writer, "}\n    asm: |\n");
    for (unsigned i = 0; i < sample->count[thread]; i++)
        put_op(writer, &sample->ops[thread][i], i);
    put(writer, "      l%u: nop\n", sample->count[thread]);
}

char *sample_trace(const struct sample *sample, bool renamed)
{
    struct writer writer = {NULL, 0, 0};
    const char *area = renamed ? "other" : "area", *word = renamed ? "v" : "w";
    put(&writer, "trace: 1\nname: random\nmemory:\n");
    if (renamed)
        put(&writer, "  before: {size: 200}\n");
    put(&writer, "  %s: {size: 128}\n", area);
    for (unsigned i = 0; i < WINDOW_WORDS; i++)
        put(&writer, "  %s%u: {at: %s+%u, size: 8}\n", word, i, area, WINDOW_BASE + 8 * i);
    put(&writer, "cpus:\n");
    for (unsigned thread = 0; thread < sample->threads; thread++)
        put_thread(&writer, sample, thread, area);
    put(&writer, "observe: [");
    for (unsigned thread = 0; thread < sample->threads; thread++)
        for (unsigned reg = 0; reg < REGISTERS; reg++)
            put(&writer, "T%u:%s, ", thread, register_name(reg, 8));
    for (unsigned i = 0; i < WINDOW_WORDS; i++)
        put(&writer, "%s%u%s", word, i, i + 1 < WINDOW_WORDS ? ", " : "]\n");
    return writer.text;
}
