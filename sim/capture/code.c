/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that a CPU's code needs: the one that it starts with, those that it calls or
 * jumps to, and theirs. Each is decoded from its start to its end.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/capture/elf.h"
#include "sim/capture/patches.h"
#include "sim/capture/stand_in.h"
#include "sim/program/layout.h"

enum { PARTS_MAX = 4096 };

struct code_part *new_part(struct elf_capture *elf, struct cpu_code *code)
{
    code->parts = region_push(elf->region, code->parts, code->part_count, &code->part_capacity,
                              sizeof *code->parts);
    struct code_part *part = &code->parts[code->part_count];
    *part = (struct code_part){.group = code->part_count};
    code->part_count++;
    return part;
}

int code_part_at(const struct cpu_code *code, const struct location *place)
{
    for (size_t i = 0; i < code->part_count; i++) {
        const struct code_part *part = &code->parts[i];
        if (part->place.binary == place->binary && part->place.section == place->section &&
            place->offset >= part->place.offset && place->offset - part->place.offset < part->size)
            return (int)i;
    }
    return NO_INDEX;
}

/* ---- parts ---- */

static int part_of_symbol(struct elf_capture *elf, struct cpu_code *code, struct binary *binary,
                          const struct binary_symbol *symbol)
{
    const struct binary_section *section = &binary->sections[symbol->section];
    uint64_t size = binary_symbol_end(binary, symbol) - symbol->value;
    struct stand_in stand_in;
    /* Never what a CPU starts with. */
    if (code->part_count && stand_in_at(elf, binary, symbol, &stand_in))
        return stand_in_part(elf, code, &stand_in);
    struct location place = {binary, symbol->section, symbol->value};
    for (size_t i = 0; i < code->part_count; i++)
        if (code->parts[i].place.binary == binary &&
            code->parts[i].place.section == place.section &&
            code->parts[i].place.offset == place.offset)
            return (int)i;
    if (symbol->type == STT_GNU_IFUNC && traps_unknown(elf)) {
        stand_in = (struct stand_in){symbol->name, true, ""};
        return stand_in_part(elf, code, &stand_in);
    }
    if (symbol->type == STT_GNU_IFUNC) {
        elf_error(elf, binary->name,
                  "'%s' is chosen at run time (an indirect function); use --stub or --trap %s",
                  symbol->name, symbol->name);
        return NO_INDEX;
    }
    if (!section->bytes || !section_is_code(section) || size == 0) {
        elf_error(elf, binary->name, "'%s' has no code", symbol->name);
        return NO_INDEX;
    }
    if (size > CODE_BYTES_MAX || code->part_count == PARTS_MAX) {
        elf_error(elf, binary->name,
                  "'%s' has %" PRIu64 " bytes; all code of a CPU may have %d, in %d functions "
                  "(--stub and --trap leave functions out)",
                  symbol->name, size, (int)CODE_BYTES_MAX, PARTS_MAX);
        return NO_INDEX;
    }
    struct code_part *part = new_part(elf, code);
    part->place = place;
    part->name = symbol->name;
    part->size = (uint32_t)size;
    part->bytes = region_alloc(elf->region, part->size);
    memcpy(part->bytes, section->bytes + symbol->value, part->size);
    patch_code(elf, part);
    return (int)(code->part_count - 1);
}

/* A stub of a procedure linkage table jumps through a cell of the GOT. */
static bool follow_plt(struct elf_capture *elf, const struct location *place, struct target *target)
{
    enum { PLT_ENTRY = 16 };
    const struct binary_section *section = &place->binary->sections[place->section];
    if (strncmp(section->name, ".plt", 4) != 0 || !section->bytes)
        return false;
    for (uint64_t at = place->offset; at < place->offset + PLT_ENTRY && at + 6 <= section->size;
         at++) {
        const uint8_t *bytes = section->bytes + at;
        if (bytes[0] != 0xff || bytes[1] != 0x25)
            continue;
        int32_t distance = (int32_t)((uint32_t)bytes[2] | (uint32_t)bytes[3] << 8 |
                                     (uint32_t)bytes[4] << 16 | (uint32_t)bytes[5] << 24);
        *target = target_of_cell(elf, place->binary,
                                 section->address + at + 6 + (uint64_t)(int64_t)distance);
        return true;
    }
    return false;
}

/* Where an edge comes from, for messages. */
static const char *edge_text(const struct elf_capture *elf, const struct cpu_code *code,
                             const struct code_edge *edge)
{
    return region_printf(elf->region, "%s+%u", code->parts[edge->from].name, edge->field);
}

