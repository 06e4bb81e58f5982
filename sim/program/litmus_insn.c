/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of litmus tests as the assembler wants them, in AT&T syntax. X86_64 tests are
 * nearly that already; X86 tests have the operands the other way round. What an operand's
 * size is comes from the suffix, then from a register, then it is 4 bytes.
 */
#include <ctype.h>

#include "sim/program/litmus_operand.h"

enum { OPERANDS_MAX = 3, MNEMONIC_BYTES = 24 };

/* What is special about a mnemonic. */
enum trait {
    PLAIN = 0,
    SIZED = 1,     /* takes a suffix that says how wide it is */
    REVERSED = 2,  /* X86_64 tests give the destination first */
    NO_ACCESS = 4, /* its memory operand is not accessed */
    SHIFT = 8      /* its count has a size of its own */
};

static const struct mnemonic {
    const char *name;
    const char *code; /* what the assembler calls it, NULL: the same */
    unsigned traits;
} mnemonics[] = {
    {"mov", NULL, SIZED},         {"add", NULL, SIZED},
    {"xor", NULL, SIZED},         {"or", NULL, SIZED},
    {"and", NULL, SIZED},         {"shl", NULL, SIZED | SHIFT},
    {"inc", NULL, SIZED},         {"dec", NULL, SIZED},
    {"cmp", NULL, SIZED},         {"xchg", NULL, SIZED},
    {"uxch", "xchg", SIZED},      {"cmpxchg", NULL, SIZED | REVERSED},
    {"movnti", NULL, SIZED},      {"cmovc", NULL, SIZED | REVERSED},
    {"sub", NULL, SIZED},         {"adc", NULL, SIZED},
    {"sbb", NULL, SIZED},         {"neg", NULL, SIZED},
    {"not", NULL, SIZED},         {"test", NULL, SIZED},
    {"xadd", NULL, SIZED},        {"shr", NULL, SIZED | SHIFT},
    {"sar", NULL, SIZED | SHIFT}, {"bts", NULL, SIZED},
    {"btr", NULL, SIZED},         {"btc", NULL, SIZED},
    {"jlt", "jl", PLAIN},         {"jgt", "jg", PLAIN},
    {"nopl", NULL, NO_ACCESS},    {"nopw", NULL, NO_ACCESS},
    {"clflush", NULL, NO_ACCESS}, {"clflushopt", NULL, NO_ACCESS},
    {"clwb", NULL, NO_ACCESS},
};

/* An instruction being read. */
struct insn_text {
    char word[MNEMONIC_BYTES];       /* lower case, suffix included */
    const struct mnemonic *mnemonic; /* NULL: unknown here, the assembler decides */
    uint8_t width;                   /* bits, from the suffix; 0 without one */
    bool lock;
    struct operand operands[OPERANDS_MAX];
    unsigned count;
};

/* ---- the mnemonic ---- */

static uint8_t suffix_width(char suffix)
{
    return suffix == 'b' ? 8 : suffix == 'w' ? 16 : suffix == 'l' ? 32 : suffix == 'q' ? 64 : 0;
}

static char width_suffix(uint8_t width)
{
    return width == 8 ? 'b' : width == 16 ? 'w' : width == 32 ? 'l' : 'q';
}

static const struct mnemonic *find_mnemonic(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (mnemonics[i].name[0] == word[0] && strncmp(mnemonics[i].name, word, length) == 0 &&
            !mnemonics[i].name[length])
            return &mnemonics[i];
    return NULL;
}

static void split_mnemonic(struct insn_text *insn)
{
    size_t length = strlen(insn->word);
    insn->mnemonic = find_mnemonic(insn->word, length);
    if (insn->mnemonic || length < 3)
        return;
    const struct mnemonic *stem = find_mnemonic(insn->word, length - 1);
    uint8_t width = suffix_width(insn->word[length - 1]);
    if (!stem || !(stem->traits & SIZED) || !width)
        return;
    insn->mnemonic = stem;
    insn->width = width;
}

/* All of it in one case: MovL is a misspelling for herd too. */
static bool take_word(struct litmus_reader *reader, char word[static MNEMONIC_BYTES])
{
    const struct word *at = &reader->word;
    bool lower = false, upper = false;
    if (at->kind != WORD_NAME || at->length >= MNEMONIC_BYTES) {
        litmus_unexpected(reader, "an instruction");
        return false;
    }
    for (size_t i = 0; i < at->length; i++) {
        lower |= islower((unsigned char)at->start[i]) != 0;
        upper |= isupper((unsigned char)at->start[i]) != 0;
        word[i] = (char)tolower((unsigned char)at->start[i]);
    }
    word[at->length] = '\0';
    if (lower && upper) {
        litmus_unexpected(reader, "an instruction, all in small or all in large letters");
        return false;
    }
    next_word(reader);
    return true;
}

static bool read_mnemonic(struct litmus_reader *reader, struct insn_text *insn)
{
    if (word_is(reader, "lock") || word_is(reader, "LOCK")) {
        insn->lock = true;
        next_word(reader);
        accept_sign(reader, ';');
    }
    if (!take_word(reader, insn->word))
        return false;
    split_mnemonic(insn);
    return true;
}

/* ---- operands ---- */

