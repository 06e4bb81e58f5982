/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace reader: what a trace becomes. What it says of bad ones is in tests/malformed. */
#include <CUnit/CUnit.h>

#include "sim/isa/insn.h"
#include "sim/program/layout.h"
#include "tests/unit/reading.h"

void add_reader_tests(void);

#define HEAD "trace: 1\nname: t\n"

static uint64_t word_at(const struct object *object, size_t offset)
{
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && offset + i < object->init_size; i++)
        word |= (uint64_t)object->init[offset + i] << 8 * i;
    return word;
}

static void test_objects(void)
{
    struct reading r;
    reading_open(&r, HEAD "memory:\n"
                          "  a: {size: 4, init: 0x10}\n"
                          "  b: {size: 1, init: -1, type: uc, align: 4KiB}\n"
                          "  c: {size: 8, init: b+1}\n"
                          "  d: {size: 32, init: [a, 7]}\n"
                          "  e: {size: 16, init: \"de ad\", persistent: true, resident: DRAM}\n"
                          "  f: {at: e+4, size: 4}\n"
                          "  g: {at: f+2, size: 2}\n"
                          "  h: {size: 8, init: \"10\"}\n"
                          "  i: {size: 2, init: 1, code: true}\n"
                          "cpus: [{code: \"90\"}]\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct object *objects = r.program->objects;
    CU_ASSERT_EQUAL_FATAL(r.program->object_count, 9);
    CU_ASSERT_EQUAL(objects[0].address, OBJECT_BASE);
    CU_ASSERT_EQUAL(word_at(&objects[0], 0), 0x10);
    CU_ASSERT_EQUAL(objects[1].address, OBJECT_BASE + 0x1000);
    CU_ASSERT_EQUAL(objects[1].type, MEMORY_UC);
    CU_ASSERT_EQUAL(objects[1].init_size, 1);
    CU_ASSERT_EQUAL(word_at(&objects[1], 0), 0xff);
    CU_ASSERT_EQUAL(objects[2].address, OBJECT_BASE + 0x1040);
    CU_ASSERT_EQUAL(word_at(&objects[2], 0), objects[1].address + 1);
    CU_ASSERT_EQUAL(word_at(&objects[3], 0), objects[0].address);
    CU_ASSERT_EQUAL(word_at(&objects[3], 8), 7);
    CU_ASSERT_EQUAL(word_at(&objects[4], 0), 0xadde);
    CU_ASSERT_EQUAL(objects[4].resident, RESIDENT_DRAM);
    CU_ASSERT_EQUAL(objects[5].address, objects[4].address + 4);
    CU_ASSERT_TRUE(objects[5].persistent);
    CU_ASSERT_EQUAL(objects[6].address, objects[4].address + 6);
    CU_ASSERT_EQUAL(objects[6].parent, 4);
    CU_ASSERT_EQUAL(word_at(&objects[7], 0), 0x10);
    CU_ASSERT_TRUE(objects[8].code);
    CU_ASSERT_EQUAL(program_object(r.program, "g"), 6);
    CU_ASSERT_EQUAL(program_object(r.program, "z"), NO_INDEX);
    reading_close(&r);
}

static void test_object_at(void)
{
    struct reading r;
    reading_open(&r, HEAD "memory:\n"
                          "  a: {size: 4}\n"
                          "  b: {at: a, size: 2}\n"
                          "  c: {size: 100}\n"
                          "  d: {size: 8}\n"
                          "cpus: [{code: \"90\"}]\n");
    const struct program *p = r.program;
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE - 1, 1), NO_INDEX);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE, 4), 0);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE + 3, 1), 0);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE + 3, 2), NO_INDEX);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE + 4, 1), NO_INDEX);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE + 64 + 99, 1), 2);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE + 64 + 100, 1), NO_INDEX);
    CU_ASSERT_EQUAL(program_object_at(p, OBJECT_BASE + 192, 8), 3);
    CU_ASSERT_EQUAL(program_object_at(p, UINT64_MAX, 8), NO_INDEX);
    reading_close(&r);
}

