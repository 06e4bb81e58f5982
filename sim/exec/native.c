/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/exec/native.h"

#include <string.h>

#include "sim/isa/classify.h"

/* Which state components XSAVE handles here: x87, SSE and AVX. */
#define XCR0 UINT64_C(7)

uint64_t operand_address(const struct memory_operand *memory, const struct registers *registers)
{
    uint64_t address = (uint64_t)memory->displacement;
    if (memory->base < 16)
        address += registers->gpr[memory->base];
    if (memory->index < 16)
        address += registers->gpr[memory->index] * memory->scale;
    if (memory->segment == 1)
        address += registers->fs_base;
    else if (memory->segment == 2)
        address += registers->gs_base;
    return address;
}

static bool fault(struct native_step *step, uint8_t vector, uint64_t address)
{
    step->result->status = EXEC_FAULT;
    step->result->vector = vector;
    step->result->fault_address = address;
    return false;
}

/* Adds the accesses of the memory operand to the result; the data is the caller's to fill in. */
static struct exec_access *begin_access(struct native_step *step, unsigned offset, unsigned size,
                                        bool write)
{
    uint64_t address = operand_address(&step->insn->memory, step->registers) + offset;
    if (address % required_alignment(step->insn) != 0) {
        fault(step, 13, 0);
        return NULL;
    }
    struct exec_access *first = &step->result->accesses[step->result->count];
    for (unsigned done = 0; done < size; done += EXEC_ACCESS_BYTES) {
        unsigned part = size - done < EXEC_ACCESS_BYTES ? size - done : EXEC_ACCESS_BYTES;
        struct exec_access *access = &step->result->accesses[step->result->count++];
        *access =
            (struct exec_access){.address = address + done, .size = (uint8_t)part, .write = write};
        if (!exec_is_declared(step->exec, address + done, part)) {
            fault(step, 14, address + done);
            return NULL;
        }
    }
    return first;
}

bool native_load_at(struct native_step *step, unsigned offset, unsigned size, void *data)
{
    struct exec_access *access = begin_access(step, offset, size, false);
    if (!access)
        return false;
    for (unsigned done = 0; done < size; done += access->size, access++) {
        step->read(step->context, access->address, access->size, access->data);
        memcpy((uint8_t *)data + done, access->data, access->size);
    }
    return true;
}

bool native_store_at(struct native_step *step, unsigned offset, unsigned size, const void *data)
{
    struct exec_access *access = begin_access(step, offset, size, true);
    if (!access)
        return false;
    for (unsigned done = 0; done < size; done += access->size, access++)
        memcpy(access->data, (const uint8_t *)data + done, access->size);
    return true;
}

bool native_load(struct native_step *step, unsigned size, void *data)
{
    return native_load_at(step, 0, size, data);
}

bool native_store(struct native_step *step, unsigned size, const void *data)
{
    return native_store_at(step, 0, size, data);
}

static uint64_t mask_of(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << (size * 8)) - 1;
}

bool native_source(struct native_step *step, unsigned operand, uint64_t *value)
{
    const struct operand *from = &step->insn->operands[operand];
    *value = 0;
    if (from->kind == OPERAND_MEMORY)
        return native_load(step, from->size, value);
    *value = step->registers->gpr[from->number];
    if (from->kind == OPERAND_HIGH_BYTE)
        *value >>= 8;
    *value &= mask_of(from->size);
    return true;
}

void native_write(struct native_step *step, unsigned operand, uint64_t value)
{
    const struct operand *to = &step->insn->operands[operand];
    uint64_t *gpr = &step->registers->gpr[to->number];
    if (to->size >= 4)
        *gpr = value & mask_of(to->size);
    else
        *gpr = (*gpr & ~mask_of(to->size)) | (value & mask_of(to->size));
}

void native_flags(struct native_step *step, uint64_t defined, uint64_t set)
{
    step->registers->rflags = (step->registers->rflags & ~defined) | (set & defined);
}

static void do_movbe(struct native_step *step)
{
    unsigned size = step->insn->operands[0].size;
    uint64_t value;
    if (!native_source(step, 1, &value))
        return;
    value = __builtin_bswap64(value) >> (64 - size * 8);
    if (step->insn->operands[0].kind == OPERAND_MEMORY)
        native_store(step, size, &value);
    else
        native_write(step, 0, value);
}

static void do_popcnt(struct native_step *step)
{
    uint64_t value;
    if (!native_source(step, 1, &value))
        return;
    native_write(step, 0, (uint64_t)__builtin_popcountll(value));
    native_flags(step, STATUS_FLAGS, value ? 0 : FLAG_ZF);
}

/* ECX 1 would ask which components are in use: that depends on the CPU's past. */
static void do_xgetbv(struct native_step *step)
{
    if ((uint32_t)step->registers->gpr[1] != 0) {
        step->result->status = EXEC_UNMODELLED;
        return;
    }
    step->registers->gpr[0] = XCR0;
    step->registers->gpr[2] = 0;
}

static void move_base(struct native_step *step)
{
    enum insn_kind kind = step->insn->kind;
    bool fs = kind == KIND_RDFSBASE || kind == KIND_WRFSBASE;
    uint64_t *base = fs ? &step->registers->fs_base : &step->registers->gs_base;
    if (kind == KIND_RDFSBASE || kind == KIND_RDGSBASE)
        native_write(step, 0, *base);
    else
        native_source(step, 0, base);
}

void native_step(struct native_step *step)
{
    step->result->status = EXEC_OK;
    switch (step->insn->kind) {
    case KIND_POPCNT:
        do_popcnt(step);
        break;
    case KIND_MOVBE:
        do_movbe(step);
        break;
    case KIND_RDFSBASE:
    case KIND_RDGSBASE:
    case KIND_WRFSBASE:
    case KIND_WRGSBASE:
        move_base(step);
        break;
    case KIND_XGETBV:
        do_xgetbv(step);
        break;
    case KIND_RDPID: /* for the cycles: 0, as after reset; exploration refuses it */
        native_write(step, 0, 0);
        break;
    case KIND_APPROXIMATION: /* for the cycles, too */
        native_approximate(step);
        break;
    default:
        if (!native_integer(step) && !native_bits(step) && !native_lanes(step) &&
            !native_float(step) && !native_shuffle(step) && !native_masked(step) &&
            !native_vector(step))
            step->result->status = EXEC_UNMODELLED;
        break;
    }
}
