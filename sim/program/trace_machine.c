/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `loop:`, `timer:` and `msrs:`. */
#include <ctype.h>

#include "sim/program/trace_reader.h"

/* ---- loop ---- */

static void add_loop_cpu(struct trace_reader *reader, const struct node *node, size_t *capacity)
{
    struct program *program = reader->program;
    uint32_t first, count;
    if (!read_cpu_name(reader, node, "cpu", true, &first, &count))
        return;
    for (uint32_t cpu = first; cpu < first + count; cpu++) {
        for (size_t i = 0; i < program->loop_cpu_count; i++) {
            if (program->loop_cpus[i] == cpu) {
                input_error(&reader->input, node->place, "cpu: found '%s' a second time in 'loop'",
                            program->cpus[cpu].name);
                return;
            }
        }
        if (program->cpus[cpu].agent == AGENT_DEVICE) {
            input_error(&reader->input, node->place, "cpu: '%s' is a device, which is not timed",
                        program->cpus[cpu].name);
            return;
        }
        program->loop_cpus =
            region_push(program->region, program->loop_cpus, program->loop_cpu_count, capacity,
                        sizeof *program->loop_cpus);
        program->loop_cpus[program->loop_cpu_count++] = cpu;
    }
}

void read_loop(struct trace_reader *reader, const struct node *node)
{
    enum { CPU, ITERATIONS, COUNT };
    struct field fields[COUNT] = {[CPU] = {.name = "cpu"}, [ITERATIONS] = {.name = "iterations"}};
    size_t capacity = 0;
    if (!input_map(&reader->input, node, "'loop'", fields, COUNT))
        return;
    const struct node *cpus = fields[CPU].value;
    if (!cpus)
        input_error(&reader->input, node->place, "loop: found no 'cpu', expected one or a list");
    else if (cpus->kind != NODE_LIST)
        add_loop_cpu(reader, cpus, &capacity);
    else if (cpus->count == 0)
        input_error(&reader->input, cpus->place, "cpu: found an empty list, expected a CPU");
    for (size_t i = 0; cpus && cpus->kind == NODE_LIST && i < cpus->count; i++)
        add_loop_cpu(reader, cpus->items[i], &capacity);
    if (fields[ITERATIONS].value)
        input_number(&reader->input, fields[ITERATIONS].value, "iterations", 1, INT64_MAX,
                     &reader->program->loop_iterations);
    else
        input_error(&reader->input, node->place, "loop: found no 'iterations', expected a number");
}

/* ---- timer ---- */

static void read_lvt(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    int object;
    uint64_t offset;
    if (!read_address(reader, node, "lvt", &object, &offset, NULL))
        return;
    if (offset || program->objects[object].size < 4) {
        input_error(&reader->input, node->place,
                    "lvt: found %s, expected an object of at least 4 bytes",
                    input_describe(&reader->input, node));
        return;
    }
    program->timer_lvt = object;
}

void read_timer(struct trace_reader *reader, const struct node *node)
{
    enum { VECTOR, LVT, COUNT };
    struct field fields[COUNT] = {[VECTOR] = {.name = "vector"}, [LVT] = {.name = "lvt"}};
    const struct node *vector_node = node;
    uint64_t vector;
    if (node->kind == NODE_MAP) {
        input_map(&reader->input, node, "'timer'", fields, COUNT);
        vector_node = fields[VECTOR].value;
    }
    if (!vector_node)
        input_error(&reader->input, node->place, "timer: found no 'vector'");
    else if (input_number(&reader->input, vector_node, "timer", 0, 255, &vector))
        reader->program->timer_vector = (int)vector;
    if (fields[LVT].value)
        read_lvt(reader, fields[LVT].value);
}

/* ---- model-specific registers ---- */

void read_msrs(struct trace_reader *reader, const struct node *node)
{
    struct program *program = reader->program;
    if (node->kind != NODE_MAP) {
        input_error(&reader->input, node->place, "msrs: found %s, expected numbers with values",
                    input_describe(&reader->input, node));
        return;
    }
    struct intern numbers;
    intern_init(&numbers, program->region);
    program->msrs = region_array(program->region, node->count, sizeof *program->msrs);
    for (size_t i = 0; i < node->count; i++) {
        const struct node_pair *pair = &node->pairs[i];
        uint64_t number, value = 0;
        bool fresh;
        if (!input_number(&reader->input, pair->key, "an MSR", 0, UINT32_MAX, &number))
            continue;
        input_number(&reader->input, pair->value, "an MSR's value", 0, UINT64_MAX, &value);
        intern_add(&numbers, &number, sizeof number, &fresh);
        if (!fresh) {
            input_error(&reader->input, pair->key->place, "found the MSR 0x%x a second time",
                        (unsigned)number);
            continue;
        }
        program->msrs[program->msr_count++] =
            (struct declared_msr){(uint32_t)number, value, pair->key->place};
    }
}
