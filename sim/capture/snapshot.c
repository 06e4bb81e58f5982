/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of code and data put together to sections with symbols, as a linked file has them. */
#include "sim/capture/snapshot.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/capture/assumed.h"
#include "sim/capture/elf.h"
#include "sim/program/layout.h"

enum {
    SECTIONS_MAX = 8192,
    GAP_MAX = 1 << 16,            /* code that is nearer is one section, with traps in between */
    SNAPSHOT_BYTES_MAX = 64 << 20 /* of all pieces */
};

/* Numbers below that are hardly ever addresses. */
static const uint64_t lowest_address = 0x10000;

void snapshot_init(struct snapshot *snapshot, struct region *region,
                   struct diagnostics *diagnostics, const char *name)
{
    *snapshot = (struct snapshot){
        .region = region, .diagnostics = diagnostics, .name = name, .end = SNAPSHOT_INT3};
}

void snapshot_add_piece(struct snapshot *snapshot, const struct snapshot_piece *piece)
{
    snapshot->pieces = region_push(snapshot->region, snapshot->pieces, snapshot->piece_count,
                                   &snapshot->piece_capacity, sizeof *snapshot->pieces);
    snapshot->pieces[snapshot->piece_count++] = *piece;
}

void snapshot_add_symbol(struct snapshot *snapshot, const struct snapshot_symbol *symbol)
{
    snapshot->symbols = region_push(snapshot->region, snapshot->symbols, snapshot->symbol_count,
                                    &snapshot->symbol_capacity, sizeof *snapshot->symbols);
    snapshot->symbols[snapshot->symbol_count++] = *symbol;
}

void snapshot_add_name(struct snapshot *snapshot, uint64_t address, const char *name)
{
    snapshot->names = region_push(snapshot->region, snapshot->names, snapshot->name_count,
                                  &snapshot->name_capacity, sizeof *snapshot->names);
    snapshot->names[snapshot->name_count++] = (struct snapshot_name){address, name};
}

void snapshot_add_relocation(struct snapshot *snapshot,
                             const struct snapshot_relocation *relocation)
{
    snapshot->relocations =
        region_push(snapshot->region, snapshot->relocations, snapshot->relocation_count,
                    &snapshot->relocation_capacity, sizeof *snapshot->relocations);
    snapshot->relocations[snapshot->relocation_count++] = *relocation;
}

/* ---- sections ---- */

static int by_address(const void *a, const void *b)
{
    const struct snapshot_piece *left = a, *right = b;
    int order = strcmp(left->section, right->section);
    if (order)
        return order;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left->place.line > right->place.line) - (left->place.line < right->place.line);
}

static bool check_pieces(struct snapshot *snapshot)
{
    uint64_t all = 0;
    for (size_t i = 0; i < snapshot->piece_count; i++) {
        const struct snapshot_piece *piece = &snapshot->pieces[i];
        all += piece->size;
        if (piece->size > SNAPSHOT_BYTES_MAX || all > SNAPSHOT_BYTES_MAX ||
            piece->address > UINT64_MAX - GAP_MAX - piece->size) {
            diagnostics_add(snapshot->diagnostics, snapshot->name, piece->place,
                            "more than %d MiB, or beyond the last address",
                            SNAPSHOT_BYTES_MAX >> 20);
            return false;
        }
    }
    return true;
}

/* Whether a piece is put into the section that ends at `end` so far. */
static bool joins(const struct snapshot_piece *first, const struct snapshot_piece *piece,
                  uint64_t end)
{
    return strcmp(first->section, piece->section) == 0 && first->code == piece->code &&
           first->writable == piece->writable &&
           (piece->address <= end || (piece->code && piece->address - end <= GAP_MAX));
}

static void copy_piece(struct snapshot *snapshot, struct binary_section *section, uint8_t *bytes,
                       const struct snapshot_piece *piece, uint64_t known_end)
{
    uint64_t at = piece->address - section->address;
    uint64_t again = piece->address < known_end ? known_end - piece->address : 0;
    if (again > piece->size)
        again = piece->size;
    if (memcmp(bytes + at, piece->bytes, again) != 0)
        diagnostics_add(snapshot->diagnostics, snapshot->name, piece->place,
                        "other bytes at 0x%" PRIx64 " than another place of the input has",
                        piece->address);
    memcpy(bytes + at, piece->bytes, piece->size);
}

