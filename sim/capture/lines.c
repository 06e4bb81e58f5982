/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF through elfutils' libdwfl, which also relocates that of object files. It is opened
 * when the first line is asked for. Files of debugging information elsewhere are not looked
 * for: what is captured shall depend on the files that the user named alone.
 */
#define _GNU_SOURCE /* memfd_create */
#include "sim/capture/lines.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct lines {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Elf *elf; /* of the module, with addresses for the sections of an object file */
    Dwarf_Addr bias;
    Dwarf_Die *unit; /* where the last address was found, NULL at first */
    Dwarf_Addr unit_bias;
};

static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **path)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
    *path = NULL;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_nothing,
                                         .section_address = dwfl_offline_section_address};

static void close_lines(void *argument)
{
    struct lines *lines = argument;
    if (lines->dwfl)
        dwfl_end(lines->dwfl);
}

/* A descriptor of the binary alone: libdwfl wants files, and a member of an archive is none. */
static int binary_file(const struct binary *binary)
{
    size_t size, done = 0;
    if (binary->fd >= 0)
        return fcntl(binary->fd, F_DUPFD_CLOEXEC, 0);
    const char *bytes = elf_rawfile(binary->elf, &size);
    int fd = bytes ? memfd_create("fencesim", MFD_CLOEXEC) : -1;
    while (fd >= 0 && done < size) {
        ssize_t wrote = write(fd, bytes + done, size - done);
        if (wrote <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)wrote;
    }
    return fd;
}

static struct lines *open_lines(struct binary *binary)
{
    if (binary->lines)
        return binary->lines;
    struct lines *lines = binary->lines = region_alloc(binary->region, sizeof *lines);
    region_on_release(binary->region, close_lines, lines);
    int fd = binary_file(binary);
    if (fd < 0)
        return lines;
    lines->dwfl = dwfl_begin(&callbacks);
    if (lines->dwfl)
        lines->module = dwfl_report_offline(lines->dwfl, "captured", "captured", fd);
    if (!lines->module) {
        close(fd); /* otherwise it is libdwfl's */
        return lines;
    }
    dwfl_report_end(lines->dwfl, NULL, NULL);
    lines->elf = dwfl_module_getelf(lines->module, &lines->bias);
    return lines;
}

/* The address that libdwfl gave to a place; false when it knows none. */
static bool address_of(struct binary *binary, uint32_t section, uint64_t offset,
                       Dwarf_Addr *address)
{
    struct lines *lines = open_lines(binary);
    GElf_Shdr header;
    Elf_Scn *scn = lines->elf ? elf_getscn(lines->elf, section) : NULL;
    if (!scn || !gelf_getshdr(scn, &header))
        return false;
    *address = header.sh_addr + offset + lines->bias;
    return true;
}

