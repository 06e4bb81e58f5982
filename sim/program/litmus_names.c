/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in a litmus test: registers and variables, and what is known of each so far. */
#include <ctype.h>

#include "sim/program/layout.h"
#include "sim/program/litmus_reader.h"

/* In the order in which states list them; the index in the hardware's numbering follows. */
static const char *const order_names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi",
                                          "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                          "r12", "r13", "r14", "r15", "rip", "cs"};
static const char *const order_names_32[] = {"EAX", "EBX", "ECX", "EDX", "ESI", "EDI",
                                             "EBP", "ESP", "R8",  "R9",  "R10", "R11",
                                             "R12", "R13", "R14", "R15", "EIP", "CS"};
static const uint8_t hardware_number[] = {0, 3,  1,  2,  6,  7,  5,  4,  8,
                                          9, 10, 11, 12, 13, 14, 15, 16, 17};
enum { ORDER_IP = 16, ORDER_CS = 17, LONGEST_REGISTER = 5 };

static uint8_t order_of(uint8_t number)
{
    uint8_t order = 0;
    while (hardware_number[order] != number)
        order++;
    return order;
}

/* "ax" and its like; 8 when it is none. */
static uint8_t stem_number(const char *stem)
{
    static const char stems[] = "axcxdxbxspbpsidi";
    uint8_t number = 0;
    while (number < 8 && (stem[0] != stems[2 * number] || stem[1] != stems[2 * number + 1]))
        number++;
    return number;
}

/* "r8" to "r15", with a suffix for the width. */
static bool parse_extended(const char *word, struct litmus_register *found)
{
    unsigned number = (unsigned)(word[1] - '0');
    const char *suffix = word + 2;
    if (isdigit((unsigned char)*suffix))
        number = number * 10 + (unsigned)(*suffix++ - '0');
    uint8_t width = !*suffix ? 64 : *suffix == 'd' ? 32 : *suffix == 'w' ? 16 : 8;
    if (number < 8 || number > 15 || word[1] == '0' ||
        (*suffix && (suffix[1] || !strchr("dwb", *suffix))))
        return false;
    *found = (struct litmus_register){order_of((uint8_t)number), (uint8_t)number, width, false};
    return true;
}

/* "ax", "al", "ah": number and width. */
static bool parse_short(const char *word, struct litmus_register *found)
{
    static const char bytes[] = "acdb";
    const char *byte = strchr(bytes, word[0]);
    uint8_t number = stem_number(word);
    bool is_byte = byte && (word[1] == 'l' || word[1] == 'h');
    if (!is_byte && number == 8)
        return false;
    number = is_byte ? (uint8_t)(byte - bytes) : number;
    *found = (struct litmus_register){order_of(number), number, is_byte ? 8 : 16,
                                      is_byte && word[1] == 'h'};
    return true;
}

bool litmus_register(const char *name, size_t length, struct litmus_register *found)
{
    char word[LONGEST_REGISTER + 1];
    if (length > LONGEST_REGISTER || length < 2)
        return false;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)name[i]);
    word[length] = '\0';
    if (word[0] == 'r' && isdigit((unsigned char)word[1]))
        return parse_extended(word, found);
    if (strcmp(word, "cs") == 0 || strcmp(word + 1, "ip") == 0) {
        uint8_t order = word[0] == 'c' ? ORDER_CS : ORDER_IP;
        *found = (struct litmus_register){order, order, 64, false};
        return word[0] == 'c' || word[0] == 'r' || word[0] == 'e';
    }
    if (length == 2)
        return parse_short(word, found);
    uint8_t number = stem_number(word[2] == 'l' ? word : word + 1);
    bool is_byte = word[2] == 'l' && number >= 4; /* spl, bpl, sil, dil */
    if (length != 3 || number == 8 || (!is_byte && word[0] != 'r' && word[0] != 'e'))
        return false;
    uint8_t width = is_byte ? 8 : word[0] == 'r' ? 64 : 32;
    *found = (struct litmus_register){order_of(number), number, width, false};
    return true;
}

const char *register_text(uint8_t number, uint8_t width)
{
    static const char *const names[4][16] = {
        {"%al", "%cl", "%dl", "%bl", "%spl", "%bpl", "%sil", "%dil", "%r8b", "%r9b", "%r10b",
         "%r11b", "%r12b", "%r13b", "%r14b", "%r15b"},
        {"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di", "%r8w", "%r9w", "%r10w", "%r11w",
         "%r12w", "%r13w", "%r14w", "%r15w"},
        {"%eax", "%ecx", "%edx", "%ebx", "%esp", "%ebp", "%esi", "%edi", "%r8d", "%r9d", "%r10d",
         "%r11d", "%r12d", "%r13d", "%r14d", "%r15d"},
        {"%rax", "%rcx", "%rdx", "%rbx", "%rsp", "%rbp", "%rsi", "%rdi", "%r8", "%r9", "%r10",
         "%r11", "%r12", "%r13", "%r14", "%r15"}};
    return names[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3][number & 15];
}

const char *register_label(uint8_t order, bool is_32_bit)
{
    return is_32_bit ? order_names_32[order] : order_names[order];
}

/* ---- variables ---- */

int symbol_find(const struct litmus_reader *reader, const char *name, size_t length)
{
    const struct program *program = reader->program;
    for (size_t i = 0; i < program->object_count; i++)
        if (!reader->symbols[i].hidden && strncmp(program->objects[i].name, name, length) == 0 &&
            program->objects[i].name[length] == '\0')
            return (int)i;
    return NO_INDEX;
}