/* Makes a section of the pieces from `first` on that belong together; returns their count. */
static size_t make_section(struct snapshot *snapshot, struct binary_section *section, size_t first)
{
    const struct snapshot_piece *pieces = snapshot->pieces + first;
    size_t left = snapshot->piece_count - first, count = 0;
    uint64_t end = pieces->address;
    for (; count < left && joins(pieces, &pieces[count], end); count++)
        if (pieces[count].address + pieces[count].size > end)
            end = pieces[count].address + pieces[count].size;
    /* One byte more is there for what ends the code. */
    uint8_t *bytes = region_alloc(snapshot->region, end - pieces->address + 1);
    *section = (struct binary_section){.name = pieces->section,
                                       .type = SHT_PROGBITS,
                                       .flags = SHF_ALLOC | (pieces->code ? SHF_EXECINSTR : 0u) |
                                                (pieces->writable ? SHF_WRITE : 0u),
                                       .address = pieces->address,
                                       .size = end - pieces->address,
                                       .alignment = 1,
                                       .bytes = bytes};
    memset(bytes, pieces->code ? SNAPSHOT_INT3 : 0, section->size + 1);
    end = pieces->address;
    for (size_t i = 0; i < count; i++) {
        copy_piece(snapshot, section, bytes, &pieces[i], end);
        if (pieces[i].address + pieces[i].size > end)
            end = pieces[i].address + pieces[i].size;
    }
    return count;
}

static void make_sections(struct snapshot *snapshot, struct binary *binary)
{
    qsort(snapshot->pieces, snapshot->piece_count, sizeof *snapshot->pieces, by_address);
    /* The assumed ones are put behind: one a reference at most, which grows the array. */
    binary->sections =
        region_array(snapshot->region, snapshot->piece_count + 1, sizeof *binary->sections);
    binary->sections[0].name = "";
    binary->section_count = 1;
    for (size_t i = 0; i < snapshot->piece_count && binary->section_count < SECTIONS_MAX;)
        i += make_section(snapshot, &binary->sections[binary->section_count++], i);
}

/* ---- symbols ---- */

static uint32_t section_of(const struct snapshot *snapshot, const struct binary *binary,
                           const char *name, uint64_t address)
{
    for (uint32_t i = 1; i < binary->section_count; i++) {
        const struct binary_section *section = &binary->sections[i];
        if ((!snapshot->relocatable || strcmp(section->name, name) == 0) &&
            address >= section->address && address - section->address < section->size)
            return i;
    }
    return SECTION_NONE;
}

static void add_symbols(struct snapshot *snapshot, struct binary *binary)
{
    /* Sections' own, those of the snapshot, what relocations name, what is assumed. */
    size_t most = 1 + binary->section_count + snapshot->symbol_count + snapshot->relocation_count;
    binary->symbols = region_array(snapshot->region, most, sizeof *binary->symbols);
    binary->symbols[0].name = "";
    binary->symbol_count = 1;
    for (uint32_t i = 1; i < binary->section_count; i++)
        binary->symbols[binary->symbol_count++] =
            (struct binary_symbol){.name = "", .section = i, .type = STT_SECTION};
    for (size_t i = 0; i < snapshot->symbol_count; i++) {
        const struct snapshot_symbol *from = &snapshot->symbols[i];
        uint32_t section = section_of(snapshot, binary, from->section, from->address);
        if (section == SECTION_NONE)
            continue;
        uint64_t value = from->address - binary->sections[section].address;
        uint64_t room = binary->sections[section].size - value;
        binary->symbols[binary->symbol_count++] =
            (struct binary_symbol){.name = from->name,
                                   .value = value,
                                   .size = from->size < room ? from->size : room,
                                   .section = section,
                                   .type = from->code ? STT_FUNC : STT_OBJECT,
                                   .bind = STB_GLOBAL};
    }
}

/* Where the bytes that begin at an address end: pieces that follow each other without a gap. */
static uint64_t known_end(const struct snapshot *snapshot, const char *section, uint64_t address)
{
    uint64_t end = address;
    size_t low = 0, high = snapshot->piece_count;
    while (low < high) { /* the first piece behind `address` */
        size_t middle = low + (high - low) / 2;
        const struct snapshot_piece *piece = &snapshot->pieces[middle];
        int order = strcmp(piece->section, section);
        if (order < 0 || (order == 0 && piece->address <= address))
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low ? low - 1 : 0; i < snapshot->piece_count; i++) {
        const struct snapshot_piece *piece = &snapshot->pieces[i];
        if (strcmp(piece->section, section) != 0 || piece->address > end)
            break;
        if (piece->address + piece->size > end)
            end = piece->address + piece->size;
    }
    return end;
}

