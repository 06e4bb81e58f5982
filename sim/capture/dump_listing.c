/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassemblies, of objdump (-d, also -r, --no-show-raw-insn, in either syntax) and of gdb
 * (x/i, disassemble, disassemble /r, x/xb). A line of code is an address, perhaps a symbol, a
 * colon, then bytes or text or both. Whatever else there is between them is not read.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "sim/capture/dump.h"

struct listing {
    struct dump *dump;
    const struct dump_line *line;
    struct dump_row *rows;
    size_t count, capacity;
    const char *section;
    const char *function; /* that the line's code belongs to, NULL: not known */
    bool announced;       /* `function` is from a header: its symbol is not made yet */
    bool broken;          /* the next row need not follow the last one */
};

/* An address at the start of a line: "  401140:", "=> 0x401140 <P0+4>:". */
struct head {
    uint64_t address;
    const char *symbol; /* "P0", "P0+4", "+4", "": as in the brackets */
    size_t symbol_length;
    bool bracket;
    const char *rest; /* behind the colon; NULL: a header, "0000000000401140 <P0>:" */
};

/* "<symbol>" at `*at`: up to the last '>' that `closer` follows. */
static bool read_symbol(const char **at, const char *end, char closer, const char **symbol,
                        size_t *length)
{
    const char *close = NULL;
    if (*at == end || **at != '<')
        return false;
    for (const char *c = *at + 1; c < end && !close; c++)
        if (*c == '>' && (closer ? c + 1 < end && c[1] == closer : true))
            close = c;
    if (!close)
        return false;
    *symbol = *at + 1;
    *length = (size_t)(close - *symbol);
    *at = close + 1;
    return true;
}

static bool read_head(const struct dump_line *line, struct head *head)
{
    const char *at = line->start, *end = at + line->length;
    *head = (struct head){.symbol = ""};
    dump_skip_spaces(&at, end);
    if (end - at > 2 && at[0] == '=' && at[1] == '>')
        at += 2;
    dump_skip_spaces(&at, end);
    if (end - at > 2 && at[0] == '0' && at[1] == 'x')
        at += 2;
    if (!dump_hex_number(&at, end, &head->address))
        return false;
    dump_skip_spaces(&at, end);
    head->bracket = read_symbol(&at, end, ':', &head->symbol, &head->symbol_length);
    if (at == end || *at != ':')
        return false;
    at++;
    dump_skip_spaces(&at, end);
    head->rest = at < end ? at : NULL;
    return head->rest || head->bracket || line->start[0] == ' ';
}

/* xxd's lines look like objdump's, but begin at once, with eight digits, and never with a tab. */
static bool is_xxd(const struct dump_line *line)
{
    for (size_t i = 0; i < 8; i++)
        if (i >= line->length || !dump_is_hex(line->start[i]))
            return false;
    return line->length > 9 && line->start[8] == ':' && line->start[9] == ' ';
}

bool dump_is_listing(const struct dump *dump)
{
    struct head head;
    for (size_t i = 0; i < dump->line_count; i++)
        if (!is_xxd(&dump->lines[i]) && read_head(&dump->lines[i], &head))
            return true;
    return false;
}

/* ---- names ---- */

/* "name+0x10" or "name+16" (gdb) as a name and a distance. */
static const char *split_symbol(struct listing *listing, const char *symbol, size_t length,
                                uint64_t *distance)
{
    const char *plus = NULL, *end = symbol + length;
    *distance = 0;
    for (const char *c = symbol; c < end; c++)
        if (*c == '+' && c + 1 < end && c[1] >= '0' && c[1] <= '9')
            plus = c;
    if (!plus)
        return region_strndup(listing->dump->region, symbol, length);
    const char *at = plus + 1;
    if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
        at += 2;
        if (!dump_hex_number(&at, end, distance))
            *distance = 0;
    } else {
        for (; at < end && *at >= '0' && *at <= '9' && *distance < UINT64_MAX / 16; at++)
            *distance = *distance * 10 + (uint64_t)(*at - '0');
    }
    if (at == end)
        return region_strndup(listing->dump->region, symbol, (size_t)(plus - symbol));
    *distance = 0;
    return region_strndup(listing->dump->region, symbol, length);
}

/* Names go into traces and messages. */
static const char *clean(char *name)
{
    for (char *c = name; *c; c++)
        if (*c <= ' ' || *c >= 0x7f)
            *c = '?';
    return name;
}