static bool is_plain(const char *name)
{
    if (strlen(name) > NAME_MAX_BYTES || name_is_reserved(name))
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

static uint32_t new_symbol(struct litmus_reader *reader, const struct object *object,
                           const struct symbol *symbol)
{
    struct program *program = reader->program;
    reader->symbols = region_push(reader->region, reader->symbols, program->object_count,
                                  &reader->symbol_capacity, sizeof *reader->symbols);
    program->objects = region_push(reader->region, program->objects, program->object_count,
                                   &reader->object_capacity, sizeof *program->objects);
    program->objects[program->object_count] = *object;
    reader->symbols[program->object_count] = *symbol;
    return (uint32_t)program->object_count++;
}

int symbol_add(struct litmus_reader *reader, struct word name, struct value_type type)
{
    struct program *program = reader->program;
    if (program->object_count >= SYMBOLS_MAX || name.length > SYMBOL_NAME_BYTES) {
        litmus_error(reader, name.place,
                     "more than %d variables, or a name of more than %d letters", SYMBOLS_MAX,
                     SYMBOL_NAME_BYTES);
        reader->at = reader->end; /* no use in reading on */
        return NO_INDEX;
    }
    const char *text = region_strndup(reader->region, name.start, name.length);
    struct object object = {
        .name = text, .place = name.place, .size = type.size, .parent = NO_INDEX};
    struct symbol symbol = {.code_name = text, .type = type};
    if (!is_plain(text))
        symbol.code_name = region_printf(reader->region, "_.variable.%zu", program->object_count);
    return (int)new_symbol(reader, &object, &symbol);
}

uint32_t symbol_part(struct litmus_reader *reader, uint32_t object, const char *name,
                     uint64_t offset, struct value_type type)
{
    struct program *program = reader->program;
    for (uint32_t i = object + 1; i < program->object_count; i++)
        if (reader->symbols[i].hidden && strcmp(program->objects[i].name, name) == 0)
            return i;
    struct object part = {.name = name,
                          .place = program->objects[object].place,
                          .size = type.size,
                          .parent = (int)object,
                          .address = offset};
    return new_symbol(reader, &part, &(struct symbol){.type = type, .hidden = true});
}

/* ---- registers ---- */

struct typed_register *register_find(const struct litmus_reader *reader, uint32_t cpu,
                                     uint8_t order)
{
    for (size_t i = 0; i < reader->register_count; i++)
        if (reader->registers[i].cpu == cpu && reader->registers[i].number == order)
            return &reader->registers[i];
    return NULL;
}

struct typed_register *register_add(struct litmus_reader *reader, uint32_t cpu, uint8_t order)
{
    reader->registers = region_push(reader->region, reader->registers, reader->register_count,
                                    &reader->register_capacity, sizeof *reader->registers);
    struct typed_register *added = &reader->registers[reader->register_count++];
    *added =
        (struct typed_register){.cpu = cpu, .number = order, .type = {4, true}, .target = NO_INDEX};
    return added;
}

void add_pending(struct litmus_reader *reader, const struct pending *pending)
{
    reader->pending = region_push(reader->region, reader->pending, reader->pending_count,
                                  &reader->pending_capacity, sizeof *reader->pending);
    reader->pending[reader->pending_count++] = *pending;
    reader->litmus->has_addresses = true;
}

bool read_thread_number(struct litmus_reader *reader, uint32_t *cpu)
{
    const struct word *word = &reader->word;
    size_t skip = word->kind == WORD_NAME && *word->start == 'P';
    uint64_t number = 0;
    bool good = word->length > skip && word->length < 7 && (skip || word->kind == WORD_NUMBER);
    for (size_t i = skip; good && i < word->length; i++) {
        good = isdigit((unsigned char)word->start[i]);
        number = number * 10 + (uint64_t)(word->start[i] - '0');
    }
    if (!good || number >= CPUS_MAX) {
        litmus_unexpected(reader, "a thread's number");
        return false;
    }
    *cpu = (uint32_t)number;
    next_word(reader);
    return true;
}

bool read_whole_register(struct litmus_reader *reader, struct litmus_register *found)
{
    accept_sign(reader, '%');
    bool is_32_bit = reader->litmus->is_32_bit;
    bool known = reader->word.kind == WORD_NAME &&
                 litmus_register(reader->word.start, reader->word.length, found);
    if (!known || (found->width != 64 && !(is_32_bit && found->width == 32))) {
        litmus_unexpected(reader,
                          is_32_bit ? "a register such as EAX" : "a whole register such as rax");
        return false;
    }
    next_word(reader);
    return true;
}

/* ---- text ---- */

const char *decimal(char digits[DECIMAL_BYTES], uint64_t number, bool is_signed)
{
    char *at = digits + DECIMAL_BYTES - 1;
    bool negative = is_signed && number >> 63;
    uint64_t left = negative ? -number : number;
    *at = '\0';
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (negative)
        *--at = '-';
    return at;
}

const char *joined(struct litmus_reader *reader, const char *a, const char *b, const char *c)
{
    size_t first = strlen(a), second = strlen(b), third = strlen(c);
    char *text = region_alloc(reader->region, first + second + third + 1);
    memcpy(text, a, first);
    memcpy(text + first, b, second);
    memcpy(text + first + second, c, third);
    return text;
}
