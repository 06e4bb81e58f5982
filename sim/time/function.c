/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions do to registers and memory during a timed run. With several CPUs a
 * store reaches the shared memory when it becomes visible; its own CPU sees it at once.
 */
#include <inttypes.h>
#include <string.h>

#include "sim/time/stages.h"

/* ---- where an instruction goes ---- */

static void plan_string(const struct core *core, struct event *event)
{
    const struct insn *insn = event->op->insn;
    const uint64_t *gpr = core->registers.gpr;
    unsigned size = insn->memory.size;
    if ((insn->rep || insn->repne) && gpr[1] == 0) {
        return; /* the last step of a repeated one accesses nothing */
    }
    uint64_t source = gpr[6], target = gpr[7];
    bool scan = event->op->load_count == 1 && !event->op->stores && (insn->writes & 1) == 0;
    event->load[0] = (struct access){scan ? target : source, size};
    event->load[1] = (struct access){target, size};
    event->store = (struct access){target, size};
}

void plan_accesses(const struct core *core, struct event *event)
{
    const struct op *op = event->op;
    const struct insn *insn = op->insn;
    if (insn->class == INSN_STRING) {
        plan_string(core, event);
        return;
    }
    const uint64_t *gpr = core->registers.gpr;
    uint64_t address = insn->memory.present ? interpret_address(insn, &core->registers) : 0;
    unsigned loads = 0;
    if (insn->memory.present && insn->memory.read) {
        event->load[loads++] = (struct access){address, insn->memory.size};
    }
    if (insn->implicit_load && loads < LOADS_MAX) {
        bool frame = (insn->writes >> 5 & 1) && (insn->reads >> 5 & 1); /* leave */
        bool table = !(insn->writes >> 4 & 1);                          /* xlat */
        event->load[loads] = (struct access){frame ? gpr[5] : gpr[4], 8};
        if (table) {
            event->load[loads] = (struct access){gpr[3] + (gpr[0] & 0xff), 1};
        }
    }
    if (insn->memory.present && (insn->memory.write || insn->class == INSN_FLUSH)) {
        event->store = (struct access){address, insn->memory.size};
    } else if (insn->implicit_store) {
        bool stack = insn->writes >> 4 & 1;
        event->store = (struct access){stack ? gpr[4] - 8 : gpr[7], stack ? 8 : 16};
    }
    if (insn->class == INSN_FLUSH) {
        event->store = (struct access){address & ~(uint64_t)(LINE_BYTES - 1), LINE_BYTES};
    }
}

/* ---- memory of several CPUs ---- */

/* A store of what is there already changes nothing that a waiting CPU could see. */
static void write_image(struct machine *machine, uint64_t address, unsigned size,
                        const uint8_t *data)
{
    uint8_t old[EXEC_ACCESS_BYTES];
    image_read(&machine->image, address, size, old);
    if (machine->core_count > 1 && memcmp(old, data, size) == 0) {
        return;
    }
    image_write(&machine->image, address, size, data);
    machine->writes++;
    machine->line_writes[address / LINE_BYTES % WRITE_COUNTERS]++;
    if ((address + size - 1) / LINE_BYTES != address / LINE_BYTES) {
        machine->line_writes[(address / LINE_BYTES + 1) % WRITE_COUNTERS]++;
    }
}

static void apply_first(struct core *core)
{
    struct pending_store *store = &core->pending[core->pending_first];
    write_image(core->machine, store->address, store->size, store->data);
    core->pending_first++;
    if (--core->pending_count == 0) {
        core->pending_first = 0;
    }
}

void publish_own(struct core *core)
{
    while (core->pending_count > 0) {
        apply_first(core);
    }
}

/* The core whose store becomes visible first; NULL when none is under way. */
static struct core *first_to_publish(const struct machine *machine)
{
    struct core *first = NULL;
    for (size_t i = 0; i < machine->core_count; i++) {
        struct core *core = machine->cores[i];
        if (core->pending_count > 0 &&
            (first == NULL || core->pending[core->pending_first].visible <
                                  first->pending[first->pending_first].visible)) {
            first = core;
        }
    }
    return first;
}

void publish_until(struct machine *machine, ticks at)
{
    while (machine->next_visible <= at) {
        struct core *next = first_to_publish(machine);
        if (next == NULL) {
            machine->next_visible = INT64_MAX;
            return;
        }
        machine->next_visible = next->pending[next->pending_first].visible;
        if (machine->next_visible <= at) {
            apply_first(next);
        }
    }
}

static void queue_store(struct core *core, const struct exec_access *access)
{
    if (core->pending_first + core->pending_count == core->pending_capacity) {
        if (core->pending_first > 0) {
            memmove(core->pending, core->pending + core->pending_first,
                    core->pending_count * sizeof *core->pending);
            core->pending_first = 0;
        } else {
            core->pending = region_push(core->machine->region, core->pending, core->pending_count,
                                        &core->pending_capacity, sizeof *core->pending);
        }
    }
    struct pending_store *store = &core->pending[core->pending_first + core->pending_count++];
    store->address = access->address;
    store->size = access->size;
    store->visible = core->last_visible;
    memcpy(store->data, access->data, access->size);
    if (store->visible < core->machine->next_visible) {
        core->machine->next_visible = store->visible;
    }
    spin_note_write(core->machine, store->address, store->size, store->visible);
}

