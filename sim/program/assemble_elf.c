/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the object file that `as` wrote: the bytes of .text, marks (L$n), relocations. */
#include "sim/program/assemble.h"

#include <libelf.h>
#include <stdlib.h>
#include <string.h>

struct object_file {
    Elf *elf;
    struct region *region;
    size_t text_index; /* section number of .text */
    Elf_Data *text, *symbols, *relocations;
    size_t names; /* section number of the symbols' names */
};

static void take_section(struct object_file *file, Elf_Scn *section, size_t section_names)
{
    const Elf64_Shdr *header = elf64_getshdr(section);
    const char *name = header ? elf_strptr(file->elf, section_names, header->sh_name) : NULL;
    if (!name)
        return;
    if (header->sh_type == SHT_SYMTAB) {
        file->symbols = elf_getdata(section, NULL);
        file->names = header->sh_link;
    } else if (strcmp(name, ".text") == 0) {
        file->text_index = elf_ndxscn(section);
        file->text = elf_getdata(section, NULL);
    } else if (strcmp(name, ".rela.text") == 0) {
        file->relocations = elf_getdata(section, NULL);
    }
}

static bool find_sections(struct object_file *file)
{
    size_t section_names;
    Elf_Scn *section = NULL;
    if (elf_kind(file->elf) != ELF_K_ELF || elf_getshdrstrndx(file->elf, &section_names) != 0)
        return false;
    while ((section = elf_nextscn(file->elf, section)))
        take_section(file, section, section_names);
    return file->text && file->symbols;
}

static size_t symbol_count(const struct object_file *file)
{
    return file->symbols->d_size / sizeof(Elf64_Sym);
}

static void read_marks(const struct object_file *file, size_t mark_count, struct as_output *output)
{
    const Elf64_Sym *symbols = file->symbols->d_buf;
    output->marks = region_array(file->region, mark_count, sizeof *output->marks);
    for (size_t i = 0; i < mark_count; i++)
        output->marks[i] = NO_MARK;
    for (size_t i = 0; i < symbol_count(file); i++) {
        const char *name = elf_strptr(file->elf, file->names, symbols[i].st_name);
        if (!name || name[0] != 'L' || name[1] != '$' || symbols[i].st_shndx != file->text_index)
            continue;
        unsigned long mark = strtoul(name + 2, NULL, 10);
        if (mark < mark_count)
            output->marks[mark] = symbols[i].st_value;
    }
}

static bool read_relocation(const struct object_file *file, const Elf64_Rela *from,
                            struct relocation *to)
{
    const Elf64_Sym *symbols = file->symbols->d_buf;
    size_t index = ELF64_R_SYM(from->r_info);
    if (index >= symbol_count(file))
        return false;
    const Elf64_Sym *symbol = &symbols[index];
    *to = (struct relocation){.offset = from->r_offset,
                              .type = (uint32_t)ELF64_R_TYPE(from->r_info),
                              .addend = from->r_addend};
    if (index == 0 || symbol->st_shndx == SHN_ABS) {
        to->absolute = true;
        to->addend += (int64_t)symbol->st_value;
    } else if (symbol->st_shndx == file->text_index) {
        to->addend += (int64_t)symbol->st_value;
    } else if (symbol->st_shndx == SHN_UNDEF) {
        const char *name = elf_strptr(file->elf, file->names, symbol->st_name);
        if (!name)
            return false;
        to->symbol = region_strdup(file->region, name);
    } else {
        return false;
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct relocation *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static bool read_relocations(const struct object_file *file, struct as_output *output)
{
    if (!file->relocations)
        return true;
    const Elf64_Rela *entries = file->relocations->d_buf;
    size_t count = file->relocations->d_size / sizeof *entries;
    output->relocations = region_array(file->region, count, sizeof *output->relocations);
    output->relocation_count = count;
    for (size_t i = 0; i < count; i++)
        if (!read_relocation(file, &entries[i], &output->relocations[i]))
            return false;
    if (count)
        qsort(output->relocations, count, sizeof *output->relocations, by_offset);
    return true;
}

bool object_read(void *elf, struct region *region, size_t mark_count, struct as_output *output)
{
    struct object_file file = {.elf = elf, .region = region};
    if (!find_sections(&file))
        return false;
    output->size = file.text->d_size;
    output->bytes = region_alloc(region, output->size);
    if (output->size && file.text->d_buf)
        memcpy(output->bytes, file.text->d_buf, output->size);
    read_marks(&file, mark_count, output);
    return read_relocations(&file, output);
}
