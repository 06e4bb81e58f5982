/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads an ELF file into checked tables. Nothing in the file is believed. */
#define _GNU_SOURCE /* qsort_r */
#include "sim/capture/binary.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 1 << 20, SYMBOLS_MAX = 1 << 24, RELOCATIONS_MAX = 1 << 24 };

static const struct place nowhere = {0, 0};

struct binary_reader {
    struct binary *binary;
    struct diagnostics *diagnostics;
    Elf_Scn *symbols; /* .symtab, or .dynsym of a stripped file */
    uint32_t symbols_index;
    Elf_Data *extended; /* section numbers that do not fit into a symbol */
    size_t relocations;
    bool failed;
};

static bool fail(struct binary_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct binary_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!reader->failed)
        diagnostics_add_list(reader->diagnostics, reader->binary->name, nowhere, format, arguments);
    va_end(arguments);
    reader->failed = true;
    return false;
}

/* Names go into messages and into traces: nothing in them may act on a terminal or end a line. */
static const char *clean(struct binary_reader *reader, const char *name)
{
    const char *bad = name;
    while (*bad > ' ' && *bad < 0x7f)
        bad++;
    if (!*bad)
        return name;
    char *copy = region_strdup(reader->binary->region, name);
    for (char *c = copy; *c; c++)
        if (*c <= ' ' || *c >= 0x7f)
            *c = '?';
    return copy;
}

