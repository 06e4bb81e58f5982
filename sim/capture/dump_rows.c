/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a listing. Those that came without bytes are assembled by GNU as, as a
 * trace's are; direct branches are encoded here, since how far they go is known, and how long
 * they are follows from the next one's address.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/capture/dump.h"
#include "sim/isa/insn.h"
#include "sim/program/layout.h"
#include "sim/program/read.h"

enum { INSN_BYTES_MAX = 15, NOP = 0x90, FIRST_LINE = 7, INDENT = 6 };

/* ---- what follows what ---- */

/* Lines that were lost would change the code unseen. */
static void check_sequence(struct dump *dump, struct dump_row *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct dump_row *before = &rows[i - 1], *row = &rows[i];
        uint64_t length = row->address - before->address;
        bool fits = before->size ? length == before->size : length >= 1 && length <= INSN_BYTES_MAX;
        if (!row->begins && !fits)
            dump_error(dump, row->place.line, row->place.column,
                       "found the address 0x%" PRIx64 ", which does not follow 0x%" PRIx64
                       " and the instruction there: a line is missing",
                       row->address, before->address);
    }
}

/* Bytes from the row to the next one, 0 when that is not known. */
static uint32_t known_length(const struct dump_row *rows, size_t count, size_t i)
{
    uint64_t length = i + 1 < count ? rows[i + 1].address - rows[i].address : 0;
    return length <= INSN_BYTES_MAX ? (uint32_t)length : 0;
}

/* ---- direct branches ---- */

static const char *const conditions[][4] = {
    {"o"},        {"no"},       {"b", "c", "nae"}, {"ae", "nc", "nb"},
    {"e", "z"},   {"ne", "nz"}, {"be", "na"},      {"a", "nbe"},
    {"s"},        {"ns"},       {"p", "pe"},       {"np", "po"},
    {"l", "nge"}, {"ge", "nl"}, {"le", "ng"},      {"g", "nle"},
};

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* The opcodes of a branch with 8 and with 32 bits of distance; 0: there is none. */
struct branch_code {
    uint8_t near_opcode, far_opcode;
    bool two_bytes; /* the far one stands behind 0f */
};

static bool find_branch(const char *text, size_t length, struct branch_code *code)
{
    static const char *const loops[] = {"loopne", "loope", "loop"};
    *code = (struct branch_code){0};
    if (is_word(text, length, "jmp") || is_word(text, length, "jmpq"))
        *code = (struct branch_code){0xeb, 0xe9, false};
    else if (is_word(text, length, "call") || is_word(text, length, "callq"))
        *code = (struct branch_code){0, 0xe8, false};
    else if (is_word(text, length, "jrcxz"))
        *code = (struct branch_code){0xe3, 0, false};
    for (unsigned i = 0; i < 3; i++)
        if (is_word(text, length, loops[i]))
            *code = (struct branch_code){(uint8_t)(0xe0 + i), 0, false};
    for (unsigned i = 0; i < 16 && text[0] == 'j'; i++)
        for (unsigned n = 0; n < 4 && conditions[i][n]; n++)
            if (is_word(text + 1, length - 1, conditions[i][n]))
                *code = (struct branch_code){(uint8_t)(0x70 + i), (uint8_t)(0x80 + i), true};
    return code->near_opcode || code->far_opcode;
}

/* Whether a row is a branch to an address; encodes it, with the length that it has. */
static bool encode_branch(struct dump *dump, struct dump_row *row, uint32_t length)
{
    struct branch_code code;
    const char *at = row->text, *end;
    uint64_t target;
    if (strncmp(at, "bnd ", 4) == 0)
        at += 4 + strspn(at + 4, " ");
    size_t word = strcspn(at, " \t");
    if (!find_branch(at, word, &code))
        return false;
    at += word + strspn(at + word, " \t");
    if (at[0] == '0' && at[1] == 'x')
        at += 2;
    end = at + strlen(at);
    if (!dump_hex_number(&at, end, &target) || (at < end && *at != ' ' && *at != '\t'))
        return false;
    bool near = code.near_opcode && (!code.far_opcode || (length > 0 && length < 5));
    uint32_t size = near ? 2 : code.two_bytes ? 6 : 5;
    int64_t distance = (int64_t)(target - (row->address + size));
    if ((length && size > length) ||
        (near ? distance != (int8_t)distance : distance != (int32_t)distance)) {
        dump_error(dump, row->text_place.line, row->text_place.column,
                   "this branch does not reach its target in %" PRIu32 " bytes", length);
        return true;
    }
    uint8_t *bytes = row->bytes;
    if (!near && code.two_bytes)
        *bytes++ = 0x0f;
    *bytes++ = near ? code.near_opcode : code.far_opcode;
    for (unsigned i = 0; i < (near ? 1u : 4u); i++)
        *bytes++ = (uint8_t)((uint64_t)distance >> 8 * i);
    row->size = size;
    return true;
}

/* ---- text ---- */

/* Up to a comment or the name of an address, without spaces at the end. */
static size_t statement_length(const char *text)
{
    size_t length = strcspn(text, "#<");
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length;
}

static bool check_text(struct dump *dump, const struct dump_row *row, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)row->text[i];
        if (c >= ' ' ? c < 0x7f && !strchr(";{}\"\\@", c) : c == '\t')
            continue;
        dump_error(dump, row->text_place.line, row->text_place.column + (uint32_t)i,
                   "found the character 0x%02x, which is in no instruction", c);
        return false;
    }
    if (length && *row->text != '.')
        return true;
    dump_error(dump, row->text_place.line, row->text_place.column,
               "found '%.40s', expected an instruction", row->text);
    return false;
}