/* Every "404034 <x>" and "0x404038 <x+4>" in the text names an address. */
static void take_names(struct listing *listing, const char *text)
{
    for (const char *open = strchr(text, '<'); open; open = strchr(open + 1, '<')) {
        const char *start = open, *end = text + strlen(text), *at = open, *symbol;
        size_t length;
        uint64_t address, distance;
        while (start > text && start[-1] == ' ')
            start--;
        const char *digits = start;
        while (digits > text && dump_is_hex(digits[-1]))
            digits--;
        if (!dump_hex_number(&digits, start, &address) ||
            !read_symbol(&at, end, '\0', &symbol, &length))
            continue;
        const char *name = split_symbol(listing, symbol, length, &distance);
        if (*name && distance <= address)
            snapshot_add_name(&listing->dump->snapshot, address - distance,
                              clean(region_strdup(listing->dump->region, name)));
    }
}

static void begin_function(struct listing *listing, const char *name, uint64_t address)
{
    struct snapshot_symbol symbol = {.name = clean(region_strdup(listing->dump->region, name)),
                                     .section = listing->section,
                                     .address = address,
                                     .code = true};
    snapshot_add_symbol(&listing->dump->snapshot, &symbol);
    listing->announced = false;
    listing->broken = true;
}

/* The function that a line's brackets, or the lines before, say it is in. */
static void find_function(struct listing *listing, const struct head *head)
{
    uint64_t distance;
    const char *name =
        head->bracket ? split_symbol(listing, head->symbol, head->symbol_length, &distance) : "";
    if (*name && (!listing->function || strcmp(name, listing->function) != 0)) {
        listing->function = name;
        begin_function(listing, name, head->address);
    } else if (listing->announced || !listing->function) {
        if (!listing->function)
            listing->function = listing->dump->name;
        begin_function(listing, listing->function, head->address);
    }
}

/* ---- lines ---- */

static void complain(struct listing *listing, const char *at, const char *message)
{
    dump_error(listing->dump, listing->line->number, (size_t)(at - listing->line->start) + 1, "%s",
               message);
}

/* A byte as two digits, with 0x before them in gdb's x/xb, and nothing else behind. */
static bool read_byte(const char **at, const char *end, uint8_t *byte)
{
    const char *c = *at;
    if (end - c > 3 && c[0] == '0' && c[1] == 'x')
        c += 2;
    if (end - c < 2 || !dump_is_hex(c[0]) || !dump_is_hex(c[1]) ||
        (end - c > 2 && c[2] != ' ' && c[2] != '\t'))
        return false;
    *byte = (uint8_t)(dump_hex_digit(c[0]) << 4 | dump_hex_digit(c[1]));
    *at = c + 2;
    return true;
}

enum { ROW_BYTES_MAX = 32 };

static void take_code(struct listing *listing, const struct head *head)
{
    struct dump *dump = listing->dump;
    const char *at = head->rest, *end = listing->line->start + listing->line->length;
    uint8_t bytes[ROW_BYTES_MAX];
    uint32_t count = 0;
    find_function(listing, head);
    while (count < ROW_BYTES_MAX && read_byte(&at, end, &bytes[count])) {
        count++;
        bool tab = at < end && *at == '\t' && !(end - at > 2 && at[1] == '0' && at[2] == 'x');
        dump_skip_spaces(&at, end);
        if (tab)
            break;
    }
    const char *text = region_strndup(dump->region, at, (size_t)(end - at));
    struct dump_row row = {
        .address = head->address,
        .bytes = region_alloc(dump->region, count ? count : 16),
        .size = count,
        .text = text,
        .section = listing->section,
        .begins = listing->broken,
        .place = {listing->line->number, (uint32_t)(strspn(listing->line->start, " \t=>") + 1)},
        .text_place = {listing->line->number, (uint32_t)(at - listing->line->start) + 1}};
    if (count == ROW_BYTES_MAX) {
        complain(listing, head->rest, "more bytes than an instruction has");
        return;
    }
    if (!count && !*text) {
        complain(listing, head->rest, "found nothing behind the address, expected an instruction");
        return;
    }
    memcpy(row.bytes, bytes, count);
    listing->broken = false;
    take_names(listing, text);
    listing->rows =
        region_push(dump->region, listing->rows, listing->count, &listing->capacity, sizeof row);
    listing->rows[listing->count++] = row;
}