/* A path as the compiler was given it: without the folder that it ran in. */
static const char *short_path(const char *path, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    if (length && strncmp(path, folder, length) == 0 && path[length] == '/')
        path += length + 1;
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

static bool is_clean(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

/*
 * The unit that an address was compiled in. The index by address is optional and some
 * compilers leave it out; then units are asked one by one, the last one that was right first.
 */
static Dwarf_Die *unit_at(struct lines *lines, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(lines->module, address, bias);
    if (unit)
        return unit;
    if (lines->unit && dwarf_haspc(lines->unit, address - lines->unit_bias) > 0) {
        *bias = lines->unit_bias;
        return lines->unit;
    }
    while ((unit = dwfl_module_nextcu(lines->module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0) {
            lines->unit = unit;
            lines->unit_bias = *bias;
            return unit;
        }
    return NULL;
}

static const char *folder_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    return dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

static const char *own_line_at(const struct binary *binary, uint64_t address)
{
    size_t low = 0, high = binary->own_line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (binary->own_lines[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < binary->own_line_count && binary->own_lines[low].address == address;
    return found ? binary->own_lines[low].text : NULL;
}

const char *lines_at(struct binary *binary, uint32_t section, uint64_t offset)
{
    Dwarf_Addr address, bias;
    int number = 0;
    if (binary->own_line_count)
        return own_line_at(binary, binary->sections[section].address + offset);
    if (!address_of(binary, section, offset, &address))
        return NULL;
    Dwarf_Die *unit = unit_at(binary->lines, address, &bias);
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!path || dwarf_lineno(line, &number) != 0 || number <= 0 || !is_clean(path))
        return NULL;
    return region_printf(binary->region, "%.200s:%d", short_path(path, folder_of(unit)), number);
}

/* ---- functions ---- */

enum { TYPE_DEPTH_MAX = 16 };

/* What a type is behind its names; false when there is nothing to see. */
static bool resolve_type(Dwarf_Attribute *attribute, Dwarf_Die *type)
{
    if (!attribute || !dwarf_formref_die(attribute, type))
        return false;
    for (int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
        Dwarf_Attribute next;
        int tag = dwarf_tag(type);
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type)
            return true;
        if (!dwarf_attr(type, DW_AT_type, &next) || !dwarf_formref_die(&next, type))
            return false;
    }
    return false;
}

/* The bytes of a type that a general register can hold; 0 when it is no such type. */
static unsigned register_bytes(Dwarf_Die *type)
{
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type)
        return 8;
    if (tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type)
        return 0;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_attr(type, DW_AT_encoding, &attribute))
        dwarf_formudata(&attribute, &encoding);
    int size = dwarf_bytesize(type);
    bool real = encoding == DW_ATE_float || encoding == DW_ATE_complex_float;
    return real || size <= 0 || size > 8 ? 0 : (unsigned)size;
}

static const char *parameter_text(struct region *region, Dwarf_Die *parameter, Dwarf_Die *type)
{
    const char *name = dwarf_diename(parameter);
    bool pointer = dwarf_tag(type) == DW_TAG_pointer_type;
    if (!name || !is_clean(name))
        return NULL;
    return region_printf(region, "%s%.60s", pointer ? "the pointer " : "", name);
}

/* False when a parameter lies elsewhere, so that the registers of the next are not known. */
static bool add_parameter(struct region *region, Dwarf_Die *parameter, struct function_types *types)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    size_t most = sizeof types->parameters / sizeof *types->parameters;
    if (types->parameter_count == most ||
        !resolve_type(dwarf_attr_integrate(parameter, DW_AT_type, &attribute), &type) ||
        register_bytes(&type) == 0)
        return false;
    types->parameters[types->parameter_count++] = parameter_text(region, parameter, &type);
    return true;
}

static void read_function(struct region *region, Dwarf_Die *function, struct function_types *types)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type, child;
    if (resolve_type(dwarf_attr_integrate(function, DW_AT_type, &attribute), &type))
        types->result_bytes = register_bytes(&type);
    int more = dwarf_child(function, &child);
    for (int seen = 0; more == 0 && seen < 1000; seen++) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter && !add_parameter(region, &child, types))
            return;
        more = dwarf_siblingof(&child, &child);
    }
}

struct wanted {
    Dwarf_Addr address;
    Dwarf_Die function;
    bool found;
};

static int look_at(Dwarf_Die *function, void *argument)
{
    struct wanted *wanted = argument;
    if (dwarf_haspc(function, wanted->address) <= 0)
        return DWARF_CB_OK;
    wanted->function = *function;
    wanted->found = true;
    return DWARF_CB_ABORT;
}

void lines_function(struct binary *binary, uint32_t section, uint64_t offset,
                    struct function_types *types)
{
    Dwarf_Addr address, bias;
    struct wanted wanted = {0};
    *types = (struct function_types){0};
    if (!address_of(binary, section, offset, &address))
        return;
    Dwarf_Die *unit = unit_at(binary->lines, address, &bias);
    if (!unit)
        return;
    wanted.address = address - bias;
    dwarf_getfuncs(unit, look_at, &wanted, 0);
    types->known = wanted.found;
    if (wanted.found)
        read_function(binary->region, &wanted.function, types);
}

/* ---- variables ---- */

enum { UNITS_MAX = 4096, FIELD_DEPTH_MAX = 4, TABLE_FIELDS_MAX = 512, ANY_SIZE = 0 };

struct flattening {
    struct region *region;
    struct variable_field *fields;
    size_t count, most;
    uint64_t end; /* of the variable */
};

static bool flatten(struct flattening *to, Dwarf_Die *type, const char *name, uint64_t offset,
                    int depth);

static const char *join(struct region *region, const char *name, const char *part)
{
    return *name ? region_printf(region, "%s_%.40s", name, part)
                 : region_printf(region, "%.40s", part);
}

static bool flatten_members(struct flattening *to, Dwarf_Die *type, const char *name,
                            uint64_t offset, int depth)
{
    Dwarf_Die child, member;
    Dwarf_Attribute attribute;
    int more = dwarf_child(type, &child);
    for (; more == 0; more = dwarf_siblingof(&child, &child)) {
        Dwarf_Word at = 0;
        if (dwarf_tag(&child) != DW_TAG_member)
            continue;
        if (dwarf_hasattr(&child, DW_AT_bit_size) || dwarf_hasattr(&child, DW_AT_data_bit_offset))
            return false;
        if (dwarf_attr(&child, DW_AT_data_member_location, &attribute) &&
            dwarf_formudata(&attribute, &at) != 0)
            return false;
        const char *own = dwarf_diename(&child);
        if (!resolve_type(dwarf_attr(&child, DW_AT_type, &attribute), &member) ||
            !flatten(to, &member, own && is_clean(own) ? join(to->region, name, own) : name,
                     offset + at, depth))
            return false;
    }
    return true;
}

