/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/capture/symbols.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/diagnostics.h"

struct symbols {
    struct region *region;
    Dwfl *dwfl;
    FILE *maps;
    struct mapping *mappings; /* ascending */
    size_t mapping_count, mapping_capacity;
    Dwfl_Module *program;
};

/* Separate files of debugging information are not looked for, nor is a network asked. */
static int find_no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                             const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
    (void)found;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                         .find_debuginfo = find_no_debuginfo};

static void close_symbols(void *argument)
{
    struct symbols *symbols = argument;
    if (symbols->dwfl)
        dwfl_end(symbols->dwfl);
    symbols->dwfl = NULL;
    if (symbols->maps)
        fclose(symbols->maps);
    symbols->maps = NULL;
}

static int take_first(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
                      void *argument)
{
    (void)user, (void)name, (void)start;
    *(Dwfl_Module **)argument = module;
    return DWARF_CB_ABORT;
}

static bool read_mappings(struct symbols *symbols, pid_t process)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    symbols->maps = fopen(path, "re");
    bool starts = true;
    while (symbols->maps && fgets(line, sizeof line, symbols->maps)) {
        struct mapping mapping;
        char flags[5] = "";
        bool begins = starts;
        starts = strchr(line, '\n') != NULL;
        if (!begins ||
            sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &mapping.start, &mapping.end, flags) != 3)
            continue;
        mapping.read = flags[0] == 'r';
        mapping.write = flags[1] == 'w';
        mapping.execute = flags[2] == 'x';
        symbols->mappings = region_push(symbols->region, symbols->mappings, symbols->mapping_count,
                                        &symbols->mapping_capacity, sizeof mapping);
        symbols->mappings[symbols->mapping_count++] = mapping;
    }
    return symbols->mapping_count != 0;
}

struct symbols *symbols_open(struct region *region, pid_t process)
{
    struct symbols *symbols = region_alloc(region, sizeof *symbols);
    symbols->region = region;
    region_on_release(region, close_symbols, symbols);
    symbols->dwfl = dwfl_begin(&callbacks);
    if (!symbols->dwfl || !read_mappings(symbols, process) ||
        dwfl_linux_proc_report(symbols->dwfl, process) != 0 ||
        dwfl_report_end(symbols->dwfl, NULL, NULL) != 0)
        return NULL;
    dwfl_getmodules(symbols->dwfl, take_first, &symbols->program, 0);
    return symbols;
}

/* ---- by name ---- */

struct search {
    const char *name;
    struct process_symbol *found;
    bool weak;
};

static bool is_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_size && type == STT_FUNC;
}

static int search_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
                         void *argument)
{
    struct search *search = argument;
    (void)user, (void)name, (void)start;
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *own = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (!own || !is_function(&symbol) || strcmp(own, search->name) != 0)
            continue;
        *search->found = (struct process_symbol){search->name, address, symbol.st_size, true};
        return DWARF_CB_ABORT;
    }
    return DWARF_CB_OK;
}

bool symbols_function(const struct symbols *symbols, const char *name, struct process_symbol *found)
{
    struct search search = {.name = name, .found = found};
    *found = (struct process_symbol){0};
    dwfl_getmodules(symbols->dwfl, search_module, &search, 0);
    return found->name != NULL;
}

const char *symbols_suggest(const struct symbols *symbols, const char *name)
{
    enum { CANDIDATES_MAX = 100000 };
    int count = symbols->program ? dwfl_module_getsymtab(symbols->program) : 0;
    const char **names = region_array(symbols->region, CANDIDATES_MAX, sizeof *names);
    size_t known = 0;
    for (int i = 1; i < count && known < CANDIDATES_MAX; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *own =
            dwfl_module_getsym_info(symbols->program, i, &symbol, &address, NULL, NULL, NULL);
        if (own && is_function(&symbol))
            names[known++] = own;
    }
    const char *near = nearest_name(name, names, known);
    if (near)
        return region_printf(symbols->region, " (did you mean '%.100s'?)", near);
    return known ? "" : "; the program has no names of functions: it is stripped";
}

/* ---- by address ---- */

bool symbols_at(const struct symbols *symbols, uint64_t address, struct process_symbol *found)
{
    Dwfl_Module *module = dwfl_addrmodule(symbols->dwfl, address);
    GElf_Sym symbol;
    GElf_Off offset;
    const char *name =
        module ? dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) : NULL;
    if (!name || offset >= symbol.st_size)
        return false;
    int type = GELF_ST_TYPE(symbol.st_info);
    *found = (struct process_symbol){region_strdup(symbols->region, name), address - offset,
                                     symbol.st_size, type == STT_FUNC};
    return type == STT_FUNC || type == STT_OBJECT;
}

const struct mapping *symbols_mapping(const struct symbols *symbols, uint64_t address)
{
    for (size_t i = 0; i < symbols->mapping_count; i++)
        if (address >= symbols->mappings[i].start && address < symbols->mappings[i].end)
            return &symbols->mappings[i];
    return NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_clean(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text >= 0x7f)
            return false;
    return true;
}

const char *symbols_program(const struct symbols *symbols)
{
    const char *name = symbols->program ? dwfl_module_info(symbols->program, NULL, NULL, NULL, NULL,
                                                           NULL, NULL, NULL)
                                        : NULL;
    const char *base = name ? base_name(name) : "";
    return *base && is_clean(base) ? region_strdup(symbols->region, base) : "process";
}

const char *symbols_line(const struct symbols *symbols, uint64_t address)
{
    int number = 0;
    Dwfl_Line *line = dwfl_getsrc(symbols->dwfl, address);
    const char *path = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!path || number <= 0 || !is_clean(path))
        return NULL;
    return region_printf(symbols->region, "%.200s:%d", base_name(path), number);
}
