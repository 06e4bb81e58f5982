/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a stopped process to a snapshot. Code: the functions that threads were stopped at and
 * all that they go to. Memory, by whole lines: what the code names by address, what registers
 * that it reads point to, as far as it goes from a pointer, and what is pointed to from there.
 */
#include "sim/capture/live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/map.h"
#include "sim/capture/process.h"
#include "sim/capture/snapshot.h"
#include "sim/capture/symbols.h"
#include "sim/program/layout.h"

enum {
    FUNCTIONS_MAX = 1024,
    MEMORY_LINES_MAX = 8192, /* of all memory */
    OBJECT_MAX = 64 << 10,   /* a variable is taken whole up to that */
    REACH_MAX = 4096,        /* how far code goes from a pointer */
    DEPTH_MAX = 4,           /* pointers behind pointers */
    PLT_ENTRY = 16,
    RSP = 4
};

struct memory_line {
    uint64_t address;
    uint8_t *bytes;
    unsigned depth;
};

struct reading {
    struct elf_capture *elf;
    struct live *live;
    struct region *region;
    struct process *process;
    struct symbols *symbols;
    struct snapshot snapshot;
    struct map functions, variables; /* by address, that are in the snapshot */
    struct map lines_at;             /* by address: index of */
    struct memory_line *lines;
    size_t line_count, line_capacity;
    uint64_t *calls; /* code that is still to be read */
    size_t call_count, call_capacity;
    uint64_t *data; /* addresses that the code names */
    size_t data_count, data_capacity;
    int64_t lowest, highest;         /* distances from registers that the code uses */
    int64_t tls_lowest, tls_highest; /* from fs_base */
    bool uses_tls;
    uint32_t read;
    struct binary_line *marks; /* lines of source */
    size_t mark_count, mark_capacity;
};

static void complain(struct reading *reading, const char *message)
{
    elf_error(reading->elf, reading->process->name, "%s", message);
}

/* ---- code ---- */

static void push(struct region *region, uint64_t **array, size_t *count, size_t *capacity,
                 uint64_t value)
{
    *array = region_push(region, *array, *count, capacity, sizeof **array);
    (*array)[(*count)++] = value;
}

static void widen(int64_t *lowest, int64_t *highest, int64_t distance, uint8_t size)
{
    if (distance < -REACH_MAX || distance > REACH_MAX)
        return;
    *lowest = distance < *lowest ? distance : *lowest;
    *highest = distance + size > *highest ? distance + size : *highest;
}

static void take_insn(struct reading *reading, const struct insn *insn)
{
    const struct memory_operand *memory = &insn->memory;
    reading->live->uses_vectors |= insn->uses_xmm;
    if (insn->is_branch && insn->has_target) {
        push(reading->region, &reading->calls, &reading->call_count, &reading->call_capacity,
             insn->target);
    } else if (memory->present && memory->segment == 1) {
        reading->uses_tls = true;
        if (memory->base == NO_REGISTER)
            widen(&reading->tls_lowest, &reading->tls_highest, memory->displacement, memory->size);
    } else if (memory->present && memory->base == NO_REGISTER) {
        push(reading->region, &reading->data, &reading->data_count, &reading->data_capacity,
             (uint64_t)memory->displacement);
    } else if (memory->present && memory->base != RSP && !insn_is_padding(insn)) {
        widen(&reading->lowest, &reading->highest, memory->displacement, memory->size);
    }
}

static void mark_line(struct reading *reading, uint64_t address)
{
    const char *text = symbols_line(reading->symbols, address);
    reading->marks = region_push(reading->region, reading->marks, reading->mark_count,
                                 &reading->mark_capacity, sizeof *reading->marks);
    reading->marks[reading->mark_count++] = (struct binary_line){address, text};
}

static void scan_function(struct reading *reading, uint64_t address, uint8_t *bytes, uint32_t size)
{
    struct region *scratch = region_child(reading->region);
    struct snippet snippet = {.address = address, .bytes = bytes, .size = size};
    struct code code;
    code_init(&code, scratch, &snippet);
    for (uint32_t offset = 0; offset < size;) {
        const struct insn *insn = code_at(&code, address + offset);
        if (!insn)
            break; /* whoever needs it will say so */
        take_insn(reading, insn);
        mark_line(reading, address + offset);
        offset += insn->length;
    }
    reading->read |= capture_read_first(scratch, bytes, size, true);
    region_release(scratch);
}

