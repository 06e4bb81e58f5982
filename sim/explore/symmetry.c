/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is alike, and the order in which those alike are kept. */
#include "sim/explore/symmetry.h"

#include <string.h>

#include <capstone/capstone.h>

#include "sim/exec/native.h"
#include "sim/explore/explore.h"

enum { RSP = 4, STACK_MARGIN = 64 /* more than one access takes */ };

/* ---- what an instruction can learn of the CPU that it runs on ---- */

static bool is_rsp(const struct operand *operand)
{
    return operand->kind == OPERAND_GENERAL && operand->number == RSP;
}

/* Whether rsp serves for anything but to reach the stack and to move on in it. */
static bool uses_stack_address(const struct insn *insn)
{
    if (!(insn->reads & (UINT64_C(1) << RSP)))
        return false;
    switch (insn->id) {
    case X86_INS_INVALID: /* of which fewer operands are known */
        return true;
    case X86_INS_PUSH:
        return is_rsp(&insn->operands[0]);
    case X86_INS_POP:
    case X86_INS_RET:
    case X86_INS_LEAVE:
    case X86_INS_PUSHFQ:
    case X86_INS_POPFQ:
        return false;
    case X86_INS_LEA:
        return !is_rsp(&insn->operands[0]) || insn->memory.index != NO_REGISTER;
    case X86_INS_ADD:
    case X86_INS_SUB:
        if (is_rsp(&insn->operands[0]) && insn->operands[1].kind == OPERAND_IMMEDIATE)
            return false;
        break;
    default:
        break;
    }
    for (unsigned i = 0; i < OPERANDS_MAX; i++)
        if (is_rsp(&insn->operands[i]))
            return true;
    return insn->memory.base != RSP;
}

bool insn_tells_cpus_apart(const struct insn *insn)
{
    switch (insn->class) {
    case INSN_ORDINARY:
    case INSN_LOCKED:
    case INSN_NT_STORE:
    case INSN_STRING:
    case INSN_NOTHING:
    case INSN_NATIVE: /* a call leaves an address of the CPU's own code on the stack */
        return insn->is_call || uses_stack_address(insn);
    case INSN_MFENCE:
    case INSN_LFENCE:
    case INSN_SFENCE:
    case INSN_FLUSH:
        return uses_stack_address(insn);
    default: /* MSRs, interrupts, ports: whatever a CPU has of its own */
        return true;
    }
}

/* Where rsp points after the instruction or what it accesses by it; not followed: 0. */
static uint64_t stack_address(const struct insn *insn, const struct registers *registers)
{
    uint64_t rsp = registers->gpr[RSP];
    if (insn->memory.present && insn->memory.base == RSP)
        return operand_address(&insn->memory, registers);
    if (!is_rsp(&insn->operands[0]) || (insn->id != X86_INS_ADD && insn->id != X86_INS_SUB))
        return rsp;
    if (insn->operands[0].size != 8) /* flags of, and carries out of, a part of the address */
        return 0;
    return insn->id == X86_INS_ADD ? rsp + (uint64_t)insn->immediate
                                   : rsp - (uint64_t)insn->immediate;
}

bool leaves_own_stack(const struct insn *insn, const struct registers *registers, uint64_t stack)
{
    uint64_t first = stack + STACK_MARGIN, size = STACK_BYTES - 2 * STACK_MARGIN;
    if (!(insn->reads & (UINT64_C(1) << RSP)))
        return false;
    return registers->gpr[RSP] - first >= size || stack_address(insn, registers) - first >= size;
}

/* ---- who is alike ---- */

/* The same bytes but for a displacement from rip; whether it leads to the same address is asked
 * beside. */
static bool same_bytes(const struct insn *a, const struct insn *b)
{
    size_t at = a->memory.relative_at, after = at + 4;
    if (memcmp(a->bytes, b->bytes, a->length) == 0)
        return true;
    return at && at == b->memory.relative_at && after <= a->length &&
           memcmp(a->bytes, b->bytes, at) == 0 &&
           memcmp(a->bytes + after, b->bytes + after, a->length - after) == 0;
}

static bool same_insn(const struct insn *a, const struct insn *b, const struct snippet *of_a,
                      const struct snippet *of_b)
{
    if (a->length != b->length || !same_bytes(a, b) ||
        a->memory.displacement != b->memory.displacement)
        return false;
    if (!a->has_target && !b->has_target)
        return true;
    uint64_t offset = a->target - of_a->address;
    return a->has_target && b->has_target && offset <= of_a->size &&
           b->target - of_b->address == offset;
}

static bool same_code(struct code *a, struct code *b)
{
    const struct snippet *of_a = a->snippet, *of_b = b->snippet;
    if (of_a->size != of_b->size)
        return false;
    if (a->swept != b->swept)
        return false;
    for (size_t i = 0; i < a->swept; i++) {
        uint64_t there = of_b->address + (a->insns[i]->address - of_a->address);
        if (!code_was_swept(b, there) || !same_insn(a->insns[i], code_at(b, there), of_a, of_b))
            return false;
    }
    return true;
}

static bool same_start(const struct start *start, uint32_t a, uint32_t b)
{
    struct registers of_a = start->registers[a], of_b = start->registers[b];
    of_a.rip = of_b.rip = 0;
    of_a.gpr[RSP] = of_b.gpr[RSP] = 0;
    return memcmp(&of_a, &of_b, sizeof of_a) == 0;
}

