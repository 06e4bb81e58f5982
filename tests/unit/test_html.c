/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State graphs and witnesses as the HTML report shows them, and its escaping. */
#include <string.h>

#include "sim/report/html.h"
#include "tests/unit/judging.h"

void add_html_tests(void);

#define STORE_BUFFERING(fence)                                                                     \
    "trace: 1\nname: sb\nmemory: {x: {size: 4}, y: {size: 4}}\ncpus:\n"                            \
    "  - asm: \"mov dword ptr [x], 1; " fence " mov eax, dword ptr [y]\"\n"                        \
    "  - asm: \"mov dword ptr [y], 1; " fence " mov eax, dword ptr [x]\"\n"                        \
    "expect:\n  - never: P0:eax == 0 && P1:eax == 0\n"

static const struct run_options exploring = {
    .order = true, .reduce = true, .relaxed = true, .graph_states = 1000};

/* Whether an ending that `condition` holds in can be reached from `state`. */
static bool leads_to(const struct state_graph *found, uint32_t state, size_t condition)
{
    const struct graph *graph = found->graph;
    const struct graph_state *at = &graph->states[state];
    if (at->is_final)
        return found->endings[at->ending].holds[condition];
    for (uint32_t i = 0; i < at->edge_count; i++)
        if (leads_to(found, graph->edges[at->first_edge + i].to, condition))
            return true;
    return false;
}

static void test_graph_without_fence(void)
{
    struct judging j;
    const struct result *result = judging_open(&j, STORE_BUFFERING(""), "x86", &exploring);
    const struct state_graph *found = result->state_graph;
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    CU_ASSERT_TRUE(leads_to(found, 0, 0));
    CU_ASSERT_EQUAL(found->ending_count, 4);
    /* At the start each CPU can make its store, and nothing else happens. */
    const struct graph_state *start = &found->graph->states[0];
    CU_ASSERT_EQUAL_FATAL(start->edge_count, 2);
    for (uint32_t cpu = 0; cpu < 2; cpu++) {
        const struct graph_edge *edge = &found->graph->edges[start->first_edge + cpu];
        const struct graph_label *label = &found->graph->labels[edge->label];
        CU_ASSERT_EQUAL(label->cpu, cpu);
        CU_ASSERT_STRING_EQUAL(label->event, "store");
        uint32_t now = found->graph->states[edge->to].components[cpu];
        const struct graph_component *component = &found->graph->components[cpu][now];
        CU_ASSERT_EQUAL_FATAL(component->buffer_count, 1);
        CU_ASSERT_STRING_EQUAL(component->buffer[0], cpu ? "y=1" : "x=1");
    }
    judging_close(&j);
}

static void test_graph_with_fence(void)
{
    struct judging j;
    const struct result *result = judging_open(&j, STORE_BUFFERING("mfence;"), "x86", &exploring);
    const struct state_graph *found = result->state_graph;
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    CU_ASSERT_FALSE(leads_to(found, 0, 0));
    CU_ASSERT_EQUAL(found->ending_count, 3);
    judging_close(&j);
}

/* Registers of a load are part of the step that loads, also when it stores as well. */
static void test_instruction_is_one_step(void)
{
    struct judging j;
    const char *text = "trace: 1\nname: add\nmemory: {x: {size: 4}}\n"
                       "cpus: [{asm: \"add dword ptr [x], 2; mov ecx, dword ptr [x]\"}]\n"
                       "observe: [P0:ecx, x]\n";
    const struct result *result = judging_open(&j, text, "x86", &exploring);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result->state_graph);
    const struct graph *graph = result->state_graph->graph;
    /* before; added, drained; loaded before the drain, after it, drained */
    CU_ASSERT_EQUAL(graph->state_count, 5);
    CU_ASSERT_EQUAL(graph->edge_count, 5);
    judging_close(&j);
}

/* Nobody can tell when a store to the own stack becomes visible. */
static void test_own_stack(void)
{
    struct judging j;
    const char *text = "trace: 1\nname: push\nmemory: {x: {size: 4}}\n"
                       "cpus: [{regs: {rax: 7}, asm: \"push rax; pop rcx\"}]\n"
                       "observe: [P0:ecx]\n";
    const struct result *result = judging_open(&j, text, "x86", &exploring);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result->state_graph);
    const struct graph *graph = result->state_graph->graph;
    CU_ASSERT_EQUAL(graph->state_count, 3);
    CU_ASSERT_EQUAL(graph->edge_count, 2);
    CU_ASSERT_EQUAL(result->state_graph->endings[0].values[0], 7);
    judging_close(&j);
}

static void test_limit(void)
{
    struct judging j;
    struct run_options options = exploring;
    options.graph_states = 10;
    const struct result *result = judging_open(&j, STORE_BUFFERING(""), "x86", &options);
    CU_ASSERT_PTR_NULL(result->state_graph);
    CU_ASSERT_STRING_EQUAL(result->no_graph, "it has more than 10 states");
    judging_close(&j);
}