static void add_code(struct reading *reading, const char *section, uint64_t address,
                     const uint8_t *bytes, uint64_t size)
{
    struct snapshot_piece piece = {
        .section = section, .address = address, .bytes = bytes, .size = size, .code = true};
    snapshot_add_piece(&reading->snapshot, &piece);
}

static void add_function(struct reading *reading, const struct process_symbol *symbol)
{
    if (map_get(&reading->functions, symbol->address) != MAP_NONE)
        return;
    map_add(&reading->functions, symbol->address, 0);
    if (symbol->size > CODE_BYTES_MAX || reading->functions.count > FUNCTIONS_MAX) {
        complain(reading, region_printf(reading->region,
                                        "'%s' is too large, or more than %d functions are called",
                                        symbol->name, FUNCTIONS_MAX));
        return;
    }
    uint8_t *bytes = region_alloc(reading->region, symbol->size);
    if (process_read(reading->process, symbol->address, bytes, symbol->size) != symbol->size) {
        complain(reading,
                 region_printf(reading->region, "the code of '%s' cannot be read", symbol->name));
        return;
    }
    struct snapshot_symbol named = {.name = symbol->name,
                                    .section = "text",
                                    .address = symbol->address,
                                    .size = symbol->size,
                                    .code = true};
    add_code(reading, "text", symbol->address, bytes, symbol->size);
    snapshot_add_symbol(&reading->snapshot, &named);
    scan_function(reading, symbol->address, bytes, (uint32_t)symbol->size);
}

/* A stub of a linkage table: where its cell leads is part of the code, too. */
static void add_stub(struct reading *reading, uint64_t address)
{
    uint8_t *bytes = region_alloc(reading->region, PLT_ENTRY);
    if (map_get(&reading->functions, address) != MAP_NONE ||
        process_read(reading->process, address, bytes, PLT_ENTRY) != PLT_ENTRY)
        return;
    map_add(&reading->functions, address, 0);
    for (unsigned at = 0; at + 6 <= PLT_ENTRY; at++) {
        int32_t distance;
        uint8_t *cell = region_alloc(reading->region, 8);
        uint64_t target;
        if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
            continue;
        memcpy(&distance, bytes + at + 2, 4);
        uint64_t place = address + at + 6 + (uint64_t)(int64_t)distance;
        if (process_read(reading->process, place, cell, 8) != 8)
            return;
        struct snapshot_piece piece = {
            .section = ".got", .address = place, .bytes = cell, .size = 8};
        add_code(reading, ".plt", address, bytes, PLT_ENTRY);
        snapshot_add_piece(&reading->snapshot, &piece);
        memcpy(&target, cell, 8);
        push(reading->region, &reading->calls, &reading->call_count, &reading->call_capacity,
             target);
        return;
    }
}

static void read_code(struct reading *reading)
{
    for (size_t i = 0; i < reading->call_count && !reading->elf->diagnostics->count; i++) {
        struct process_symbol symbol;
        const struct mapping *mapping = symbols_mapping(reading->symbols, reading->calls[i]);
        if (!mapping || !mapping->execute)
            continue; /* whoever needs it will say so */
        if (symbols_at(reading->symbols, reading->calls[i], &symbol) && symbol.code)
            add_function(reading, &symbol);
        else
            add_stub(reading, reading->calls[i]);
    }
}

/* ---- memory ---- */

static void read_line(struct reading *reading, uint64_t address, unsigned depth)
{
    const struct mapping *mapping = symbols_mapping(reading->symbols, address);
    if (!mapping || mapping->execute || map_get(&reading->lines_at, address) != MAP_NONE)
        return;
    if (reading->line_count == MEMORY_LINES_MAX) {
        if (!reading->elf->diagnostics->count)
            complain(reading, "the code refers to more memory than can be captured");
        return;
    }
    uint8_t *bytes = region_alloc(reading->region, LINE_BYTES);
    if (process_read(reading->process, address, bytes, LINE_BYTES) != LINE_BYTES)
        return;
    map_add(&reading->lines_at, address, (uint32_t)reading->line_count);
    reading->lines = region_push(reading->region, reading->lines, reading->line_count,
                                 &reading->line_capacity, sizeof *reading->lines);
    reading->lines[reading->line_count++] = (struct memory_line){address, bytes, depth};
    struct snapshot_piece piece = {.section = mapping->write ? "data" : "rodata",
                                   .address = address,
                                   .bytes = bytes,
                                   .size = LINE_BYTES,
                                   .writable = mapping->write};
    snapshot_add_piece(&reading->snapshot, &piece);
}