/* Following the pointers visits every line once before it is back. */
static void test_chase(void)
{
    struct reading r;
    reading_open(&r, HEAD "memory:\n"
                          "  ring: {size: 128KiB, init: chase}\n"
                          "  one: {size: 64, init: chase}\n"
                          "cpus: [{code: \"90\"}]\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct object *ring = &r.program->objects[0];
    uint64_t at = ring->address;
    size_t steps = 0, neighbours = 0;
    do {
        uint64_t next = word_at(ring, at - ring->address);
        CU_ASSERT_EQUAL_FATAL((next - ring->address) % 64, 0);
        CU_ASSERT_TRUE_FATAL(next - ring->address < ring->size);
        neighbours += next == at + 64;
        at = next;
    } while (++steps < 3000 && at != ring->address);
    CU_ASSERT_EQUAL(steps, 2048);
    CU_ASSERT_TRUE(neighbours < 20);
    CU_ASSERT_EQUAL(word_at(&r.program->objects[1], 0), r.program->objects[1].address);
    reading_close(&r);
}

static void test_cpus(void)
{
    struct reading r;
    reading_open(&r, HEAD "memory: {x: {size: 8}}\n"
                          "cpus:\n"
                          "  - {code: \"90\", regs: {rax: x+4, edx: -1, R8: 5}}\n"
                          "  - {name: W, count: 2, code: \"90 90\", place: far}\n"
                          "  - {name: D, agent: device, asm: nop}\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    CU_ASSERT_EQUAL_FATAL(r.program->cpu_count, 4);
    const struct cpu *cpus = r.program->cpus;
    CU_ASSERT_STRING_EQUAL(cpus[0].name, "P0");
    CU_ASSERT_EQUAL(cpus[0].gpr[0], OBJECT_BASE + 4);
    CU_ASSERT_EQUAL(cpus[0].gpr[2], 0xffffffff);
    CU_ASSERT_EQUAL(cpus[0].gpr[8], 5);
    CU_ASSERT_EQUAL(cpus[0].gpr[4], STACK_BASE + STACK_TOP_OFFSET);
    CU_ASSERT_STRING_EQUAL(cpus[0].cluster, "");
    CU_ASSERT_STRING_EQUAL(cpus[2].name, "W.1");
    CU_ASSERT_STRING_EQUAL(cpus[2].family, "W");
    CU_ASSERT_EQUAL(cpus[2].family_count, 2);
    CU_ASSERT_STRING_EQUAL(cpus[2].cluster, "far");
    CU_ASSERT_EQUAL(cpus[2].stack, STACK_BASE + 2 * STACK_BYTES);
    CU_ASSERT_EQUAL(cpus[3].agent, AGENT_DEVICE);
    const struct variant *only = &r.program->variants[0];
    CU_ASSERT_EQUAL_FATAL(r.program->variant_count, 1);
    CU_ASSERT_STRING_EQUAL(only->name, "default");
    CU_ASSERT_EQUAL(only->code[2]->address, CODE_BASE + 2 * CODE_STRIDE);
    CU_ASSERT_EQUAL(only->code[2]->size, 2);
    CU_ASSERT_PTR_NULL(only->setup[0]);
    CU_ASSERT_EQUAL(r.sources.count, 1);
    CU_ASSERT_EQUAL(program_cpu(r.program, "W.0"), 1);
    CU_ASSERT_EQUAL(program_cpu(r.program, "W"), NO_INDEX);
    reading_close(&r);
}

static const char slots[] = HEAD "cpus:\n"
                                 "  - asm: |\n"
                                 "      nop\n"
                                 "      {a}   # filled below\n"
                                 "\n"
                                 "      {b}\n"
                                 "  - asm: \"nop\\n  pause\"\n"
                                 "    setup: |\n"
                                 "      {b}\n"
                                 "variants:\n"
                                 "  one: {a: \"mfence; nop\", b: }\n"
                                 "  two: {a: \"mfence; nop\", b: ''}\n"
                                 "  three: {a: \"\", b: \"mfence; nop\"}\n"
                                 "  four: {a: lfence, b: \"sfence\\n lfence\"}\n";

static void test_slots(void)
{
    struct reading r;
    reading_open(&r, slots);
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct variant *v = r.program->variants;
    CU_ASSERT_EQUAL(r.program->slot_count, 2);
    CU_ASSERT_PTR_EQUAL(v[0].code[0], v[1].code[0]);
    CU_ASSERT_PTR_NOT_EQUAL(v[0].code[0], v[2].code[0]); /* the same text out of another slot */
    CU_ASSERT_PTR_NOT_EQUAL(v[0].code[0], v[3].code[0]);
    CU_ASSERT_PTR_EQUAL(v[0].code[1], v[3].code[1]);
    CU_ASSERT_EQUAL(v[0].setup[1]->size, 0);
    CU_ASSERT_EQUAL(v[3].setup[1]->address, CODE_BASE + CODE_STRIDE + SETUP_OFFSET);
    CU_ASSERT_EQUAL(r.sources.count, 6);
    const struct source *last = r.sources.items[2];
    CU_ASSERT_EQUAL_FATAL(last->line_count, 4);
    CU_ASSERT_STRING_EQUAL(last->lines[0].text, "nop");
    CU_ASSERT_PTR_NULL(last->lines[0].slot);
    CU_ASSERT_EQUAL(last->lines[0].place.line, 5);
    CU_ASSERT_EQUAL(last->lines[0].place.column, 7);
    CU_ASSERT_STRING_EQUAL(last->lines[1].text, "lfence");
    CU_ASSERT_STRING_EQUAL(last->lines[1].slot, "a");
    CU_ASSERT_STRING_EQUAL(last->lines[3].text, "lfence");
    CU_ASSERT_EQUAL(last->lines[3].place.line, 16);
    CU_ASSERT_EQUAL(last->lines[3].place.column, 34);
    reading_close(&r);
}

static void test_handlers(void)
{
    struct reading r;
    reading_open(&r, HEAD "cpus:\n"
                          "  - {name: A, count: 2, code: \"90\"}\n"
                          "handlers:\n"
                          "  - {cpu: A.*, vector: 0xf0, asm: iretq}\n"
                          "  - {cpu: A.1, vector: 33, code: \"48 cf\"}\n"
                          "timer: 0xec\n"
                          "msrs: {0x123: 0xffffffffffffffff}\n"
                          "loop: {cpu: [A], iterations: 5}\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct program *p = r.program;
    CU_ASSERT_EQUAL_FATAL(p->handler_count, 3);
    CU_ASSERT_EQUAL(p->handlers[1].cpu, 1);
    CU_ASSERT_EQUAL(p->handlers[2].vector, 33);
    CU_ASSERT_EQUAL(p->variants[0].handlers[1]->address, handler_address(1, 0));
    CU_ASSERT_EQUAL(p->variants[0].handlers[2]->address, handler_address(1, 1));
    CU_ASSERT_EQUAL(p->timer_vector, 0xec);
    CU_ASSERT_EQUAL(p->timer_lvt, NO_INDEX);
    CU_ASSERT_EQUAL(p->msrs[0].number, 0x123);
    CU_ASSERT_EQUAL(p->msrs[0].value, UINT64_MAX);
    CU_ASSERT_EQUAL(p->loop_cpu_count, 2);
    CU_ASSERT_EQUAL(p->loop_iterations, 5);
    reading_close(&r);
}

static void test_expectations(void)
{
    struct reading r;
    reading_open(&r, HEAD "memory: {x: {size: 4}}\n"
                          "cpus: [{asm: \"{s}\"}]\n"
                          "variants: {a: {s: nop}, b: {s: nop}, c: {s: nop}}\n"
                          "expect:\n"
                          "  - never: x == 1 &&\n"
                          "      P0:eax == 2\n"
                          "    variants: [a, b]\n"
                          "  - cycles: {cpu: P0, value: 6.5, within: 10%}\n"
                          "    except: [c, zen4]\n"
                          "  - cycles: {cpu: P0, max: 80}\n"
                          "    profiles: {except: [zen4]}\n"
                          "  - redundant: s\n"
                          "  - finding: some-rule\n"
                          "    profiles: zen4\n"
                          "  - cheaper: {cpu: P0, variant: a, than: b}\n");
    CU_ASSERT_EQUAL_FATAL(r.diagnostics.count, 0);
    const struct expectation *e = r.program->expectations;
    CU_ASSERT_EQUAL_FATAL(r.program->expectation_count, 6);
    CU_ASSERT_STRING_EQUAL(e[0].text, "never x == 1 && P0:eax == 2");
    CU_ASSERT_TRUE(expectation_applies(&e[0], "a", "x86"));
    CU_ASSERT_FALSE(expectation_applies(&e[0], "c", "x86"));
    CU_ASSERT_EQUAL(e[1].kind, EXPECT_CYCLES);
    CU_ASSERT_DOUBLE_EQUAL(e[1].value, 6.5, 0);
    CU_ASSERT_DOUBLE_EQUAL(e[1].within, 0.1, 1e-9);
    CU_ASSERT_TRUE(e[1].max < 0);
    CU_ASSERT_STRING_EQUAL(e[1].text, "cycles P0 value 6.5 within 10%");
    CU_ASSERT_TRUE(expectation_applies(&e[1], "a", "x86"));
    CU_ASSERT_FALSE(expectation_applies(&e[1], "c", "x86"));
    CU_ASSERT_FALSE(expectation_applies(&e[1], "a", "zen4"));
    CU_ASSERT_EQUAL(e[1].profiles.places[0].line, 11);
    CU_ASSERT_EQUAL(e[1].profiles.places[0].column, 17);
    CU_ASSERT_DOUBLE_EQUAL(e[2].max, 80, 0);
    CU_ASSERT_TRUE(e[2].value < 0);
    CU_ASSERT_FALSE(expectation_applies(&e[2], "a", "zen4"));
    CU_ASSERT_STRING_EQUAL(e[3].name, "s");
    CU_ASSERT_STRING_EQUAL(e[4].text, "finding some-rule");
    CU_ASSERT_FALSE(expectation_applies(&e[4], "a", "x86"));
    CU_ASSERT_STRING_EQUAL(e[5].text, "cheaper P0 a than b");
    CU_ASSERT_STRING_EQUAL(e[5].than, "b");
    CU_ASSERT_EQUAL(r.program->observed_count, 2);
    CU_ASSERT_FALSE(r.program->observe_given);
    reading_close(&r);
}

/* Reads with the n-th allocation failing; whether the reading came to its end. */
static bool read_with_failure(uint64_t n)
{
    struct region region;
    struct diagnostics diagnostics;
    struct source_list sources = {.region = &region};
    region_init(&region, 0);
    region_fail_after(n);
    if (region_guard(&region)) {
        region_release(&region);
        return false;
    }
    diagnostics_init(&diagnostics, &region);
    struct program *program =
        trace_parse(&region, "t.yaml", slots, sizeof slots - 1, &sources, &diagnostics);
    region_fail_after(0);
    CU_ASSERT_PTR_NOT_NULL(program);
    region_release(&region);
    return true;
}

/* Every allocation of a reading fails once; nothing may be lost or crash. */
static void test_exhausted_memory(void)
{
    uint64_t n = 1;
    while (n < 10000 && !read_with_failure(n))
        n++;
    CU_ASSERT_TRUE(n > 5 && n < 10000);
}

static void test_memory_limit(void)
{
    struct region region;
    volatile bool failed = false;
    region_init(&region, 1024 * 1024);
    if (region_guard(&region)) {
        failed = true;
    } else {
        static const char text[] = HEAD "memory: {x: {size: 64MiB, init: chase}}\n"
                                        "cpus: [{code: \"90\"}]\n";
        struct diagnostics diagnostics;
        struct source_list sources = {.region = &region};
        diagnostics_init(&diagnostics, &region);
        trace_parse(&region, "t.yaml", text, sizeof text - 1, &sources, &diagnostics);
    }
    CU_ASSERT_TRUE(failed);
    CU_ASSERT_TRUE(region.limit_hit);
    region_release(&region);
}

static void test_all_errors_in_one_run(void)
{
    struct reading r;
    reading_open(&r, "trace: 2\n"
                     "nam: t\n"
                     "memory: {x: {size: 3x}, y: {size: 4, init: w}}\n"
                     "cpus:\n"
                     "  - {asm: \"{s}\", regs: {rbz: 1}}\n"
                     "  - 7\n"
                     "observe: [P0:eex]\n"
                     "expect: [{never: q == 1}, {always: x}]\n");
    CU_ASSERT_TRUE(reading_error(&r, 1, 8, "version 1"));
    CU_ASSERT_TRUE(reading_error(&r, 1, 1, "no 'name'"));
    CU_ASSERT_TRUE(reading_error(&r, 2, 1, "did you mean 'name'?"));
    CU_ASSERT_TRUE(reading_error(&r, 3, 20, "3x"));
    CU_ASSERT_TRUE(reading_error(&r, 3, 44, "'w'"));
    CU_ASSERT_TRUE(reading_error(&r, 5, 12, "{s}"));
    CU_ASSERT_TRUE(reading_error(&r, 5, 25, "rbz"));
    CU_ASSERT_TRUE(reading_error(&r, 6, 5, "a CPU"));
    CU_ASSERT_TRUE(reading_error(&r, 7, 11, "eex"));
    CU_ASSERT_TRUE(reading_error(&r, 8, 18, "'q'"));
    CU_ASSERT_TRUE(reading_error(&r, 8, 37, "comparison"));
    CU_ASSERT_EQUAL(r.diagnostics.count, 11);
    reading_close(&r);
}

static void test_undecodable(void)
{
    struct reading r;
    reading_open(&r, HEAD "cpus:\n"
                          "  - {code: \"90 06 90\"}\n"
                          "  - {code: \"0f ae f0\"}\n");
    CU_ASSERT_EQUAL(r.diagnostics.count, 0);
    trace_finish(r.program, &r.diagnostics);
    CU_ASSERT_EQUAL(r.diagnostics.count, 1);
    CU_ASSERT_TRUE(reading_error(&r, 4, 12, "0x06 at offset 1"));
    reading_close(&r);
}

void add_reader_tests(void)
{
    CU_pSuite suite = CU_add_suite("trace reader", NULL, NULL);
    CU_add_test(suite, "objects have their places and values", test_objects);
    CU_add_test(suite, "an address finds its object", test_object_at);
    CU_add_test(suite, "a chase is one cycle", test_chase);
    CU_add_test(suite, "CPUs have their registers and code", test_cpus);
    CU_add_test(suite, "variants fill slots and share snippets", test_slots);
    CU_add_test(suite, "handlers, timer, MSRs and loops", test_handlers);
    CU_add_test(suite, "expectations", test_expectations);
    CU_add_test(suite, "memory may run out anywhere", test_exhausted_memory);
    CU_add_test(suite, "a memory limit ends the reading", test_memory_limit);
    CU_add_test(suite, "all errors in one run", test_all_errors_in_one_run);
    CU_add_test(suite, "bytes that do not decode", test_undecodable);
}