static bool read_operands(struct litmus_reader *reader, uint32_t cpu, struct insn_text *insn)
{
    if (word_is_sign(reader, '|') || word_is_sign(reader, ';') || reader->word.kind == WORD_END)
        return true;
    do {
        if (insn->count == OPERANDS_MAX) {
            litmus_unexpected(reader, "at most three operands");
            return false;
        }
        if (!read_litmus_operand(reader, cpu, &insn->operands[insn->count++]))
            return false;
    } while (accept_sign(reader, ','));
    return true;
}

/* ---- meaning ---- */

static void reverse(struct insn_text *insn)
{
    for (unsigned i = 0; i < insn->count / 2; i++) {
        struct operand swapped = insn->operands[i];
        insn->operands[i] = insn->operands[insn->count - 1 - i];
        insn->operands[insn->count - 1 - i] = swapped;
    }
}

/* The width of a sized instruction without a suffix. X86 tests have registers of 32 bits. */
static uint8_t own_width(const struct litmus_reader *reader, const struct insn_text *insn)
{
    for (unsigned i = insn->count; i-- > 0 && !reader->litmus->is_32_bit;)
        if (insn->operands[i].kind == OPERAND_REGISTER)
            return insn->operands[i].reg.width;
    return 32;
}

/* A jump names a label; nothing else does. */
static bool check_labels(struct litmus_reader *reader, uint32_t cpu, const struct insn_text *insn)
{
    for (unsigned i = 0; i < insn->count; i++) {
        const struct operand *operand = &insn->operands[i];
        if (operand->kind != OPERAND_LABEL)
            continue;
        if (insn->word[0] != 'j' || insn->count != 1) {
            litmus_error(reader, operand->place,
                         "found '%.80s' as an operand, expected a register, $number or (%.80s)",
                         operand->text, operand->text);
            return false;
        }
        reader->jumps = region_push(reader->region, reader->jumps, reader->jump_count,
                                    &reader->jump_capacity, sizeof *reader->jumps);
        reader->jumps[reader->jump_count++] =
            (struct jump){operand->text, cpu, operand->place, reader->threads[cpu].count};
    }
    return true;
}

/* So that a test may access more of a variable than its type has, as some do. */
static void note_access(struct litmus_reader *reader, const struct operand *operand, uint8_t width)
{
    if (operand->kind != OPERAND_MEMORY || operand->symbol == NO_INDEX)
        return;
    struct symbol *symbol = &reader->symbols[operand->symbol];
    uint64_t end = operand->offset + width / 8u;
    if (operand->offset < LINE_BYTES && end > symbol->accessed)
        symbol->accessed = end;
}

/* ---- output ---- */

static void put_immediate(struct text *out, uint64_t number, uint8_t width)
{
    int64_t value = (int64_t)number;
    if (width && width < 64) {
        int64_t half = INT64_C(1) << (width - 1);
        if (value >= 2 * half || value < -half)
            value &= 2 * half - 1; /* what the instruction would make of it */
    }
    char digits[DECIMAL_BYTES];
    text_add(out, "$");
    text_add(out, decimal(digits, (uint64_t)value, true));
}

static void put_operand(struct text *out, const struct operand *operand, uint8_t width)
{
    const struct litmus_register *reg = &operand->reg;
    static const char *const high[] = {"%ah", "%ch", "%dh", "%bh"};
    if (operand->kind == OPERAND_IMMEDIATE)
        put_immediate(out, operand->number, width);
    else if (operand->kind != OPERAND_REGISTER)
        text_add(out, operand->text);
    else if (reg->high && (width == 8 || !width))
        text_add(out, high[reg->number]);
    else
        text_add(out, register_text(reg->number, width ? width : reg->width));
}

static const char *insn_to_text(struct litmus_reader *reader, const struct insn_text *insn,
                                uint8_t width)
{
    struct text *out = &reader->scratch;
    const struct mnemonic *mnemonic = insn->mnemonic;
    const char suffix = width ? width_suffix(width) : '\0';
    out->length = 0;
    text_add(out, insn->lock ? "lock " : "");
    text_add(out, !mnemonic ? insn->word : mnemonic->code ? mnemonic->code : mnemonic->name);
    text_add_bytes(out, &suffix, suffix != '\0');
    for (unsigned i = 0; i < insn->count; i++) {
        bool is_count = mnemonic && (mnemonic->traits & SHIFT) && i + 1 < insn->count;
        text_add_bytes(out, i ? "," : " ", 1);
        put_operand(out, &insn->operands[i], is_count ? 8 : width);
    }
    return region_strndup(reader->region, out->data, out->length);
}

const char *read_instruction(struct litmus_reader *reader, uint32_t cpu)
{
    struct insn_text insn = {.width = 0};
    if (!read_mnemonic(reader, &insn) || !read_operands(reader, cpu, &insn) ||
        !check_labels(reader, cpu, &insn))
        return NULL;
    bool is_32_bit = reader->litmus->is_32_bit;
    unsigned traits = insn.mnemonic ? insn.mnemonic->traits : PLAIN;
    if (is_32_bit || (traits & REVERSED))
        reverse(&insn);
    uint8_t width = insn.width;
    if (!width && (traits & SIZED))
        width = own_width(reader, &insn);
    if (is_32_bit && strncmp(insn.word, "set", 3) == 0 && insn.count == 1)
        insn.operands[0].reg.width = 8;
    for (unsigned i = 0; i < insn.count && !(traits & NO_ACCESS); i++)
        note_access(reader, &insn.operands[i], width ? width : 8);
    return insn_to_text(reader, &insn, width);
}