static void read_range(struct reading *reading, uint64_t start, uint64_t end, unsigned depth)
{
    for (uint64_t at = start & ~(uint64_t)(LINE_BYTES - 1); at < end; at += LINE_BYTES)
        read_line(reading, at, depth);
}

/* The variable at an address, or what code that follows a pointer there may touch. */
static void read_data(struct reading *reading, uint64_t address, unsigned depth)
{
    struct process_symbol symbol;
    const struct mapping *mapping = symbols_mapping(reading->symbols, address);
    if (!mapping || mapping->execute)
        return;
    uint64_t start = address + (uint64_t)reading->lowest;
    uint64_t end = address + (uint64_t)reading->highest;
    start = start < mapping->start || start > address ? mapping->start : start;
    end = end > mapping->end ? mapping->end : end;
    if (symbols_at(reading->symbols, address, &symbol) && !symbol.code &&
        symbol.size <= OBJECT_MAX) {
        struct snapshot_symbol named = {
            .name = symbol.name, .section = "data", .address = symbol.address, .size = symbol.size};
        read_range(reading, symbol.address, symbol.address + symbol.size, depth);
        if (map_get(&reading->variables, symbol.address) == MAP_NONE) {
            map_add(&reading->variables, symbol.address, 0);
            snapshot_add_symbol(&reading->snapshot, &named);
        }
        return;
    }
    read_range(reading, start, end, depth);
}

/* The list grows meanwhile. */
static void follow_pointers(struct reading *reading)
{
    for (size_t i = 0; i < reading->line_count; i++) {
        struct memory_line line = reading->lines[i];
        if (line.depth == DEPTH_MAX)
            continue;
        for (unsigned at = 0; at < LINE_BYTES; at += 8) {
            uint64_t word;
            memcpy(&word, line.bytes + at, 8);
            read_data(reading, word, line.depth + 1);
        }
    }
}

static void read_memory(struct reading *reading)
{
    struct live *live = reading->live;
    for (size_t i = 0; i < reading->data_count; i++)
        read_data(reading, reading->data[i], 0);
    for (size_t i = 0; i < live->count; i++) {
        const struct live_cpu *cpu = &live->cpus[i];
        for (unsigned number = 0; number < 16; number++)
            if (cpu->read >> number & 1)
                read_data(reading, cpu->registers[number], 0);
        uint64_t fs = cpu->registers[CAPTURE_FS_BASE];
        if (reading->uses_tls)
            read_range(reading, fs + (uint64_t)reading->tls_lowest,
                       fs + (uint64_t)reading->tls_highest, DEPTH_MAX);
    }
    follow_pointers(reading);
}

/* ---- the process ---- */

static void take_registers(struct live_cpu *cpu, const struct user_regs_struct *from, uint32_t read)
{
    const uint64_t registers[CAPTURE_REGISTERS] = {
        from->rax, from->rcx, from->rdx, from->rbx, from->rsp,     from->rbp,
        from->rsi, from->rdi, from->r8,  from->r9,  from->r10,     from->r11,
        from->r12, from->r13, from->r14, from->r15, from->fs_base, from->gs_base};
    memcpy(cpu->registers, registers, sizeof registers);
    cpu->read = read & ~(UINT32_C(1) << RSP);
}

static struct stop *find_stops(struct reading *reading, size_t *count)
{
    const char *names = reading->elf->options->live_functions;
    size_t most = strlen(names) + 1;
    struct stop *stops = region_array(reading->region, most, sizeof *stops);
    *count = 0;
    for (; *names; names += strcspn(names, ",")) {
        names += *names == ',';
        size_t length = strcspn(names, ",");
        if (!length)
            continue;
        struct process_symbol symbol;
        const char *name = region_strndup(reading->region, names, length);
        if (symbols_function(reading->symbols, name, &symbol))
            stops[(*count)++] = (struct stop){.function = name, .address = symbol.address};
        else
            complain(reading, region_printf(reading->region, "has no function '%s'%s", name,
                                            symbols_suggest(reading->symbols, name)));
    }
    if (!*count && !reading->elf->diagnostics->count)
        complain(reading, "no function to stop at: expected FUNCTION,FUNCTION");
    return stops;
}