int reach_part(struct elf_capture *elf, struct cpu_code *code, const struct location *place,
               uint64_t *at)
{
    int index = code_part_at(code, place);
    if (index == NO_INDEX) {
        const struct binary_symbol *symbol =
            binary_symbol_at(place->binary, place->section, place->offset, SYMBOL_CODE);
        index = symbol ? part_of_symbol(elf, code, place->binary, symbol) : NO_INDEX;
    }
    if (index == NO_INDEX)
        return NO_INDEX;
    bool stands_in = !code->parts[index].place.binary;
    *at = stands_in ? 0 : place->offset - code->parts[index].place.offset;
    return index;
}

static int part_of_place(struct elf_capture *elf, struct cpu_code *code, struct code_edge *edge,
                         const struct location *place)
{
    if (code_part_at(code, place) == NO_INDEX &&
        !binary_symbol_at(place->binary, place->section, place->offset, SYMBOL_CODE)) {
        elf_error(elf, place->binary->name,
                  "%s leaves its function for %s+0x%" PRIx64 ", where no function is known",
                  edge_text(elf, code, edge), place->binary->sections[place->section].name,
                  place->offset);
        return NO_INDEX;
    }
    return reach_part(elf, code, place, &edge->at);
}

/* A call of something that is in no file. */
static int part_of_name(struct elf_capture *elf, struct cpu_code *code,
                        const struct code_edge *edge, const char *name)
{
    int length = (int)strcspn(name, "@");
    struct stand_in stand_in;
    bool left_out = find_stand_in(elf, name, &stand_in);
    if (!left_out)
        stand_in.traps = left_out = traps_unknown(elf);
    if (left_out)
        return stand_in_part(elf, code, &stand_in);
    if (strcmp(name, "__tls_get_addr") == 0)
        return NO_INDEX; /* how the data is referred to was refused already */
    elf_error(elf, code->parts[edge->from].place.binary->name,
              "%s goes to '%.*s', which is in none of the files: name a file that has it, or use "
              "--stub or --trap %.*s",
              edge_text(elf, code, edge), length, name, length, name);
    return NO_INDEX;
}

static size_t group_of(const struct cpu_code *code, size_t part)
{
    while (code->parts[part].group != part)
        part = code->parts[part].group;
    return part;
}

/* Both keep the distance that they have in their section. */
static void keep_distance(struct cpu_code *code, size_t a, size_t b)
{
    a = group_of(code, a);
    b = group_of(code, b);
    code->parts[a > b ? a : b].group = a > b ? b : a;
}

void add_branch(struct elf_capture *elf, struct cpu_code *code, struct code_edge edge,
                const struct target *target)
{
    struct target behind = *target;
    int to = NO_INDEX;
    if (target->kind == TARGET_PLACE) {
        struct location place = target->place;
        place.offset += (uint64_t)target->distance;
        const struct binary_section *section = &place.binary->sections[place.section];
        if (!section_is_code(section) || place.offset >= section->size) {
            elf_error(elf, place.binary->name,
                      "%s leaves its function for %s+0x%" PRIx64 ", which is no code",
                      edge_text(elf, code, &edge), section->name, place.offset);
            return;
        }
        behind = (struct target){.kind = TARGET_PLACE, .place = place, .name = target->name};
        follow_plt(elf, &place, &behind);
    }
    if (behind.kind == TARGET_PLACE)
        to = part_of_place(elf, code, &edge, &behind.place);
    else if (behind.kind == TARGET_NAME)
        to = part_of_name(elf, code, &edge, behind.name);
    else
        elf_error(elf, code->parts[edge.from].place.binary->name,
                  "%s goes where no code is known to be%s%s", edge_text(elf, code, &edge),
                  *behind.name ? ": " : "", behind.name);
    if (to == NO_INDEX)
        return;
    edge.to = (size_t)to;
    if (edge.bytes == 1) {
        const struct code_part *from = &code->parts[edge.from], *into = &code->parts[to];
        if (from->place.binary != into->place.binary ||
            from->place.section != into->place.section) {
            elf_error(elf, from->place.binary->name,
                      "%s: a short jump to '%s', which lies elsewhere", edge_text(elf, code, &edge),
                      into->name);
            return;
        }
        keep_distance(code, edge.from, (size_t)to);
    }
    code->edges = region_push(elf->region, code->edges, code->edge_count, &code->edge_capacity,
                              sizeof *code->edges);
    code->edges[code->edge_count++] = edge;
}