/* The number of elements in all dimensions; 0: not known. */
static uint64_t array_count(Dwarf_Die *type)
{
    Dwarf_Die child;
    Dwarf_Attribute attribute;
    uint64_t count = 1;
    int more = dwarf_child(type, &child);
    for (; more == 0; more = dwarf_siblingof(&child, &child)) {
        Dwarf_Word number = 0;
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        if (dwarf_attr(&child, DW_AT_count, &attribute))
            dwarf_formudata(&attribute, &number);
        else if (dwarf_attr(&child, DW_AT_upper_bound, &attribute) &&
                 dwarf_formudata(&attribute, &number) == 0)
            number++;
        if (number == 0 || number > 4096 || count * number > 4096)
            return 0;
        count *= number;
    }
    return count;
}

static bool flatten_elements(struct flattening *to, Dwarf_Die *type, const char *name,
                             uint64_t offset, int depth)
{
    Dwarf_Die element;
    Dwarf_Attribute attribute;
    uint64_t count = array_count(type);
    if (!count || !resolve_type(dwarf_attr(type, DW_AT_type, &attribute), &element))
        return false;
    Dwarf_Word size;
    if (dwarf_aggregate_size(&element, &size) != 0)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const char *number = region_printf(to->region, "%u", (unsigned)i);
        if (!flatten(to, &element, join(to->region, name, number), offset + i * size, depth))
            return false;
    }
    return true;
}

static bool flatten(struct flattening *to, Dwarf_Die *type, const char *name, uint64_t offset,
                    int depth)
{
    int tag = dwarf_tag(type);
    uint64_t size = register_bytes(type);
    if (depth >= FIELD_DEPTH_MAX)
        return false;
    if (tag == DW_TAG_structure_type)
        return flatten_members(to, type, name, offset, depth + 1);
    if (tag == DW_TAG_array_type)
        return flatten_elements(to, type, name, offset, depth + 1);
    if (!size || (size & (size - 1)) || offset > to->end || size > to->end - offset ||
        to->count == to->most)
        return false;
    to->fields[to->count++] = (struct variable_field){name, offset, size};
    return true;
}

/* Whether a variable has that name, as the linker's symbol has it: "state.0" is `state`. */
static bool is_named(Dwarf_Die *variable, const char *name)
{
    const char *own = dwarf_diename(variable);
    size_t length = strcspn(name, ".");
    return own && strncmp(own, name, length) == 0 && own[length] == '\0';
}

static bool find_variable(Dwarf_Die *unit, const char *name, uint64_t size, Dwarf_Die *type)
{
    Dwarf_Die child;
    Dwarf_Attribute attribute;
    int more = dwarf_child(unit, &child);
    for (; more == 0; more = dwarf_siblingof(&child, &child)) {
        Dwarf_Word own_size;
        if (dwarf_tag(&child) == DW_TAG_variable && is_named(&child, name) &&
            resolve_type(dwarf_attr_integrate(&child, DW_AT_type, &attribute), type) &&
            dwarf_aggregate_size(type, &own_size) == 0 && (own_size == size || size == ANY_SIZE))
            return true;
    }
    return false;
}

size_t lines_fields(struct binary *binary, const char *name, uint64_t size,
                    struct variable_field *fields, size_t most)
{
    struct lines *lines = open_lines(binary);
    struct flattening to = {.region = binary->region, .fields = fields, .most = most, .end = size};
    Dwarf_Die *unit = NULL, type;
    Dwarf_Addr bias;
    for (int tried = 0; lines->module && tried < UNITS_MAX; tried++) {
        unit = dwfl_module_nextcu(lines->module, unit, &bias);
        if (!unit)
            return 0;
        if (find_variable(unit, name, size, &type))
            return flatten(&to, &type, "", 0, 0) ? to.count : 0;
    }
    return 0;
}

const char *lines_field_at(struct binary *binary, const char *name, uint64_t offset)
{
    struct variable_field *fields = region_array(binary->region, TABLE_FIELDS_MAX, sizeof *fields);
    struct flattening to = {
        .region = binary->region, .fields = fields, .most = TABLE_FIELDS_MAX, .end = UINT64_MAX};
    struct lines *lines = open_lines(binary);
    Dwarf_Die *unit = NULL, type;
    Dwarf_Addr bias;
    bool found = false;
    for (int tried = 0; lines->module && tried < UNITS_MAX && !found; tried++) {
        unit = dwfl_module_nextcu(lines->module, unit, &bias);
        if (!unit)
            return NULL;
        found = find_variable(unit, name, ANY_SIZE, &type);
    }
    if (found)
        flatten(&to, &type, "", 0, 0); /* as far as it can be: what is before the rest is known */
    for (size_t i = 0; i < to.count; i++)
        if (fields[i].offset == offset && *fields[i].name)
            return fields[i].name;
    return NULL;
}