static void put_statement(struct text *out, const struct dump_row *row, size_t length)
{
    text_pad(out, ' ', INDENT);
    for (size_t i = 0; i < length; i++)
        text_add_bytes(out, row->text[i] == '\t' ? " " : &row->text[i], 1);
    text_add(out, "\n");
}

/* What was complained about, at the place in the listing that it came from. */
static void place_errors(struct dump *dump, size_t before, struct dump_row **rows, size_t count)
{
    for (size_t i = before; i < dump->diagnostics->count; i++) {
        struct diagnostic *item = &dump->diagnostics->items[i];
        item->file = dump->path;
        size_t index = item->place.line >= FIRST_LINE ? item->place.line - FIRST_LINE : count;
        if (index >= count)
            continue;
        uint32_t column = item->place.column > INDENT ? item->place.column - INDENT - 1 : 0;
        item->place = rows[index]->text_place;
        item->place.column += column;
    }
}

/* Hands each row its instruction, in their order. */
static void share_out(struct dump *dump, const struct snippet *snippet, struct dump_row **rows,
                      size_t count)
{
    struct region *scratch = region_child(dump->region);
    struct code code;
    uint64_t address = snippet->address;
    size_t i = 0;
    code_init(&code, scratch, snippet);
    for (; i < count; i++) {
        const struct insn *insn = code_at(&code, address);
        if (!insn)
            break;
        memcpy(rows[i]->bytes, insn->bytes, insn->length);
        rows[i]->size = insn->length;
        address += insn->length;
    }
    if (i < count || address != snippet->address + snippet->size) {
        const struct dump_row *row = rows[i < count ? i : count - 1];
        dump_error(dump, row->text_place.line, row->text_place.column,
                   "what is assembled from here on is not one instruction a line");
    }
    region_release(scratch);
}

static void assemble_rows(struct dump *dump, struct dump_row **rows, size_t count, bool att)
{
    struct text text;
    struct source_list sources = {.region = dump->region};
    size_t before = dump->diagnostics->count;
    text_init(&text, dump->region);
    text_printf(&text, "trace: 1\nname: listing\nsyntax: %s\ncpus:\n  - name: P0\n    asm: |\n",
                att ? "att" : "intel");
    for (size_t i = 0; i < count; i++)
        put_statement(&text, rows[i], statement_length(rows[i]->text));
    struct program *program =
        trace_parse(dump->region, dump->path, text.data, text.length, &sources, dump->diagnostics);
    if (program && dump->diagnostics->count == before)
        assemble(&sources, dump->diagnostics);
    place_errors(dump, before, rows, count);
    if (program && dump->diagnostics->count == before)
        share_out(dump, program->variants[0].code[0], rows, count);
}

/* Multi-byte NOPs come in many encodings that look the same; any of that length is as good. */
static bool is_nop(const char *text)
{
    while (strncmp(text, "data16 ", 7) == 0 || strncmp(text, "cs ", 3) == 0)
        text += *text == 'd' ? 7 : 3;
    return strncmp(text, "nop", 3) == 0;
}

static void fill_nops(struct dump_row *row, uint32_t length)
{
    memset(row->bytes + row->size, NOP, length - row->size);
    row->size = length;
}

/* As long as the listing has it: shorter ones are filled up, since what follows lies there. */
static void fit_rows(struct dump *dump, struct dump_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t length = known_length(rows, count, i);
        struct dump_row *row = &rows[i];
        if (rows[i].text == NULL || !length || length == row->size ||
            (i + 1 < count && rows[i + 1].begins && row->size < length))
            continue;
        if (row->size > length) {
            dump_error(dump, row->text_place.line, row->text_place.column,
                       "has %" PRIu32 " bytes in the listing, which GNU as makes %" PRIu32, length,
                       row->size);
        } else {
            fill_nops(row, length);
            dump->filled++;
        }
    }
}

static void assemble_texts(struct dump *dump, struct dump_row *rows, size_t count)
{
    struct dump_row **texts = region_array(dump->region, count + 1, sizeof(struct dump_row *));
    size_t before = dump->diagnostics->count, text_count = 0;
    bool att = false;
    for (size_t i = 0; i < count; i++) {
        struct dump_row *row = &rows[i];
        uint32_t length = known_length(rows, count, i);
        if (row->size) {
            row->text = NULL; /* the bytes are what counts */
            continue;
        }
        dump->assembled++;
        size_t statement = statement_length(row->text);
        att |= memchr(row->text, '%', statement) || memchr(row->text, '$', statement);
        if (!check_text(dump, row, statement) || encode_branch(dump, row, length))
            continue;
        if (is_nop(row->text)) {
            fill_nops(row, length ? length : 1);
            continue;
        }
        texts[text_count++] = row;
    }
    if (dump->diagnostics->count == before && text_count)
        assemble_rows(dump, texts, text_count, att);
    if (dump->diagnostics->count == before)
        fit_rows(dump, rows, count);
}

void dump_add_rows(struct dump *dump, struct dump_row *rows, size_t count)
{
    check_sequence(dump, rows, count);
    if (!dump->diagnostics->count)
        assemble_texts(dump, rows, count);
    if (dump->diagnostics->count)
        return;
    for (size_t i = 0; i < count; i++) {
        struct snapshot_piece piece = {.section = rows[i].section,
                                       .address = rows[i].address,
                                       .bytes = rows[i].bytes,
                                       .size = rows[i].size,
                                       .code = true,
                                       .place = rows[i].place};
        snapshot_add_piece(&dump->snapshot, &piece);
    }
}
