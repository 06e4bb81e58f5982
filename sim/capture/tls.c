/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thread-local data of the initial executable: it ends where the fs base points to, and a
 * control block of the C library's begins there (AMD64 supplement, "Thread-Local Storage",
 * variant II). Every CPU is a thread and has a copy.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "sim/capture/elf.h"

/* Of the control block: fs:0 and fs:0x10 hold its own address, fs:0x28 the stack guard (0). */
enum { CONTROL_BYTES = 0x900, SELF_OFFSET = 0x10, TLS_BYTES_MAX = 1 << 20 };

struct tls {
    uint64_t size; /* rounded up so that the thread pointer is aligned */
    uint64_t wanted_at;
    bool found;
};

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) & ~(alignment - 1) : value;
}

/* Initialised sections come before zero ones, as linkers have them. */
static void lay_out_binary(const struct binary *binary, const struct location *wanted,
                           struct tls *tls, uint64_t *alignment)
{
    for (int zero = 0; zero < 2; zero++)
        for (uint32_t i = 1; i < binary->section_count; i++) {
            const struct binary_section *section = &binary->sections[i];
            if (!(section->flags & SHF_TLS) || !(section->flags & SHF_ALLOC) ||
                (section->type == SHT_NOBITS) != zero || section->size > TLS_BYTES_MAX)
                continue;
            uint64_t own = section->alignment < 4096 ? section->alignment : 4096;
            tls->size = align_up(tls->size, own);
            *alignment = own > *alignment ? own : *alignment;
            if (wanted && wanted->binary == binary && wanted->section == i) {
                tls->wanted_at = tls->size + wanted->offset;
                tls->found = true;
            }
            tls->size += section->size;
        }
}

/* Where `wanted` (may be NULL) lies in a thread's block, and how large that is. */
static struct tls lay_out(const struct elf_capture *elf, const struct location *wanted)
{
    struct tls tls = {0};
    uint64_t alignment = 1;
    for (size_t i = 0; i < elf->inputs.binary_count; i++) {
        const struct binary *binary = elf->inputs.binaries[i];
        if (!binary->linked) {
            lay_out_binary(binary, wanted, &tls, &alignment);
        } else if (binary->tls_size && binary->tls_size <= TLS_BYTES_MAX && tls.size == 0) {
            uint64_t own = binary->tls_alignment;
            alignment = own <= 4096 && !(own & (own - 1)) ? own : 1;
            tls.size = binary->tls_size;
            if (wanted && wanted->binary == binary) {
                tls.wanted_at = binary->sections[wanted->section].address - binary->tls_address +
                                wanted->offset;
                tls.found = tls.wanted_at < tls.size;
            }
        }
    }
    tls.size = align_up(tls.size, alignment);
    return tls;
}

bool tls_distance(struct elf_capture *elf, const struct target *target, int64_t *distance)
{
    struct tls tls = lay_out(elf, &target->place);
    if (!tls.found) {
        elf_error(elf, target->place.binary->name,
                  "thread-local data '%s' cannot be placed: too large, or of several linked files",
                  target->name);
        return false;
    }
    *distance = (int64_t)(tls.wanted_at - tls.size) + target->distance;
    return true;
}

static void copy_template(struct elf_capture *elf, const struct binary *binary, uint64_t size,
                          uint8_t *bytes)
{
    for (uint32_t i = 1; i < binary->section_count; i++) {
        const struct binary_section *section = &binary->sections[i];
        struct location place = {(struct binary *)binary, i, 0};
        if (!(section->flags & SHF_TLS) || !section->bytes)
            continue;
        struct tls tls = lay_out(elf, &place);
        if (tls.found && tls.wanted_at <= size && section->size <= size - tls.wanted_at)
            memcpy(bytes + tls.wanted_at, section->bytes, section->size);
    }
}

void tls_touch(struct elf_capture *elf, int64_t distance)
{
    for (size_t i = 0; i < elf->tls_touched_count; i++)
        if (elf->tls_touched[i] == distance)
            return;
    elf->tls_touched = region_push(elf->region, elf->tls_touched, elf->tls_touched_count,
                                   &elf->tls_touched_capacity, sizeof *elf->tls_touched);
    elf->tls_touched[elf->tls_touched_count++] = distance;
}

static bool is_touched(const struct elf_capture *elf, int64_t start, uint64_t size)
{
    for (size_t i = 0; i < elf->tls_touched_count; i++)
        if (elf->tls_touched[i] >= start && elf->tls_touched[i] - start < (int64_t)size)
            return true;
    return false;
}

/* Names for the variables that are used: "P0_counter". */
static void name_variables(struct elf_capture *elf, struct binary *binary,
                           const struct cpu_code *code, int block, uint64_t size)
{
    struct capture *capture = &elf->capture;
    for (size_t i = 1; i < binary->symbol_count; i++) {
        const struct binary_symbol *symbol = &binary->symbols[i];
        if (symbol->type != STT_TLS || !symbol_is_defined(symbol) || !symbol->size ||
            symbol->section >= SECTION_COMMON)
            continue;
        struct location place = {binary, symbol->section, symbol->value};
        struct tls tls = lay_out(elf, &place);
        if (!tls.found || tls.wanted_at > size || symbol->size > size - tls.wanted_at ||
            !is_touched(elf, (int64_t)(tls.wanted_at - size), symbol->size))
            continue;
        int name = capture_add_object(
            capture, region_printf(elf->region, "%s_%s", code->name, symbol->name), symbol->size);
        capture->objects[name].parent = block;
        capture->objects[name].offset = tls.wanted_at;
        capture->objects[name].observed = true;
        add_variable(elf, name, binary, symbol->name);
    }
}

void make_tls(struct elf_capture *elf, struct cpu_code *code, struct capture_cpu *cpu)
{
    struct capture *capture = &elf->capture;
    if (!code->uses_fs || cpu->registers[CAPTURE_FS_BASE])
        return;
    struct tls tls = lay_out(elf, NULL);
    int block = capture_add_object(capture, region_printf(elf->region, "tls_%s", code->name),
                                   tls.size + CONTROL_BYTES);
    uint8_t *bytes = region_alloc(elf->region, tls.size + CONTROL_BYTES);
    for (size_t i = 0; i < elf->inputs.binary_count; i++)
        copy_template(elf, elf->inputs.binaries[i], tls.size, bytes);
    capture->objects[block].init = bytes;
    capture->objects[block].init_size = tls.size + CONTROL_BYTES;
    capture->objects[block].note = "thread-local data, then what the C library keeps at fs:0";
    capture_add_pointer(capture, block, tls.size, block, (int64_t)tls.size);
    capture_add_pointer(capture, block, tls.size + SELF_OFFSET, block, (int64_t)tls.size);
    for (size_t i = 0; i < elf->inputs.binary_count; i++)
        name_variables(elf, elf->inputs.binaries[i], code, block, tls.size);
    cpu->registers[CAPTURE_FS_BASE] =
        region_printf(elf->region, "%s+%" PRIu64, capture->objects[block].name, tls.size);
}