static bool check_header(struct binary_reader *reader)
{
    struct binary *binary = reader->binary;
    GElf_Ehdr header;
    if (elf_kind(binary->elf) != ELF_K_ELF || !gelf_getehdr(binary->elf, &header))
        return fail(reader, "not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return fail(reader, "a 32-bit ELF file, expected x86-64");
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
        return fail(reader, "an ELF file for another machine (number %u), expected x86-64",
                    header.e_machine);
    if (header.e_type != ET_REL && header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return fail(reader,
                    "an ELF file of type %u, expected an object file, an executable or a "
                    "shared library",
                    header.e_type);
    binary->linked = header.e_type != ET_REL;
    binary->fixed = header.e_type == ET_EXEC;
    binary->pointers_unmarked = binary->fixed;
    return true;
}

/* ---- sections ---- */

static bool read_bytes(struct binary_reader *reader, Elf_Scn *scn, struct binary_section *section)
{
    if (section->type == SHT_NOBITS || section->size == 0 || !(section->flags & SHF_ALLOC))
        return true;
    if (section->flags & SHF_COMPRESSED)
        return fail(reader, "the section %s is compressed and loaded", section->name);
    Elf_Data *data = elf_rawdata(scn, NULL);
    if (!data || !data->d_buf || data->d_size < section->size)
        return fail(reader, "the section %s reaches beyond the end of the file", section->name);
    section->bytes = data->d_buf;
    return true;
}

static bool read_section(struct binary_reader *reader, Elf_Scn *scn, size_t names)
{
    struct binary *binary = reader->binary;
    GElf_Shdr header;
    size_t index = elf_ndxscn(scn);
    if (!gelf_getshdr(scn, &header) || index >= binary->section_count)
        return fail(reader, "the table of sections is damaged");
    struct binary_section *section = &binary->sections[index];
    const char *name = elf_strptr(binary->elf, names, header.sh_name);
    if (!name)
        return fail(reader, "section %zu has no name", index);
    name = clean(reader, name);
    *section = (struct binary_section){.name = name,
                                       .type = header.sh_type,
                                       .flags = header.sh_flags,
                                       .address = header.sh_addr,
                                       .size = header.sh_size,
                                       .alignment = header.sh_addralign};
    if (section->size > UINT64_C(1) << 40 || section->address > UINT64_MAX - section->size)
        return fail(reader, "the section %s is larger than can be", name);
    if (section->alignment & (section->alignment - 1))
        return fail(reader, "the section %s has an alignment of %" PRIu64, name,
                    section->alignment);
    if (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && !reader->symbols)) {
        reader->symbols = scn;
        reader->symbols_index = (uint32_t)index;
    }
    if (header.sh_type == SHT_SYMTAB_SHNDX)
        reader->extended = elf_getdata(scn, NULL);
    if (header.sh_type == 19) /* SHT_RELR: words that hold an address, without a list of them */
        binary->pointers_unmarked = true;
    return read_bytes(reader, scn, section);
}

static bool read_sections(struct binary_reader *reader)
{
    struct binary *binary = reader->binary;
    size_t names, count;
    Elf_Scn *scn = NULL;
    if (elf_getshdrnum(binary->elf, &count) != 0 || count == 0 ||
        elf_getshdrstrndx(binary->elf, &names) != 0)
        return fail(reader, "the file has no sections: it is stripped of them, or truncated");
    if (count > SECTIONS_MAX)
        return fail(reader, "%zu sections, expected at most %d", count, SECTIONS_MAX);
    binary->section_count = count;
    binary->sections = region_array(binary->region, count, sizeof *binary->sections);
    for (size_t i = 0; i < count; i++)
        binary->sections[i].name = "";
    while ((scn = elf_nextscn(binary->elf, scn)))
        if (!read_section(reader, scn, names))
            return false;
    return true;
}

/* ---- symbols ---- */

static bool read_symbol(struct binary_reader *reader, Elf_Data *data, size_t index, uint32_t names)
{
    struct binary *binary = reader->binary;
    struct binary_symbol *symbol = &binary->symbols[index];
    GElf_Sym from;
    Elf32_Word extended = 0;
    if (!gelf_getsymshndx(data, reader->extended, (int)index, &from, &extended))
        return fail(reader, "symbol %zu cannot be read", index);
    const char *name = elf_strptr(binary->elf, names, from.st_name);
    if (!name)
        return fail(reader, "symbol %zu has a name outside of the table of names", index);
    name = clean(reader, name);
    *symbol = (struct binary_symbol){.name = name,
                                     .value = from.st_value,
                                     .size = from.st_size,
                                     .section = from.st_shndx,
                                     .type = GELF_ST_TYPE(from.st_info),
                                     .bind = GELF_ST_BIND(from.st_info)};
    if (from.st_shndx == SHN_XINDEX)
        symbol->section = extended;
    else if (from.st_shndx == SHN_COMMON)
        symbol->section = SECTION_COMMON;
    else if (from.st_shndx >= SHN_LORESERVE)
        symbol->section = SECTION_ABSOLUTE;
    if (symbol->section >= SECTION_COMMON || symbol->section == SECTION_NONE)
        return true;
    if (symbol->section >= binary->section_count)
        return fail(reader, "the symbol '%.100s' lies in section %u of %zu", name, symbol->section,
                    binary->section_count);
    const struct binary_section *section = &binary->sections[symbol->section];
    if (binary->linked && symbol->type == STT_TLS)
        symbol->value = binary->tls_address + symbol->value - section->address;
    else if (binary->linked)
        symbol->value -= section->address;
    /* Linkers leave symbols at sections' ends, and some in sections that were dropped. */
    if (symbol->value > section->size || symbol->size > section->size - symbol->value) {
        if (symbol->size && (symbol->type == STT_FUNC || symbol->type == STT_OBJECT))
            return fail(reader, "the symbol '%.100s' reaches beyond its section %s", name,
                        section->name);
        symbol->section = SECTION_ABSOLUTE;
    }
    return true;
}

static bool read_symbols(struct binary_reader *reader)
{
    struct binary *binary = reader->binary;
    GElf_Shdr header;
    if (!reader->symbols)
        return fail(reader, "the file has no symbols: it is stripped");
    Elf_Data *data = elf_getdata(reader->symbols, NULL);
    if (!data || !gelf_getshdr(reader->symbols, &header))
        return fail(reader, "the table of symbols cannot be read: the file is truncated");
    size_t count = data->d_size / sizeof(Elf64_Sym);
    if (count > SYMBOLS_MAX)
        return fail(reader, "%zu symbols, expected at most %d", count, SYMBOLS_MAX);
    binary->symbols = region_array(binary->region, count + 1, sizeof *binary->symbols);
    binary->symbol_count = count;
    binary->symbols[0].name = "";
    for (size_t i = 1; i < count; i++)
        if (!read_symbol(reader, data, i, header.sh_link))
            return false;
    return true;
}

static bool has_place(const struct binary_symbol *symbol)
{
    return *symbol->name && symbol->section != SECTION_NONE && symbol->section < SECTION_COMMON &&
           symbol->type != STT_SECTION && symbol->type != STT_FILE;
}

static int by_value(const void *a, const void *b, void *argument)
{
    const struct binary_symbol *symbols = argument;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    if (symbols[left].value != symbols[right].value)
        return symbols[left].value < symbols[right].value ? -1 : 1;
    return (left > right) - (left < right);
}

void binary_sort_symbols(struct binary *binary)
{
    for (size_t i = 1; i < binary->symbol_count; i++)
        if (has_place(&binary->symbols[i]))
            binary->sections[binary->symbols[i].section].symbol_count++;
    for (size_t i = 0; i < binary->section_count; i++) {
        struct binary_section *section = &binary->sections[i];
        section->symbols =
            region_array(binary->region, section->symbol_count, sizeof *section->symbols);
        section->symbol_count = 0;
    }
    for (size_t i = 1; i < binary->symbol_count; i++) {
        struct binary_section *section = &binary->sections[binary->symbols[i].section];
        if (has_place(&binary->symbols[i]))
            section->symbols[section->symbol_count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < binary->section_count; i++)
        qsort_r(binary->sections[i].symbols, binary->sections[i].symbol_count, sizeof(uint32_t),
                by_value, binary->symbols);
}

/* ---- relocations ---- */

/* A relocation of a linked file names an address, one of an object file a place in `target`. */
static bool add_relocation(struct binary_reader *reader, const GElf_Rela *from, uint32_t target,
                           bool has_symbols)
{
    struct binary *binary = reader->binary;
    uint64_t offset = from->r_offset;
    uint32_t symbol = (uint32_t)GELF_R_SYM(from->r_info);
    if (binary->linked) {
        target = binary_section_at(binary, offset);
        if (target == SECTION_NONE)
            return true; /* in the headers; not in what can be captured */
        offset -= binary->sections[target].address;
    }
    struct binary_section *section = &binary->sections[target];
    if (offset >= section->size)
        return fail(reader, "a relocation of the section %s lies outside of it", section->name);
    if (!has_symbols && symbol)
        symbol = 0; /* counts in another table; RELATIVE ones have none */
    if (symbol >= binary->symbol_count && symbol)
        return fail(reader, "a relocation of the section %s names symbol %u of %zu", section->name,
                    symbol, binary->symbol_count);
    section->relocations =
        region_push(binary->region, section->relocations, section->relocation_count,
                    &section->relocation_capacity, sizeof *section->relocations);
    section->relocations[section->relocation_count++] = (struct binary_relocation){
        offset, (uint32_t)GELF_R_TYPE(from->r_info), symbol, from->r_addend};
    return true;
}

/*
 * The dynamic relocations of a linked file count symbols in .dynsym while the symbols here are
 * .symtab's: found again by name.
 */
static uint32_t translate_symbol(struct binary_reader *reader, Elf_Data *dynamic, uint32_t names,
                                 uint32_t symbol)
{
    GElf_Sym from;
    if (!symbol || symbol > INT32_MAX || !gelf_getsym(dynamic, (int)symbol, &from))
        return 0;
    const char *name = elf_strptr(reader->binary->elf, names, from.st_name);
    const struct binary_symbol *found = name && *name ? binary_find(reader->binary, name) : NULL;
    return found ? (uint32_t)(found - reader->binary->symbols) : 0;
}

static bool read_relocation_section(struct binary_reader *reader, Elf_Scn *scn)
{
    struct binary *binary = reader->binary;
    GElf_Shdr header, symbol_header;
    if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA)
        return true;
    if (header.sh_info >= binary->section_count)
        return fail(reader, "found relocations of section %u of %zu", header.sh_info,
                    binary->section_count);
    if ((!binary->linked || header.sh_info) &&
        !(binary->sections[header.sh_info].flags & SHF_ALLOC))
        return true; /* of debugging information */
    Elf_Data *data = elf_getdata(scn, NULL);
    if (!data)
        return fail(reader, "relocations cannot be read: the file is truncated");
    size_t count = data->d_size / sizeof(Elf64_Rela);
    reader->relocations += count;
    if (reader->relocations > RELOCATIONS_MAX)
        return fail(reader, "more than %d relocations", RELOCATIONS_MAX);
    Elf_Data *dynamic = NULL;
    bool own = header.sh_link == reader->symbols_index;
    if (!own) {
        Elf_Scn *linked = elf_getscn(binary->elf, header.sh_link);
        if (linked && gelf_getshdr(linked, &symbol_header) && symbol_header.sh_type == SHT_DYNSYM)
            dynamic = elf_getdata(linked, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Rela relocation;
        if (!gelf_getrela(data, (int)i, &relocation))
            return fail(reader, "relocation %zu cannot be read", i);
        if (dynamic) {
            uint32_t symbol = translate_symbol(reader, dynamic, symbol_header.sh_link,
                                               (uint32_t)GELF_R_SYM(relocation.r_info));
            relocation.r_info = GELF_R_INFO((uint64_t)symbol, GELF_R_TYPE(relocation.r_info));
        }
        if (!add_relocation(reader, &relocation, header.sh_info, own || dynamic))
            return false;
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct binary_relocation *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static bool read_relocations(struct binary_reader *reader)
{
    struct binary *binary = reader->binary;
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(binary->elf, scn)))
        if (!read_relocation_section(reader, scn))
            return false;
    for (size_t i = 0; i < binary->section_count; i++)
        if (binary->sections[i].relocation_count)
            qsort(binary->sections[i].relocations, binary->sections[i].relocation_count,
                  sizeof(struct binary_relocation), by_offset);
    return true;
}

/* ---- the whole ---- */

static void read_tls(struct binary *binary)
{
    size_t count;
    GElf_Phdr header;
    if (!binary->linked || elf_getphdrnum(binary->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < INT32_MAX; i++)
        if (gelf_getphdr(binary->elf, (int)i, &header) && header.p_type == PT_TLS &&
            header.p_memsz < UINT32_MAX) {
            binary->tls_address = header.p_vaddr;
            binary->tls_size = header.p_memsz;
            binary->tls_alignment = header.p_align ? header.p_align : 1;
        }
}

struct binary *binary_read(struct region *region, Elf *elf, int fd, const char *name,
                           struct diagnostics *diagnostics)
{
    struct binary *binary = region_alloc(region, sizeof *binary);
    struct binary_reader reader = {.binary = binary, .diagnostics = diagnostics};
    *binary = (struct binary){.region = region, .name = name, .elf = elf, .fd = fd};
    if (!check_header(&reader))
        return NULL;
    read_tls(binary);
    if (!read_sections(&reader) || !read_symbols(&reader))
        return NULL;
    binary_sort_symbols(binary);
    binary_index_names(binary);
    return read_relocations(&reader) ? binary : NULL;
}