void add_reference(struct elf_capture *elf, struct cpu_code *code,
                   const struct code_reference *reference)
{
    struct target target = reference->target;
    take_table(elf, code, reference->part, &target);
    code->references = region_push(elf->region, code->references, code->reference_count,
                                   &code->reference_capacity, sizeof *code->references);
    code->references[code->reference_count] = *reference;
    code->references[code->reference_count++].target = target;
}

/* ---- decoding ---- */

/* int3, hlt, ud0, ud1, ud2 */
static bool is_trap(const struct insn *insn)
{
    return insn->bytes[0] == 0xcc || insn->bytes[0] == 0xf4 ||
           strncmp(insn->mnemonic, "ud", 2) == 0;
}

bool insn_ends_path(const struct insn *insn)
{
    return insn->is_call || is_trap(insn) || (insn->is_branch && !insn->is_conditional);
}

bool insn_is_padding(const struct insn *insn)
{
    return insn->kind == KIND_NOP || insn->bytes[0] == 0xcc ||
           (insn->class == INSN_NOTHING && strncmp(insn->mnemonic, "nop", 3) == 0) ||
           strcmp(insn->text, "xchg ax, ax") == 0;
}

/* A function that runs off its end goes on in the next one, as hand-written ones do. */
static void fall_through(struct elf_capture *elf, struct cpu_code *code, size_t index)
{
    struct code_part *part = &code->parts[index];
    struct location next = part->place;
    next.offset += part->size;
    const struct binary_symbol *symbol =
        next.offset < next.binary->sections[next.section].size
            ? binary_symbol_at(next.binary, next.section, next.offset, SYMBOL_CODE)
            : NULL;
    if (!symbol || symbol->value != next.offset) {
        elf_error(elf, next.binary->name, "'%s' runs off its end, and no function begins there",
                  part->name);
        return;
    }
    int to = part_of_symbol(elf, code, next.binary, symbol);
    if (to == NO_INDEX)
        return;
    if (!code->parts[to].place.binary)
        elf_error(elf, next.binary->name, "'%s' runs off its end into '%s', which cannot be a stub",
                  code->parts[index].name, symbol->name);
    else
        keep_distance(code, index, (size_t)to);
}

/* All instructions of a part. What follows the last one that ends a path is dropped as padding. */
static void scan_part(struct elf_capture *elf, struct cpu_code *code, size_t index)
{
    struct code_part part = code->parts[index];
    struct binary *binary = part.place.binary;
    struct snippet snippet = {
        .address =
            part.place.offset + (binary->linked ? binary->sections[part.place.section].address : 0),
        .bytes = region_alloc(elf->region, part.size),
        .size = part.size};
    struct region *scratch = region_child(elf->region);
    struct code decoded;
    uint32_t offset = 0, end = 0;
    const struct insn *last = NULL;
    bool traps = false; /* where it would run off its end */
    memcpy(snippet.bytes, part.bytes, part.size);
    code_init(&decoded, scratch, &snippet);
    while (offset < part.size) {
        const struct insn *insn = code_at(&decoded, snippet.address + offset);
        if (!insn) {
            elf_error(elf, binary->name,
                      "'%s' has the byte 0x%02x at offset %u, which cannot be decoded from there",
                      part.name, part.bytes[offset], offset);
            return;
        }
        if (!insn_is_padding(insn)) {
            last = insn;
            end = offset + insn->length;
        }
        traps = insn->bytes[0] == 0xcc && (offset == end || traps);
        take_operands_of(elf, code, index, insn, offset);
        offset += insn->length;
    }
    if (last && insn_ends_path(last)) {
        code->parts[index].size = end;
        code->parts[index].open_end = last->is_call;
    } else if (last && traps && part.bytes[end] == 0xcc) {
        code->parts[index].size = end + 1;
    } else {
        fall_through(elf, code, index);
    }
    region_release(scratch);
}

void collect_code(struct elf_capture *elf, struct cpu_code *code, struct binary *binary,
                  const struct binary_symbol *symbol)
{
    uint64_t bytes = 0;
    if (part_of_symbol(elf, code, binary, symbol) == NO_INDEX)
        return;
    for (size_t i = 0; i < code->part_count; i++) {
        bytes += code->parts[i].size;
        if (bytes > CODE_BYTES_MAX) {
            elf_error(elf, binary->name,
                      "'%s' and all that it calls have over %d bytes of code; --stub and "
                      "--trap leave functions out",
                      symbol->name, (int)CODE_BYTES_MAX);
            return;
        }
        if (code->parts[i].place.binary)
            scan_part(elf, code, i);
        if (elf->diagnostics->dropped)
            return;
    }
}
