/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands of instructions in litmus tests: registers, immediates, memory, labels. */
#include "sim/program/litmus_operand.h"

/* A register with or without its %; false, and nothing read, when it is none. */
static bool accept_register(struct litmus_reader *reader, struct litmus_register *found)
{
    bool percent = word_is_sign(reader, '%');
    struct word name = reader->word;
    if (percent)
        next_word(reader);
    name = reader->word;
    bool known = name.kind == WORD_NAME && litmus_register(name.start, name.length, found);
    if (known)
        next_word(reader);
    else if (percent)
        litmus_unexpected(reader, "a register");
    return known;
}

static const char *base_text(struct litmus_reader *reader, const struct litmus_register *base)
{
    if (base->number == 4)
        reader->stack_used = true;
    return register_text(base->number, 64);
}

/* "(%base,%index,scale)" behind its opening bracket. */
static bool read_based(struct litmus_reader *reader, uint32_t cpu, struct operand *operand,
                       const struct litmus_register *base, int64_t displacement, char close)
{
    struct region *region = reader->region;
    const char *text = base_text(reader, base);
    char digits[DECIMAL_BYTES];
    text = joined(reader, displacement ? decimal(digits, (uint64_t)displacement, true) : "", "(",
                  text);
    bool indexed = accept_sign(reader, ',');
    if (indexed) {
        struct litmus_register index;
        uint64_t scale = 1;
        if (!accept_register(reader, &index) ||
            (accept_sign(reader, ',') && !read_number(reader, &scale)))
            return false;
        /* A scale of 0, as in padding, addresses nothing that anybody uses. */
        text = region_printf(region, "%s,%s,%llu", text, base_text(reader, &index),
                             (unsigned long long)(scale ? scale : 1));
    }
    operand->text = joined(reader, text, ")", "");
    const struct typed_register *start = register_find(reader, cpu, base->order);
    if (!indexed && start && start->target != NO_INDEX && displacement >= 0) {
        operand->symbol = start->target;
        operand->offset = start->value + (uint64_t)displacement;
    }
    return expect_sign(reader, close, "an address");
}

static bool read_memory(struct litmus_reader *reader, uint32_t cpu, struct operand *operand,
                        int64_t displacement)
{
    struct litmus_register base;
    char close = word_is_sign(reader, '[') ? ']' : ')';
    next_word(reader);
    operand->kind = OPERAND_MEMORY;
    if (word_is_sign(reader, '%') ||
        (reader->word.kind == WORD_NAME &&
         litmus_register(reader->word.start, reader->word.length, &base))) {
        if (!accept_register(reader, &base))
            return false;
        if (base.number < 16)
            return read_based(reader, cpu, operand, &base, displacement, close);
        litmus_unexpected(reader, "a general register in an address");
        return false;
    }
    uint32_t symbol;
    int64_t offset;
    if (reader->word.kind != WORD_NAME) {
        litmus_unexpected(reader, "a register or the name of a variable in an address");
        return false;
    }
    if (!read_symbol_address(reader, true, &symbol, &offset))
        return false;
    offset += displacement;
    const char *name = reader->symbols[symbol].code_name;
    operand->text =
        offset ? region_printf(reader->region, "%s%+lld", name, (long long)offset) : name;
    operand->symbol = (int)symbol;
    operand->offset = (uint64_t)offset;
    return expect_sign(reader, close, "an address");
}

static bool read_numeric(struct litmus_reader *reader, uint32_t cpu, struct operand *operand)
{
    bool immediate = accept_sign(reader, '$');
    if (!read_number(reader, &operand->number))
        return false;
    if (!immediate && (word_is_sign(reader, '(') || word_is_sign(reader, '[')))
        return read_memory(reader, cpu, operand, (int64_t)operand->number);
    operand->kind = OPERAND_IMMEDIATE;
    return true;
}

/* "%cs:" before a memory operand changes nothing in 64-bit code. */
static void skip_segment(struct litmus_reader *reader)
{
    next_word(reader);
    next_word(reader);
    accept_sign(reader, ':');
}

bool read_litmus_operand(struct litmus_reader *reader, uint32_t cpu, struct operand *operand)
{
    *operand = (struct operand){.symbol = NO_INDEX, .place = reader->word.place};
    if (word_is_sign(reader, '%') && reader->at + 2 < reader->end && reader->at[0] == 'c' &&
        reader->at[1] == 's' && reader->at[2] == ':')
        skip_segment(reader);
    if (word_is_sign(reader, '$') || word_is_sign(reader, '-') || reader->word.kind == WORD_NUMBER)
        return read_numeric(reader, cpu, operand);
    if (word_is_sign(reader, '(') || word_is_sign(reader, '['))
        return read_memory(reader, cpu, operand, 0);
    bool percent = word_is_sign(reader, '%');
    if (accept_register(reader, &operand->reg)) {
        operand->kind = OPERAND_REGISTER;
        reader->stack_used |= operand->reg.number == 4;
        if (operand->reg.number < 16)
            return true;
        litmus_error(reader, operand->place,
                     "found rip or cs as an operand, expected a general register");
        return false;
    }
    if (percent)
        return false;
    if (reader->word.kind != WORD_NAME) {
        litmus_unexpected(reader, "an operand: a register, $number, (variable) or (register)");
        return false;
    }
    operand->kind = OPERAND_LABEL;
    operand->text = word_text(reader);
    next_word(reader);
    return true;
}