static void size_symbols(const struct snapshot *snapshot, struct binary *binary)
{
    for (size_t i = 1; i < binary->symbol_count; i++) {
        struct binary_symbol *symbol = &binary->symbols[i];
        if (symbol->type != STT_FUNC || symbol->size)
            continue;
        const struct binary_section *section = &binary->sections[symbol->section];
        uint64_t end = binary_symbol_end(binary, symbol);
        uint64_t known =
            known_end(snapshot, section->name, section->address + symbol->value) - section->address;
        if (known < end)
            end = known;
        symbol->size = end - symbol->value;
    }
}

/* ---- relocations ---- */

/* Symbols by name, so that many relocations are found soon. */
struct named {
    struct intern names;
    uint32_t *symbols; /* by intern number; 0: none */
};

static uint32_t symbol_named(struct binary *binary, struct named *named, const char *name)
{
    bool fresh;
    uint32_t id = intern_add(&named->names, name, strlen(name), &fresh);
    if (!fresh)
        return named->symbols[id];
    binary->symbols[binary->symbol_count] = (struct binary_symbol){
        .name = name, .section = SECTION_NONE, .type = STT_NOTYPE, .bind = STB_GLOBAL};
    return named->symbols[id] = (uint32_t)binary->symbol_count++;
}

/* Of several with one name the first, and functions before sections. */
static void index_symbols(const struct binary *binary, struct named *named, size_t most)
{
    intern_init(&named->names, binary->region);
    named->symbols = region_array(binary->region, most, sizeof *named->symbols);
    for (int sections = 0; sections < 2; sections++)
        for (uint32_t i = 1; i < binary->symbol_count; i++) {
            const struct binary_symbol *symbol = &binary->symbols[i];
            bool fresh, own = symbol->type == STT_SECTION;
            const char *name = own ? binary->sections[symbol->section].name : symbol->name;
            if (own != (sections == 1))
                continue;
            uint32_t id = intern_add(&named->names, name, strlen(name), &fresh);
            if (fresh)
                named->symbols[id] = i;
        }
}