static void read_stopped(struct reading *reading, const struct stop *stops)
{
    struct live *live = reading->live;
    live->cpus = region_array(reading->region, live->count + 1, sizeof *live->cpus);
    for (size_t i = 0; i < live->count; i++) {
        struct process_symbol symbol;
        if (!symbols_function(reading->symbols, stops[i].function, &symbol))
            continue;
        live->cpus[i].function = stops[i].function;
        add_function(reading, &symbol);
    }
    read_code(reading);
    for (size_t i = 0; i < live->count; i++)
        take_registers(&live->cpus[i], &stops[i].registers, reading->read);
    read_memory(reading);
}

static int by_mark(const void *a, const void *b)
{
    const struct binary_line *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static struct process *open_process(struct elf_capture *elf)
{
    const fs_capture_options *options = elf->options;
    if (options->live_pid)
        return process_attach(elf->region, elf->diagnostics, (pid_t)options->live_pid);
    return process_start(elf->region, elf->diagnostics, options->live_command,
                         options->live_command_count);
}

bool live_read(struct elf_capture *elf, struct live *live)
{
    struct reading reading = {.elf = elf, .live = live, .region = elf->region};
    double seconds = elf->options->live_seconds > 0 ? elf->options->live_seconds : 10;
    reading.process = open_process(elf);
    if (!reading.process)
        return false;
    map_init(&reading.functions, elf->region);
    map_init(&reading.variables, elf->region);
    map_init(&reading.lines_at, elf->region);
    reading.highest = LINE_BYTES;
    reading.tls_highest = LINE_BYTES;
    reading.symbols = symbols_open(elf->region, reading.process->id);
    if (!reading.symbols) {
        complain(&reading, "its files and mappings cannot be read");
        return false;
    }
    struct stop *stops = find_stops(&reading, &live->count);
    if (elf->diagnostics->count || !process_run_to(reading.process, stops, live->count, seconds))
        return false;
    reading.symbols = symbols_open(elf->region, reading.process->id); /* there are more now */
    if (!reading.symbols) {
        complain(&reading, "its files and mappings cannot be read");
        return false;
    }
    snapshot_init(&reading.snapshot, elf->region, elf->diagnostics,
                  symbols_program(reading.symbols));
    read_stopped(&reading, stops);
    process_release(reading.process);
    if (elf->diagnostics->count)
        return false;
    live->binary = snapshot_binary(&reading.snapshot);
    if (!live->binary)
        return false;
    if (reading.mark_count)
        qsort(reading.marks, reading.mark_count, sizeof *reading.marks, by_mark);
    live->binary->own_lines = reading.marks;
    live->binary->own_line_count = reading.mark_count;
    live->binary->note = live->uses_vectors
                             ? "captured from a running process: registers that the code reads and "
                               "memory are as they were here; rsp is a private stack without the "
                               "caller's frame, vector registers are 0"
                             : "captured from a running process: registers that the code reads and "
                               "memory are as they were here; rsp is a private stack without the "
                               "caller's frame";
    return true;
}

/* ---- into the trace ---- */

static bool is_data(const struct target *target)
{
    return target->kind == TARGET_PLACE &&
           !section_is_code(&target->place.binary->sections[target->place.section]);
}

static bool is_used(const struct elf_capture *elf, const struct live *live, size_t cpu,
                    unsigned number)
{
    if (number == CAPTURE_FS_BASE)
        return elf->codes[live->first + cpu].uses_fs;
    return number < 16 && (live->cpus[cpu].read >> number & 1);
}

void live_need(struct elf_capture *elf, const struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        for (unsigned number = 0; number < CAPTURE_REGISTERS; number++) {
            struct target target = target_of_address(live->binary, live->cpus[i].registers[number]);
            if (is_used(elf, live, i, number) && is_data(&target))
                need_data(elf, &target, 0);
        }
}

void live_set_registers(struct elf_capture *elf, const struct live *live)
{
    for (size_t i = 0; i < live->count; i++)
        for (unsigned number = 0; number < CAPTURE_REGISTERS; number++) {
            struct capture_cpu *cpu = &elf->capture.cpus[live->first + i];
            uint64_t value = live->cpus[i].registers[number];
            struct target target = target_of_address(live->binary, value);
            int object;
            int64_t distance;
            if (!is_used(elf, live, i, number) || cpu->registers[number])
                continue;
            if (is_data(&target) && object_of(elf, &target, &object, &distance))
                cpu->registers[number] = region_printf(elf->region, distance ? "%s+%" PRId64 : "%s",
                                                       elf->capture.objects[object].name, distance);
            else if (value)
                cpu->registers[number] = region_printf(elf->region, "0x%" PRIx64, value);
        }
}