void publish(struct core *core, ticks visible, bool at_once)
{
    /* Stores of one CPU become visible in order. */
    core->last_visible = later(core->last_visible, visible);
    for (unsigned i = 0; i < core->write_count; i++) {
        const struct exec_access *access = &core->writes[i];
        if (at_once || core->machine->core_count == 1) {
            write_image(core->machine, access->address, access->size, access->data);
        } else {
            queue_store(core, access);
        }
    }
    core->write_count = 0;
}

void load_bytes(struct core *core, uint64_t address, unsigned size, ticks at, uint8_t *data)
{
    if (core->machine->core_count > 1) {
        spin_note_read(core, address, size);
    }
    image_read(&core->machine->image, address, size, data);
    for (size_t i = 0; i < core->pending_count; i++) {
        const struct pending_store *store = &core->pending[core->pending_first + i];
        if (store->visible > at) {
            return; /* they become visible in order */
        }
        for (unsigned byte = 0; byte < store->size; byte++) {
            uint64_t offset = store->address + byte - address;
            if (offset < size) {
                data[offset] = store->data[byte];
            }
        }
    }
}

static void read_for_oracle(void *context, uint64_t address, unsigned size, uint8_t *data)
{
    load_bytes(context, address, size, INT64_MAX, data);
}

/* ---- execution ---- */

bool stop(struct core *core, const char *what, const struct insn *insn)
{
    struct machine *machine = core->machine;
    machine->reason = region_printf(machine->region, "%s: %s at \"%s\"",
                                    machine->program->cpus[core->cpu].name, what, insn->text);
    return false;
}

void note_unmodelled(struct machine *machine, const char *text)
{
    for (size_t i = 0; i < machine->unmodelled_count; i++) {
        if (strcmp(machine->unmodelled[i], text) == 0) {
            return;
        }
    }
    machine->unmodelled =
        region_push(machine->region, machine->unmodelled, machine->unmodelled_count,
                    &machine->unmodelled_capacity, sizeof *machine->unmodelled);
    machine->unmodelled[machine->unmodelled_count++] = text;
}

static bool covered(struct core *core, const struct access *access)
{
    return access->size == 0 || image_covers(&core->machine->image, access->address, access->size);
}

static bool execute_fast(struct core *core, struct event *event)
{
    const struct op *op = event->op;
    struct transfer transfer = {0};
    if (!covered(core, &event->load[0]) || !covered(core, &event->store)) {
        return stop(core, "page fault", op->insn);
    }
    if (event->load[0].size > 0) {
        uint8_t data[8] = {0};
        load_bytes(core, event->load[0].address, event->load[0].size < 8 ? event->load[0].size : 8,
                   INT64_MAX, data);
        memcpy(&transfer.loaded, data, 8);
    }
    interpret(&op->interpreted, op->insn, &core->registers, &transfer);
    if (transfer.stores) {
        struct exec_access *write = &core->writes[0];
        write->address = event->store.address;
        write->size = (uint8_t)(event->store.size < 8 ? event->store.size : 8);
        write->write = true;
        memcpy(write->data, &transfer.stored, 8);
        core->write_count = 1;
    }
    return true;
}

static bool execute_oracle(struct core *core, struct event *event)
{
    const struct insn *insn = event->op->insn;
    struct exec_result result;
    memset(&result, 0, sizeof result);
    if (core->machine->exec == NULL) {
        return stop(core, "no engine to execute", insn);
    }
    exec_step(core->machine->exec, insn, &core->registers, read_for_oracle, core, &result);
    switch (result.status) {
    case EXEC_OK:
        break;
    case EXEC_FAULT:
        return stop(core, region_printf(core->machine->region, "exception %u", result.vector),
                    insn);
    case EXEC_UNMODELLED:
        note_unmodelled(core->machine, insn->text);
        return stop(core, "an instruction that is not modelled", insn);
    default:
        return stop(core, "the execution engine failed", insn);
    }
    core->write_count = 0;
    for (unsigned i = 0; i < result.count && i < EXEC_ACCESSES_MAX; i++) {
        if (result.accesses[i].write) {
            core->writes[core->write_count++] = result.accesses[i];
        }
    }
    return true;
}

bool execute(struct core *core, struct event *event)
{
    const struct op *op = event->op;
    core->write_count = 0;
    if (op == &core->loop_end) {
        core->registers.gpr[15]--;
        event->taken = core->registers.gpr[15] != 0;
        return true;
    }
    uint64_t next = op->insn->address + op->insn->length;
    bool ok;
    if (op->interpreted.operation != OPERATION_NONE) {
        ok = execute_fast(core, event);
    } else {
        switch (op->insn->class) {
        case INSN_ORDINARY:
        case INSN_LOCKED:
        case INSN_NT_STORE:
        case INSN_STRING:
        case INSN_NATIVE:
            ok = execute_oracle(core, event);
            break;
        default:
            ok = execute_system(core, event);
            break;
        }
    }
    event->taken = op->is_branch && (core->registers.rip != next || !op->is_conditional);
    return ok;
}