static int by_offset(const void *a, const void *b)
{
    const struct binary_relocation *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static void add_relocations(struct snapshot *snapshot, struct binary *binary)
{
    struct named named;
    if (snapshot->relocation_count)
        index_symbols(binary, &named, binary->symbol_count + snapshot->relocation_count + 1);
    for (size_t i = 0; i < snapshot->relocation_count; i++) {
        const struct snapshot_relocation *from = &snapshot->relocations[i];
        uint32_t index = section_of(snapshot, binary, from->section, from->address);
        if (index == SECTION_NONE)
            continue;
        struct binary_section *section = &binary->sections[index];
        struct binary_relocation row = {from->address - section->address, from->type,
                                        symbol_named(binary, &named, from->symbol), from->addend};
        section->relocations =
            region_push(snapshot->region, section->relocations, section->relocation_count,
                        &section->relocation_capacity, sizeof row);
        section->relocations[section->relocation_count++] = row;
    }
    for (uint32_t i = 1; i < binary->section_count; i++)
        if (binary->sections[i].relocation_count)
            qsort(binary->sections[i].relocations, binary->sections[i].relocation_count,
                  sizeof(struct binary_relocation), by_offset);
}

/* ---- code ---- */

void snapshot_references(struct binary *binary, const struct binary_symbol *symbol,
                         reference_taker *take, void *argument)
{
    const struct binary_section *section = &binary->sections[symbol->section];
    if (symbol->size > CODE_BYTES_MAX) /* it is refused when it is needed */
        return;
    struct region *scratch = region_child(binary->region);
    struct snippet snippet = {.address = section->address + symbol->value,
                              .bytes = region_alloc(scratch, symbol->size + 1),
                              .size = (uint32_t)symbol->size};
    struct code code;
    memcpy(snippet.bytes, section->bytes + symbol->value, symbol->size);
    code_init(&code, scratch, &snippet);
    for (uint32_t offset = 0; offset < snippet.size;) {
        const struct insn *insn = code_at(&code, snippet.address + offset);
        if (!insn)
            break;
        const struct memory_operand *memory = &insn->memory;
        bool accesses = memory->read || memory->write;
        struct snapshot_reference reference = {.access = accesses ? memory->size : 0};
        if (insn->is_branch && insn->has_target) {
            reference = (struct snapshot_reference){
                .address = insn->target,
                .branch = true,
                .to_next = insn->is_call && insn->target == insn->address + insn->length};
            take(argument, &reference);
        } else if (memory->present && memory->base == NO_REGISTER && !insn_is_padding(insn)) {
            reference.address = (uint64_t)memory->displacement;
            reference.thread_local_data = memory->segment == 1;
            reference.to_next = strstr(insn->text, "[rip") != NULL && !memory->segment &&
                                reference.address == insn->address + insn->length;
            /* gs: is a kernel's; small numbers beside an index are no addresses */
            if (memory->segment != 2 && (strstr(insn->text, "[rip") || memory->segment ||
                                         reference.address >= lowest_address))
                take(argument, &reference);
        }
        offset += insn->length;
    }
    region_release(scratch);
}

/* Whether control can run off the end of a symbol's code. */
static bool runs_off(struct binary *binary, const struct binary_symbol *symbol)
{
    const struct binary_section *section = &binary->sections[symbol->section];
    if (symbol->size > CODE_BYTES_MAX) /* it is refused when it is needed */
        return false;
    struct region *scratch = region_child(binary->region);
    struct snippet snippet = {.address = section->address + symbol->value,
                              .bytes = region_alloc(scratch, symbol->size + 1),
                              .size = (uint32_t)symbol->size};
    struct code code;
    bool ends = false;
    memcpy(snippet.bytes, section->bytes + symbol->value, symbol->size);
    code_init(&code, scratch, &snippet);
    for (uint32_t offset = 0; offset < snippet.size;) {
        const struct insn *insn = code_at(&code, snippet.address + offset);
        if (!insn) {
            ends = true; /* whoever needs it will say so */
            break;
        }
        if (!insn_is_padding(insn))
            ends = insn_ends_path(insn);
        offset += insn->length;
    }
    region_release(scratch);
    return !ends;
}

/* What lies behind the end of known code ends it, instead of being taken for something. */
static void end_code(struct snapshot *snapshot, struct binary *binary)
{
    for (size_t i = 1; i < binary->symbol_count; i++) {
        struct binary_symbol *symbol = &binary->symbols[i];
        if (symbol->type != STT_FUNC || !symbol->size)
            continue;
        struct binary_section *section = &binary->sections[symbol->section];
        uint64_t end = symbol->value + symbol->size;
        uint32_t next = section_of(snapshot, binary, section->name, section->address + end);
        bool last = end == section->size;
        bool gap = known_end(snapshot, section->name, section->address + symbol->value) ==
                   section->address + end;
        if (!(last || gap) || (last && next != SECTION_NONE) || !runs_off(binary, symbol))
            continue;
        ((uint8_t *)section->bytes)[end] = snapshot->end;
        section->size += last;
        symbol->size++;
        snapshot->ended = true;
    }
}

static void sort_symbols(struct binary *binary)
{
    for (size_t i = 0; i < binary->section_count; i++)
        binary->sections[i].symbol_count = 0;
    binary_sort_symbols(binary);
}

static int by_name_address(const void *a, const void *b)
{
    const struct snapshot_name *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return strcmp(left->name, right->name);
}

struct binary *snapshot_binary(struct snapshot *snapshot)
{
    size_t before = snapshot->diagnostics->count;
    if (!check_pieces(snapshot))
        return NULL;
    struct binary *binary = region_alloc(snapshot->region, sizeof *binary);
    *binary = (struct binary){.region = snapshot->region,
                              .name = snapshot->name,
                              .fd = -1,
                              .linked = !snapshot->relocatable};
    make_sections(snapshot, binary);
    if (binary->section_count == SECTIONS_MAX) {
        static const struct place nowhere = {0, 0};
        diagnostics_add(snapshot->diagnostics, snapshot->name, nowhere,
                        "%d separate ranges of addresses are more than can be read", SECTIONS_MAX);
        return NULL;
    }
    binary->fixed = binary->linked && binary->section_count > 1;
    for (uint32_t i = 1; i < binary->section_count; i++)
        binary->fixed &= binary->sections[i].address >= lowest_address;
    binary->pointers_unmarked = binary->fixed;
    add_symbols(snapshot, binary);
    sort_symbols(binary);
    size_symbols(snapshot, binary);
    end_code(snapshot, binary);
    add_relocations(snapshot, binary);
    if (snapshot->name_count)
        qsort(snapshot->names, snapshot->name_count, sizeof *snapshot->names, by_name_address);
    if (binary->linked)
        assume_rest(snapshot, binary);
    sort_symbols(binary);
    binary_index_names(binary);
    return snapshot->diagnostics->count == before ? binary : NULL;
}