/* Whether a CPU shows what it alone has: its stack's address, or code that ran before the start. */
static bool is_special(const struct exploration *exploration, uint32_t cpu)
{
    const struct program *program = exploration->program;
    const struct oracle *oracle = exploration->components.oracle;
    if (program->cpus[cpu].agent != AGENT_CPU || program->variants[oracle->variant].setup[cpu])
        return true;
    for (size_t i = 0; i < exploration->term_count; i++) {
        const struct term *term = &exploration->terms[i];
        if (!term->is_object && term->cpu == cpu && term->view.file == REGISTER_GPR &&
            term->view.index == RSP)
            return true;
    }
    return false;
}

static void compare_cpus(const struct exploration *exploration, const struct start *start,
                         uint32_t *alike)
{
    const struct program *program = exploration->program;
    const struct oracle *oracle = exploration->components.oracle;
    for (uint32_t cpu = 0; cpu < program->cpu_count; cpu++) {
        alike[cpu] = cpu;
        if (program->handler_count || start->stacks_differ || is_special(exploration, cpu))
            continue;
        for (uint32_t first = 0; first < cpu && alike[cpu] == cpu; first++)
            if (alike[first] == first && !is_special(exploration, first) &&
                same_start(start, first, cpu) && same_code(oracle->code[first], oracle->code[cpu]))
                alike[cpu] = first;
    }
}

/* Code that is taken out of one CPU only makes it another one. */
static bool loses_the_same(const struct components *components, uint32_t a, uint32_t b)
{
    size_t of_a = 0, of_b = 0;
    for (size_t i = 0; i < components->removed_count; i++) {
        const struct removed *removed = &components->removed[i];
        bool found = false;
        of_a += removed->cpu == a;
        of_b += removed->cpu == b;
        for (size_t n = 0; n < components->removed_count && removed->cpu == a; n++) {
            const struct removed *other = &components->removed[n];
            found = found || (other->cpu == b && other->start == removed->start &&
                              other->end == removed->end && other->as == removed->as);
        }
        if (removed->cpu == a && !found)
            return false;
    }
    return of_a == of_b;
}

static void link_alike(struct symmetry *symmetry, uint32_t cpus)
{
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        symmetry->previous[cpu] = symmetry->next[cpu] = NOT_ALIKE;
        for (uint32_t before = cpu; before-- > 0;)
            if (symmetry->alike[before] == symmetry->alike[cpu]) {
                symmetry->previous[cpu] = before;
                symmetry->next[before] = cpu;
                symmetry->any = true;
                break;
            }
    }
}

void symmetry_none(struct symmetry *symmetry, struct region *region, uint32_t cpus)
{
    *symmetry = (struct symmetry){.alike = region_array(region, cpus, sizeof(uint32_t)),
                                  .previous = region_array(region, cpus, sizeof(uint32_t)),
                                  .next = region_array(region, cpus, sizeof(uint32_t))};
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        symmetry->alike[cpu] = cpu;
        symmetry->previous[cpu] = symmetry->next[cpu] = NOT_ALIKE;
    }
}

void symmetry_find(struct exploration *exploration, const struct start *start)
{
    struct components *components = &exploration->components;
    struct symmetry *symmetry = &components->symmetry;
    struct footprint *footprint = components->footprint;
    uint32_t cpus = (uint32_t)exploration->program->cpu_count;
    if (!components->reduce)
        return;
    if (!footprint->alike) {
        footprint->alike = region_array(footprint->region, cpus, sizeof *footprint->alike);
        compare_cpus(exploration, start, footprint->alike);
    }
    if (footprint->told_apart)
        return;
    for (uint32_t cpu = 0; cpu < cpus; cpu++) {
        uint32_t first = footprint->alike[cpu];
        if (!components->oracle->tells_apart[first] && loses_the_same(components, first, cpu))
            symmetry->alike[cpu] = first;
    }
    link_alike(symmetry, cpus);
}

bool symmetry_is_broken(const struct exploration *exploration)
{
    const struct components *components = &exploration->components;
    const struct symmetry *symmetry = &components->symmetry;
    if (!symmetry->any)
        return false;
    bool broken = components->footprint->told_apart;
    for (uint32_t cpu = 0; cpu < exploration->program->cpu_count; cpu++)
        broken = broken || (symmetry->next[cpu] != NOT_ALIKE &&
                            components->oracle->tells_apart[symmetry->alike[cpu]]);
    return broken;
}

/* ---- the order in which they are kept ---- */

static void exchange(uint32_t *tuple, uint32_t a, uint32_t b)
{
    uint32_t value = tuple[a];
    tuple[a] = tuple[b];
    tuple[b] = value;
}

void symmetry_settle(const struct symmetry *symmetry, uint32_t *tuple, uint32_t cpu)
{
    uint32_t other;
    while ((other = symmetry->previous[cpu]) != NOT_ALIKE && tuple[other] > tuple[cpu]) {
        exchange(tuple, other, cpu);
        cpu = other;
    }
    while ((other = symmetry->next[cpu]) != NOT_ALIKE && tuple[other] < tuple[cpu]) {
        exchange(tuple, other, cpu);
        cpu = other;
    }
}

void symmetry_sort(const struct symmetry *symmetry, uint32_t cpus, uint32_t *tuple)
{
    for (uint32_t cpu = 0; cpu < cpus; cpu++) /* an insertion: those before it are in order */
        for (uint32_t at = cpu, other;
             (other = symmetry->previous[at]) != NOT_ALIKE && tuple[other] > tuple[at]; at = other)
            exchange(tuple, other, at);
}