static const struct relocation_name {
    const char *name;
    uint32_t type;
} relocation_names[] = {
    {"R_X86_64_NONE", R_X86_64_NONE},
    {"R_X86_64_64", R_X86_64_64},
    {"R_X86_64_PC32", R_X86_64_PC32},
    {"R_X86_64_32", R_X86_64_32},
    {"R_X86_64_32S", R_X86_64_32S},
    {"R_X86_64_PC8", R_X86_64_PC8},
    {"R_X86_64_PLT32", R_X86_64_PLT32},
    {"R_X86_64_GOTPCREL", R_X86_64_GOTPCREL},
    {"R_X86_64_GOTPCRELX", R_X86_64_GOTPCRELX},
    {"R_X86_64_REX_GOTPCRELX", R_X86_64_REX_GOTPCRELX},
    {"R_X86_64_GOTTPOFF", R_X86_64_GOTTPOFF},
    {"R_X86_64_TPOFF32", R_X86_64_TPOFF32},
    {"R_X86_64_TLSGD", R_X86_64_TLSGD},
    {"R_X86_64_TLSLD", R_X86_64_TLSLD},
    {"R_X86_64_DTPOFF32", R_X86_64_DTPOFF32},
};

/* "x-0x8", ".bss+0x10", "x": the symbol and what is added. */
static void split_addend(struct listing *listing, const char *text, struct snapshot_relocation *to)
{
    const char *end = text + strcspn(text, " \t"), *sign = end;
    uint64_t value = 0;
    while (sign > text && *sign != '+' && *sign != '-')
        sign--;
    const char *digits = sign + 3;
    bool has = sign > text && end - sign > 3 && strncmp(sign + 1, "0x", 2) == 0 &&
               dump_hex_number(&digits, end, &value) && digits == end;
    to->addend = !has ? 0 : (int64_t)(*sign == '-' ? -value : value);
    to->symbol =
        clean(region_strndup(listing->dump->region, text, (size_t)((has ? sign : end) - text)));
}

/* "2: R_X86_64_PC32  x-0x8", which objdump -r puts below the instruction. */
static bool take_relocation(struct listing *listing, const struct head *head)
{
    const char *end = listing->line->start + listing->line->length;
    if (!head->rest || end - head->rest < 9 || strncmp(head->rest, "R_X86_64_", 9) != 0)
        return false;
    const char *word =
        region_strndup(listing->dump->region, head->rest, (size_t)(end - head->rest));
    size_t length = strcspn(word, " \t");
    struct snapshot_relocation row = {.section = listing->section, .address = head->address};
    bool known = false;
    for (size_t i = 0; i < sizeof relocation_names / sizeof *relocation_names; i++)
        if (strlen(relocation_names[i].name) == length &&
            strncmp(word, relocation_names[i].name, length) == 0) {
            row.type = relocation_names[i].type;
            known = true;
        }
    if (!known) {
        complain(listing, head->rest, "a relocation that is not supported");
        return true;
    }
    split_addend(listing, word + length + strspn(word + length, " \t"), &row);
    snapshot_add_relocation(&listing->dump->snapshot, &row);
    listing->dump->snapshot.relocatable = true;
    return true;
}

static bool starts_with(const struct dump_line *line, const char *words)
{
    size_t length = strlen(words);
    return line->length >= length && strncmp(line->start, words, length) == 0;
}

/* Lines that say something about those that follow. */
static void take_heading(struct listing *listing)
{
    const struct dump_line *line = listing->line;
    const char *at = line->start, *end = at + line->length;
    if (starts_with(line, "Disassembly of section ") && line->length > 24) {
        listing->section = clean(region_strndup(listing->dump->region, at + 23, line->length - 24));
        listing->function = NULL;
        listing->broken = true;
    } else if (starts_with(line, "Dump of assembler code for function ") && line->length > 37) {
        listing->function = region_strndup(listing->dump->region, at + 36, line->length - 37);
        listing->announced = true;
    } else {
        dump_skip_spaces(&at, end);
        if (end - at >= 3 && strncmp(at, "...", 3) == 0) /* zeros that are not shown */
            listing->broken = true;
    }
}

void dump_read_listing(struct dump *dump)
{
    struct listing listing = {.dump = dump, .section = "code", .broken = true};
    struct head head;
    for (size_t i = 0; i < dump->line_count; i++) {
        listing.line = &dump->lines[i];
        if (!read_head(listing.line, &head)) {
            take_heading(&listing);
        } else if (head.rest && !take_relocation(&listing, &head)) {
            take_code(&listing, &head);
        } else if (!head.rest && head.bracket) {
            listing.function = region_strndup(dump->region, head.symbol, head.symbol_length);
            listing.announced = true;
        } else if (!head.rest) {
            complain(&listing, listing.line->start,
                     "found nothing behind the address, expected an instruction");
        }
    }
    if (!listing.count && !dump->diagnostics->count)
        dump_error(dump, 1, 1, "found no instructions");
    if (!dump->diagnostics->count)
        dump_add_rows(dump, listing.rows, listing.count);
}
