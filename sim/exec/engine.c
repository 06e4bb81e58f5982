/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unicorn as an oracle. One instruction at a time, alone in a page of HLT so that its
 * translation block ends after it; loads are answered by writing the bytes into the engine's
 * memory from inside the read hook; stores are read off the write hook. Always count=1 and
 * until=0: any other mix makes Unicorn flush or retranslate everything.
 */
#include <capstone/capstone.h>
#include <string.h>
#include <unicorn/unicorn.h>

#include "sim/exec/exec.h"
#include "sim/exec/machine.h"
#include "sim/exec/memo.h"
#include "sim/exec/native.h"
#include "sim/exec/quirks.h"
#include "sim/isa/classify.h"
#include "sim/isa/decoder.h"

enum { PAGE = 4096, FLAG_COUNT = 3, REGISTERS_MAX = 16 + FLAG_COUNT + 16 };
#define RFLAGS_SYSTEM UINT64_C(0x3fd100) /* TF, IOPL, NT and above: what POPF must not set here */
#define IOPL_BITS     UINT64_C(0x3000)

struct exec {
    struct region *region;
    const struct program *program;
    struct machine *machine; /* NULL until it is needed */
    uint64_t calls;

    /* the step under way, for the hooks */
    exec_read *read;
    void *context;
    struct exec_result *result;
    unsigned skip_reads; /* nested halves of a page-crossing load still to come */
    bool locked, overflow, fault;
};

void registers_start(struct registers *registers, const struct cpu *cpu, uint64_t rip)
{
    memset(registers, 0, sizeof *registers);
    memcpy(registers->gpr, cpu->gpr, sizeof registers->gpr);
    registers->fs_base = cpu->fs_base;
    registers->gs_base = cpu->gs_base;
    registers->rip = rip;
    registers->rflags = 0x202; /* bit 1 is always set; interrupts are enabled */
}

uint64_t registers_view(const struct registers *registers, const struct register_view *view)
{
    uint64_t whole = view->file == REGISTER_FLAG ? registers->rflags : registers->gpr[view->index];
    whole >>= view->shift;
    return view->width >= 64 ? whole : whole & ((UINT64_C(1) << view->width) - 1);
}

static const struct range *range_of(const struct exec *exec, uint64_t address, uint64_t size)
{
    if (range_covers(&exec->machine->stacks, address, size))
        return &exec->machine->stacks;
    if (range_covers(&exec->machine->objects, address, size))
        return &exec->machine->objects;
    return NULL;
}

/* Stacks are declared as a whole; objects byte by byte at both ends of the access. */
bool exec_is_declared(const struct exec *exec, uint64_t address, unsigned size)
{
    const struct program *program = exec->program;
    uint64_t stacks = program->cpu_count * STACK_BYTES;
    if (address >= STACK_BASE && address - STACK_BASE < stacks &&
        size <= stacks - (address - STACK_BASE))
        return true;
    return program_object_at(program, address, 1) != NO_INDEX &&
           program_object_at(program, address + size - 1, 1) != NO_INDEX;
}

static bool check_access(struct exec *exec, uint64_t address, unsigned size)
{
    if (size >= 1 && size <= 8 && exec_is_declared(exec, address, size))
        return true;
    exec->fault = true;
    exec->result->fault_address = address;
    uc_emu_stop(exec->machine->engine);
    return false;
}

static struct exec_access *add_access(struct exec *exec, uint64_t address, unsigned size,
                                      bool write)
{
    if (exec->result->count >= EXEC_ACCESSES_MAX) {
        exec->overflow = true;
        return NULL;
    }
    struct exec_access *access = &exec->result->accesses[exec->result->count++];
    memset(access, 0, sizeof *access);
    access->address = address;
    access->size = (uint8_t)size;
    access->write = write;
    return access;
}