/* Memory along a witness: both stores drain last, and nothing before them changes it. */
static void test_witness_memory(void)
{
    struct judging j;
    const struct result *result = judging_open(&j, STORE_BUFFERING(""), "x86", &exploring);
    CU_ASSERT_TRUE_FATAL(result->witness_count > 0);
    const struct witness *witness = result->witnesses[0].witness;
    CU_ASSERT_EQUAL_FATAL(witness->cells.count, 2);
    CU_ASSERT_STRING_EQUAL(witness->cells.items[0].name, "x");
    CU_ASSERT_TRUE(witness->start[0] == 0 && witness->start[1] == 0);
    CU_ASSERT_EQUAL_FATAL(witness->count, 6);
    for (size_t i = 0; i < 6; i++)
        CU_ASSERT_EQUAL(witness->steps[i].memory[0] + witness->steps[i].memory[1],
                        i < 4 ? 0 : i - 3);
    judging_close(&j);
}

/* Judges, and writes the page, with the n-th allocation failing; whether it came to the end. */
static bool judge_without_memory(const struct judging *j, const struct profile *profile, uint64_t n)
{
    struct region region;
    struct result_list results = {0};
    struct text page;
    uint32_t variant = 0;
    region_init(&region, 0);
    if (region_guard(&region)) {
        region_release(&region);
        return false;
    }
    region_fail_after(n);
    run_program(&region, j->reading.program, &profile, 1, &variant, 1, &exploring, &results);
    text_init(&page, &region);
    write_html(&page, &(struct report_view){.results = &results});
    region_fail_after(0);
    region_release(&region);
    return true;
}

/* Wherever memory runs out, the job ends; nothing leaks or is used after it (sanitizers see). */
static void test_memory_runs_out(void)
{
    struct judging j;
    const struct result *result = judging_open(&j, STORE_BUFFERING(""), "zen4", &exploring);
    uint64_t failed = 0;
    for (uint64_t n = 1; !judge_without_memory(&j, result->profile, n); n++)
        failed++;
    region_fail_after(0);
    CU_ASSERT_TRUE(failed > 50);
    judging_close(&j);
}

static void check_escape(const char *from, const char *html, const char *json)
{
    struct region region;
    struct text text;
    region_init(&region, 0);
    if (region_guard(&region))
        CU_FAIL_FATAL("memory ran out");
    text_init(&text, &region);
    text_add_html(&text, from);
    CU_ASSERT_STRING_EQUAL(text.data, html);
    text_init(&text, &region);
    text_add_json(&text, from);
    CU_ASSERT_STRING_EQUAL(text.data, json);
    region_release(&region);
}

static void test_escape(void)
{
#define UNKNOWN "\xef\xbf\xbd"
    check_escape("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;", "\"a\\u003cb\\u003e\\u0026\\\"'\"");
    check_escape("</script><!--", "&lt;/script&gt;&lt;!--", "\"\\u003c/script\\u003e\\u003c!--\"");
    check_escape("\\\n\t", "\\\n\t", "\"\\\\\\n\\t\"");
    check_escape("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                 "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    /* a lone byte, one that is cut short, an overlong slash, a surrogate, beyond the last */
    check_escape("\xff", UNKNOWN, "\"" UNKNOWN "\"");
    check_escape("\xe2\x82", UNKNOWN UNKNOWN, "\"" UNKNOWN UNKNOWN "\"");
    check_escape("\xc0\xaf", UNKNOWN UNKNOWN, "\"" UNKNOWN UNKNOWN "\"");
    check_escape("\xed\xa0\x80", UNKNOWN UNKNOWN UNKNOWN, "\"" UNKNOWN UNKNOWN UNKNOWN "\"");
    check_escape("\xf4\x90\x80\x80", UNKNOWN UNKNOWN UNKNOWN UNKNOWN,
                 "\"" UNKNOWN UNKNOWN UNKNOWN UNKNOWN "\"");
    /* U+2028, U+202E (right to left), a control, U+FEFF */
    check_escape("\xe2\x80\xa8\xe2\x80\xae\x01\xef\xbb\xbf", UNKNOWN UNKNOWN UNKNOWN UNKNOWN,
                 "\"" UNKNOWN UNKNOWN UNKNOWN UNKNOWN "\"");
#undef UNKNOWN
}

void add_html_tests(void)
{
    CU_pSuite suite = CU_add_suite("html", NULL, NULL);
    CU_add_test(suite, "graph without a fence", test_graph_without_fence);
    CU_add_test(suite, "graph with a fence", test_graph_with_fence);
    CU_add_test(suite, "an instruction is one step", test_instruction_is_one_step);
    CU_add_test(suite, "the own stack is no step", test_own_stack);
    CU_add_test(suite, "limit of states", test_limit);
    CU_add_test(suite, "memory along a witness", test_witness_memory);
    CU_add_test(suite, "memory runs out", test_memory_runs_out);
    CU_add_test(suite, "escaping", test_escape);
}
