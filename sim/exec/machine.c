/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/exec/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    /* What machines have at least, so that one serves nearly every program. */
    USUAL_CPUS = 16,
    USUAL_OBJECT_BYTES = 1 << 20,
    /* Each translation costs some 700 bytes that Unicorn never gives back. */
    TRANSLATIONS_BEFORE_REOPEN = 50000
};
#define HLT 0xf4

static _Thread_local struct machine *spare;

bool range_covers(const struct range *range, uint64_t address, uint64_t size)
{
    return address >= range->start && size <= range->size &&
           address - range->start <= range->size - size;
}

static void *map_memory(uint64_t size)
{
    void *host = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return host == MAP_FAILED ? NULL : host;
}

static bool map_range(struct machine *machine, struct range *range, uint64_t start, uint64_t size,
                      uint32_t permissions)
{
    range->start = start;
    range->size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    range->host = map_memory(range->size);
    return range->host && uc_mem_map_ptr(machine->engine, range->start, range->size, permissions,
                                         range->host) == UC_ERR_OK;
}

static void unmap_range(struct range *range)
{
    if (range->host)
        munmap(range->host, range->size);
}

struct extent machine_extent(const struct program *program)
{
    uint64_t cpus = program->cpu_count < USUAL_CPUS ? USUAL_CPUS : program->cpu_count;
    struct extent extent = {cpus * CODE_STRIDE, USUAL_OBJECT_BYTES, cpus * STACK_BYTES};
    for (size_t i = 0; i < program->object_count; i++) {
        const struct object *object = &program->objects[i];
        uint64_t end = object->address + object->size - OBJECT_BASE;
        extent.objects = end > extent.objects ? end : extent.objects;
    }
    return extent;
}

static bool start(struct machine *machine, const struct extent *extent,
                  const struct machine_hooks *hooks)
{
    uc_hook access, invalid;
    if (uc_open(UC_ARCH_X86, UC_MODE_64, &machine->engine) != UC_ERR_OK) {
        machine->engine = NULL;
        return false;
    }
    if (uc_hook_add(machine->engine, &access, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                    (void *)hooks->access, machine, 1, 0) != UC_ERR_OK ||
        uc_hook_add(machine->engine, &invalid, UC_HOOK_MEM_INVALID, (void *)hooks->invalid, machine,
                    1, 0) != UC_ERR_OK)
        return false;
    if (!map_range(machine, &machine->code, CODE_BASE, extent->code, UC_PROT_READ | UC_PROT_EXEC) ||
        !map_range(machine, &machine->objects, OBJECT_BASE, extent->objects,
                   UC_PROT_READ | UC_PROT_WRITE) ||
        !map_range(machine, &machine->stacks, STACK_BASE, extent->stacks,
                   UC_PROT_READ | UC_PROT_WRITE))
        return false;
    uint32_t mxcsr = 0x1f80; /* Unicorn resets it to 0: every exception unmasked */
    uint16_t fpcw = 0x37f;
    uc_reg_write(machine->engine, UC_X86_REG_MXCSR, &mxcsr);
    uc_reg_write(machine->engine, UC_X86_REG_FPCW, &fpcw);
    machine->at = map_memory(machine->code.size * sizeof *machine->at); /* mostly never touched */
    return machine->at;
}

static void machine_close(struct machine *machine)
{
    if (!machine)
        return;
    if (machine->engine)
        uc_close(machine->engine);
    if (machine->at)
        munmap(machine->at, machine->code.size * sizeof *machine->at);
    unmap_range(&machine->code);
    unmap_range(&machine->objects);
    unmap_range(&machine->stacks);
    free(machine);
}

static bool is_enough(const struct machine *machine, const struct extent *extent)
{
    return machine->code.size >= extent->code && machine->objects.size >= extent->objects &&
           machine->stacks.size >= extent->stacks;
}

struct machine *machine_take(const struct extent *extent, const struct machine_hooks *hooks)
{
    struct machine *machine = spare;
    if (machine && is_enough(machine, extent)) {
        spare = NULL;
        return machine;
    }
    machine = calloc(1, sizeof *machine);
    if (!machine || start(machine, extent, hooks))
        return machine;
    machine_close(machine);
    return NULL;
}

bool machine_is_worn(const struct machine *machine)
{
    return machine->translations > TRANSLATIONS_BEFORE_REOPEN;
}

void machine_give_back(struct machine *machine)
{
    bool usual = machine->objects.size <= USUAL_OBJECT_BYTES && !machine_is_worn(machine);
    if (usual && !spare)
        spare = machine;
    else
        machine_close(machine);
}

void machine_close_spare(void)
{
    machine_close(spare);
    spare = NULL;
}

static struct placed *placed_at(struct machine *machine, uint64_t address)
{
    return &machine->at[address - machine->code.start];
}

/*
 * Makes Unicorn forget every translation that covers `address`: the one there, and that of an
 * instruction whose HLT stood there. What is placed has a translation; the reverse is not so
 * (one that ends its block does not cover its HLT), hence machine_place always forgets first.
 */
static void forget(struct machine *machine, uint64_t address)
{
    uc_ctl_remove_cache(machine->engine, address, address + 1);
    for (uint64_t back = 0; back <= 15 && address - back >= machine->code.start; back++) {
        struct placed *placed = placed_at(machine, address - back);
        if (placed->length >= back)
            placed->length = 0;
    }
}

bool machine_place(struct machine *machine, const struct insn *insn)
{
    if (!range_covers(&machine->code, insn->address, insn->length + 1u))
        return false;
    struct placed *placed = placed_at(machine, insn->address);
    bool same =
        placed->length == insn->length && memcmp(placed->bytes, insn->bytes, insn->length) == 0;
    if (!same) {
        forget(machine, insn->address);
        placed->length = insn->length;
        memcpy(placed->bytes, insn->bytes, sizeof placed->bytes);
        machine->translations++;
    }
    uint8_t *host = machine->code.host + (insn->address - machine->code.start);
    memcpy(host, insn->bytes, insn->length);
    host[insn->length] = HLT;
    return true;
}

void machine_clear(struct machine *machine, const struct insn *insn)
{
    memset(machine->code.host + (insn->address - machine->code.start), HLT, insn->length);
}

/*
 * Unicorn notices that one instruction is enough only when it has translated the next block,
 * which is HLT now and must not be kept as what is there.
 */
void machine_forget_next(struct machine *machine, uint64_t next)
{
    if (range_covers(&machine->code, next, 1) && !placed_at(machine, next)->length)
        forget(machine, next);
}