static void on_read(struct exec *exec, uint64_t address, unsigned size)
{
    if (exec->skip_reads) {
        exec->skip_reads--;
        return;
    }
    if (!check_access(exec, address, size))
        return;
    if ((address & (PAGE - 1)) + size > PAGE)
        exec->skip_reads = 2;
    if (exec->locked) /* a compare-and-exchange loop inside Unicorn reads twice */
        for (unsigned i = 0; i < exec->result->count; i++)
            if (exec->result->accesses[i].address == address &&
                exec->result->accesses[i].size == size && !exec->result->accesses[i].write)
                return;
    struct exec_access *access = add_access(exec, address, size, false);
    const struct range *range = range_of(exec, address, size);
    if (!access || !range)
        return;
    exec->read(exec->context, address, size, access->data);
    memcpy(range->host + (address - range->start), access->data, size);
}

static void on_write(struct exec *exec, uint64_t address, unsigned size, int64_t value)
{
    if (!check_access(exec, address, size))
        return;
    struct exec_access *access = add_access(exec, address, size, true);
    if (access)
        memcpy(access->data, &value, size);
}

static void hook_access(uc_engine *engine, uc_mem_type type, uint64_t address, int size,
                        int64_t value, void *user)
{
    (void)engine;
    struct exec *exec = ((struct machine *)user)->user;
    if (size < 1 || exec->fault)
        return;
    if (type == UC_MEM_WRITE)
        on_write(exec, address, (unsigned)size, value);
    else
        on_read(exec, address, (unsigned)size);
}

static bool hook_invalid(uc_engine *engine, uc_mem_type type, uint64_t address, int size,
                         int64_t value, void *user)
{
    (void)engine, (void)type, (void)size, (void)value;
    struct exec *exec = ((struct machine *)user)->user;
    if (!exec->fault)
        exec->result->fault_address = address;
    return false;
}

static struct machine *get_machine(struct exec *exec)
{
    static const struct machine_hooks hooks = {hook_access, hook_invalid};
    if (exec->machine && machine_is_worn(exec->machine)) {
        machine_give_back(exec->machine);
        exec->machine = NULL;
    }
    if (!exec->machine) {
        struct extent extent = machine_extent(exec->program);
        exec->machine = machine_take(&extent, &hooks);
        if (exec->machine)
            exec->machine->user = exec;
    }
    return exec->machine;
}

static void close_engine(void *exec) { exec_close(exec); }

struct exec *exec_open(struct region *region, const struct program *program)
{
    struct exec *exec = region_alloc(region, sizeof *exec);
    exec->region = region;
    exec->program = program;
    region_on_release(region, close_engine, exec);
    return exec;
}

void exec_close(struct exec *exec)
{
    if (exec && exec->machine)
        machine_give_back(exec->machine);
    if (exec)
        exec->machine = NULL;
}

void exec_thread_close(void)
{
    decoder_close();
    machine_close_spare();
    memo_close();
}

uint64_t exec_calls(const struct exec *exec) { return exec->calls; }

static int gpr_ids[16] = {UC_X86_REG_RAX, UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_RBX,
                          UC_X86_REG_RSP, UC_X86_REG_RBP, UC_X86_REG_RSI, UC_X86_REG_RDI,
                          UC_X86_REG_R8,  UC_X86_REG_R9,  UC_X86_REG_R10, UC_X86_REG_R11,
                          UC_X86_REG_R12, UC_X86_REG_R13, UC_X86_REG_R14, UC_X86_REG_R15};

struct register_set {
    int ids[REGISTERS_MAX];
    void *values[REGISTERS_MAX];
    int count;
};

static void include(struct register_set *set, int id, void *value)
{
    set->ids[set->count] = id;
    set->values[set->count++] = value;
}

/* What an instruction can read or write beside rip: the segment bases and xmm only when used. */
static void collect(const struct insn *insn, struct registers *registers, struct register_set *set)
{
    set->count = 0;
    for (int i = 0; i < 16; i++)
        include(set, gpr_ids[i], &registers->gpr[i]);
    include(set, UC_X86_REG_RFLAGS, &registers->rflags);
    if (insn->memory.segment) {
        include(set, UC_X86_REG_FS_BASE, &registers->fs_base);
        include(set, UC_X86_REG_GS_BASE, &registers->gs_base);
    }
    if (insn->uses_xmm)
        for (int i = 0; i < 16; i++)
            include(set, UC_X86_REG_XMM0 + i, registers->xmm[i]);
}

/* Two eight-byte hooks of one sixteen-byte SSE access become one access again. */
static void coalesce(const struct insn *insn, struct exec_result *result)
{
    if (!insn->uses_xmm || insn->memory.size != 16)
        return;
    for (unsigned i = 0; i + 1 < result->count; i++) {
        struct exec_access *low = &result->accesses[i], *high = low + 1;
        if (low->size != 8 || high->size != 8 || low->write != high->write ||
            high->address != low->address + 8)
            continue;
        memcpy(low->data + 8, high->data, 8);
        low->size = 16;
        memmove(high, high + 1, (result->count - i - 2) * sizeof *high);
        result->count--;
    }
}

static void fault(struct exec_result *result, uint8_t vector)
{
    result->status = EXEC_FAULT;
    result->vector = vector;
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

static void judge(struct exec *exec, const struct insn *insn, uc_err error)
{
    struct exec_result *result = exec->result;
    if (exec->overflow)
        result->status = EXEC_UNMODELLED;
    else if (exec->fault) /* a non-canonical address is no page's (Intel SDM vol. 1) */
        fault(result, is_canonical(result->fault_address) ? 14 : 13);
    else if (error == UC_ERR_OK || error == UC_ERR_FETCH_UNMAPPED || error == UC_ERR_FETCH_PROT)
        result->status = EXEC_OK; /* a jump to nowhere: the next fetch is the caller's to judge */
    else if (error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED ||
             error == UC_ERR_WRITE_PROT || error == UC_ERR_READ_PROT)
        fault(result, 14);
    else if (error == UC_ERR_EXCEPTION)
        fault(result, 13);
    else if (error == UC_ERR_INSN_INVALID)
        insn->id == X86_INS_UD2 ? fault(result, 6) : (void)(result->status = EXEC_UNMODELLED);
    else
        result->status = EXEC_FAILED;
}

static void check_alignment(const struct insn *insn, struct exec_result *result)
{
    unsigned alignment = required_alignment(insn);
    for (unsigned i = 0; i < result->count; i++)
        if (result->accesses[i].size == 16 && result->accesses[i].address % alignment)
            fault(result, 13);
}

static bool is_rare_flag_load(const struct insn *insn, const struct registers *after)
{
    return insn->id == X86_INS_POPFQ && (after->rflags & RFLAGS_SYSTEM & ~IOPL_BITS);
}

/*
 * After two exceptions that nobody handled Unicorn takes the next ones for a triple fault: it
 * stops and reports success. An instruction that has not moved on did not execute.
 */
static bool has_stopped(const struct insn *insn, const struct registers *after)
{
    return after->rip == insn->address && !insn->is_branch && insn->class != INSN_STRING;
}

static void unicorn_step(struct exec *exec, const struct insn *insn, struct registers *registers)
{
    struct exec_result *result = exec->result;
    struct machine *machine = get_machine(exec);
    if (!machine || !machine_place(machine, insn)) {
        result->status = EXEC_FAILED;
        return;
    }
    struct registers after = *registers;
    struct register_set set;
    collect(insn, &after, &set);
    exec->skip_reads = 0;
    exec->overflow = exec->fault = false;
    exec->locked = insn->class == INSN_LOCKED;
    uc_reg_write_batch(machine->engine, set.ids, set.values, set.count);
    uc_err error = uc_emu_start(machine->engine, insn->address, 0, 0, 1);
    exec->calls++;
    machine_clear(machine, insn);
    judge(exec, insn, error);
    if (result->status != EXEC_OK)
        return;
    include(&set, UC_X86_REG_RIP, &after.rip);
    uc_reg_read_batch(machine->engine, set.ids, set.values, set.count);
    machine_forget_next(machine, after.rip);
    coalesce(insn, result);
    correct_quirks(insn, registers, result, &after);
    check_alignment(insn, result);
    if (has_stopped(insn, &after))
        fault(result, 13);
    if (is_rare_flag_load(insn, &after))
        result->status = EXEC_UNMODELLED;
    if (result->status == EXEC_OK)
        *registers = after;
}

enum exec_status native_engine(struct native_step *step, const uint8_t *bytes, unsigned length,
                               struct registers *registers)
{
    uint64_t address = step->insn->address;
    const struct decoded *decoded = decode_bytes(bytes, length, address, step->exec->region);
    if (!decoded || decoded->insn.class != INSN_ORDINARY || decoded->insn.native)
        return EXEC_UNMODELLED;
    struct insn insn = decoded->insn;
    insn.mnemonic = decoded->mnemonic;
    insn.text = decoded->text;
    registers->rip = address;
    unicorn_step(step->exec, &insn, registers);
    return step->result->status;
}

static void native(struct exec *exec, const struct insn *insn, struct registers *registers)
{
    struct registers after = *registers;
    struct native_step step = {.insn = insn,
                               .registers = &after,
                               .exec = exec,
                               .read = exec->read,
                               .context = exec->context,
                               .result = exec->result};
    native_step(&step);
    if (exec->result->status != EXEC_OK)
        return;
    after.rip += insn->length;
    *registers = after;
}

static void read_known(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    (void)address;
    memcpy(data, context, size);
}

static void list_access(struct exec_result *result, const struct memo_key *key, unsigned size,
                        bool write, uint64_t value)
{
    struct exec_access *access = &result->accesses[result->count++];
    *access = (struct exec_access){.address = key->address, .size = (uint8_t)size, .write = write};
    memcpy(access->data, &value, size);
}

/* Answers from what was asked before, or asks and remembers; false when the memo does not
 * take the instruction. */
static bool remembered(struct exec *exec, const struct insn *insn, struct registers *registers)
{
    struct memo *memo = memo_takes(insn) ? memo_get() : NULL;
    const struct memory_operand *memory = &insn->memory;
    uint64_t address = memory->present ? operand_address(memory, registers) : 0, loaded = 0;
    bool accesses = memory->read || memory->write;
    if (!memo || (accesses && !exec_is_declared(exec, address, memory->size)))
        return false;
    if (memory->read)
        exec->read(exec->context, address, memory->size, (uint8_t *)&loaded);
    struct memo_key key;
    memo_make_key(insn, registers, address, loaded, &key);
    struct memo_entry *entry = memo_slot(memo, &key);
    if (memo_matches(entry, &key)) {
        if (memory->read)
            list_access(exec->result, &key, memory->size, false, loaded);
        if (entry->stores)
            list_access(exec->result, &key, entry->size, true, entry->stored);
        memo_apply(entry, insn, registers);
        exec->result->status = EXEC_OK;
        return true;
    }
    struct registers before = *registers;
    exec->read = read_known; /* what it loads was asked for above, once */
    exec->context = &loaded;
    unicorn_step(exec, insn, registers);
    if (exec->result->status == EXEC_OK)
        memo_remember(entry, &key, insn, &before, registers, exec->result);
    return true;
}

void exec_step(struct exec *exec, const struct insn *insn, struct registers *registers,
               exec_read *read, void *context, struct exec_result *result)
{
    result->count = 0;
    result->vector = 0;
    result->fault_address = 0;
    result->status = EXEC_UNMODELLED;
    exec->read = read;
    exec->context = context;
    exec->result = result;
    if (insn->native) {
        native(exec, insn, registers);
        return;
    }
    switch (insn->class) {
    case INSN_NOTHING:
        result->status = EXEC_OK;
        registers->rip += insn->length;
        break;
    case INSN_ORDINARY:
    case INSN_LOCKED:
    case INSN_NT_STORE:
    case INSN_STRING:
        if (!remembered(exec, insn, registers))
            unicorn_step(exec, insn, registers);
        break;
    default:
        break;
    }
}
