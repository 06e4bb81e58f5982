/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The relations of well-known executions, worked out by hand. */
#include "tests/unit/judging.h"

void add_relations_tests(void);

#define NL      "\n      "
#define P(code) "  - asm: |\n      " code "\n"
#define HEAD(type)                                                                                 \
    "trace: 1\nname: t\nmemory:\n  x: {size: 4, type: " type "}\n  y: {size: 4, type: " type       \
    "}\ncpus:\n"
#define T(code, condition)   HEAD("wb") code "expect: [{sometimes: \"" condition "\"}]\n"
#define TWC(code, condition) HEAD("wc") code "expect: [{sometimes: \"" condition "\"}]\n"
#define ST(place, value)     "mov dword ptr [" #place "], " #value
#define LD(reg, place)       "mov " #reg ", dword ptr [" #place "]"
#define IPI                  ST(x, 1) NL "mov ecx, 0x830" NL "mov eax, 0xf2" NL "mov edx, 1" NL "wrmsr"
#define HANDLER              "handlers: [{cpu: P1, vector: 0xf2, asm: \"mov ebx, [x]\\niretq\"}]\n"

/* Edges are "relation from > to", sorted by nothing; a cycle starts at its first event. */
static const struct row {
    const char *name, *profile, *trace;
    const char *edges[12];
    const char *cycle[6]; /* ends where it starts */
    const char *relaxed;  /* kinds of a relaxed edge's ends; NULL: no cycle */
} rows[] = {
    {"SB",
     "x86",
     T(P(ST(x, 1) NL LD(eax, y)) P(ST(y, 1) NL LD(eax, x)), "P0:eax == 0 && P1:eax == 0"),
     {"po P0 W x=1 > P0 R y=0", "po P1 W y=1 > P1 R x=0", "rf init y=0 > P0 R y=0",
      "rf init x=0 > P1 R x=0", "fr P0 R y=0 > P1 W y=1", "fr P1 R x=0 > P0 W x=1"},
     {"po P0 W x=1 > P0 R y=0", "fr P0 R y=0 > P1 W y=1", "po P1 W y=1 > P1 R x=0",
      "fr P1 R x=0 > P0 W x=1"},
     "W R"},
    {"n6",
     "x86",
     T(P(ST(x, 1) NL LD(eax, x) NL LD(ebx, y)) P(ST(y, 2) NL ST(x, 2)),
       "P0:eax == 1 && P0:ebx == 0 && x == 1"),
     {"po P0 W x=1 > P0 R x=1", "po P0 R x=1 > P0 R y=0", "po P1 W y=2 > P1 W x=2",
      "rf P0 W x=1 > P0 R x=1", "rf init y=0 > P0 R y=0", "fr P0 R y=0 > P1 W y=2",
      "co P1 W x=2 > P0 W x=1", "po P0 W x=1 > P0 R y=0" /* the cycle's */},
     {"po P0 W x=1 > P0 R y=0", "fr P0 R y=0 > P1 W y=2", "po P1 W y=2 > P1 W x=2",
      "co P1 W x=2 > P0 W x=1"},
     "W R"},
    {"R",
     "x86",
     T(P(ST(x, 1) NL ST(y, 1)) P(ST(y, 2) NL LD(eax, x)), "P1:eax == 0 && y == 2"),
     {"po P0 W x=1 > P0 W y=1", "po P1 W y=2 > P1 R x=0", "co P0 W y=1 > P1 W y=2",
      "rf init x=0 > P1 R x=0", "fr P1 R x=0 > P0 W x=1"},
     {"po P0 W x=1 > P0 W y=1", "co P0 W y=1 > P1 W y=2", "po P1 W y=2 > P1 R x=0",
      "fr P1 R x=0 > P0 W x=1"},
     "W R"},
    {"MP where stores are not kept in order",
     "oostore",
     T(P(ST(x, 1) NL ST(y, 1)) P(LD(eax, y) NL LD(ebx, x)), "P1:eax == 1 && P1:ebx == 0"),
     {"po P0 W x=1 > P0 W y=1", "po P1 R y=1 > P1 R x=0", "rf P0 W y=1 > P1 R y=1",
      "rf init x=0 > P1 R x=0", "fr P1 R x=0 > P0 W x=1"},
     {"po P0 W x=1 > P0 W y=1", "rf P0 W y=1 > P1 R y=1", "po P1 R y=1 > P1 R x=0",
      "fr P1 R x=0 > P0 W x=1"},
     "W W"},
    {"MP with a non-temporal store",
     "x86",
     T("  - regs: {rcx: 1}\n    asm: |\n      movnti [x], ecx" NL
       "mov [y], ecx\n" P(LD(eax, y) NL LD(ebx, x)),
       "P1:eax == 1 && P1:ebx == 0"),
     {"po P0 W x=1 > P0 W y=1", "po P1 R y=1 > P1 R x=0", "rf P0 W y=1 > P1 R y=1",
      "rf init x=0 > P1 R x=0", "fr P1 R x=0 > P0 W x=1"},
     {"po P0 W x=1 > P0 W y=1", "rf P0 W y=1 > P1 R y=1", "po P1 R y=1 > P1 R x=0",
      "fr P1 R x=0 > P0 W x=1"},
     "W W"},
    {"MP in WC memory: the second load is made early",
     "x86",
     TWC(P(ST(x, 1) NL "mfence" NL ST(y, 1)) P(LD(eax, y) NL LD(ebx, x)),
         "P1:eax == 1 && P1:ebx == 0"),
     {"po P0 W x=1 > P0 W y=1", "fence mfence P0 W x=1 > P0 W y=1", "po P1 R y=1 > P1 R x=0",
      "rf P0 W y=1 > P1 R y=1", "rf init x=0 > P1 R x=0", "fr P1 R x=0 > P0 W x=1"},
     {"po P0 W x=1 > P0 W y=1", "rf P0 W y=1 > P1 R y=1", "po P1 R y=1 > P1 R x=0",
      "fr P1 R x=0 > P0 W x=1"},
     "R R"},
    {"S where stores are not kept in order",
     "oostore",
     T(P(ST(x, 2) NL ST(y, 1)) P(LD(eax, y) NL ST(x, 1)), "P1:eax == 1 && x == 2"),
     {"po P0 W x=2 > P0 W y=1", "po P1 R y=1 > P1 W x=1", "rf P0 W y=1 > P1 R y=1",
      "co P1 W x=1 > P0 W x=2"},
     {"po P0 W x=2 > P0 W y=1", "rf P0 W y=1 > P1 R y=1", "po P1 R y=1 > P1 W x=1",
      "co P1 W x=1 > P0 W x=2"},
     "W W"},
    {"2+2W where stores are not kept in order",
     "oostore",
     T(P(ST(x, 1) NL ST(y, 2)) P(ST(y, 1) NL ST(x, 2)), "x == 1 && y == 1"),
     {"po P0 W x=1 > P0 W y=2", "po P1 W y=1 > P1 W x=2", "co P0 W y=2 > P1 W y=1",
      "co P1 W x=2 > P0 W x=1"},
     {"po P0 W x=1 > P0 W y=2", "co P0 W y=2 > P1 W y=1", "po P1 W y=1 > P1 W x=2",
      "co P1 W x=2 > P0 W x=1"},
     "W W"},
    {"LB as far as it goes",
     "x86",
     T(P(LD(eax, x) NL ST(y, 1)) P(LD(eax, y) NL ST(x, 1)), "P0:eax == 1 && P1:eax == 0"),
     {"po P0 R x=1 > P0 W y=1", "po P1 R y=0 > P1 W x=1", "rf P1 W x=1 > P0 R x=1",
      "rf init y=0 > P1 R y=0", "fr P1 R y=0 > P0 W y=1"},
     {NULL},
     NULL},
    {"IRIW as far as it goes",
     "x86",
     T(P(ST(x, 1)) P(ST(y, 1)) P(LD(eax, x) NL LD(ebx, y)) P(LD(eax, y) NL LD(ebx, x)),
       "P2:eax == 1 && P2:ebx == 0 && P3:eax == 1 && P3:ebx == 1"),
     {"po P2 R x=1 > P2 R y=0", "po P3 R y=1 > P3 R x=1", "rf P0 W x=1 > P2 R x=1",
      "rf P0 W x=1 > P3 R x=1", "rf P1 W y=1 > P3 R y=1", "rf init y=0 > P2 R y=0",
      "fr P2 R y=0 > P1 W y=1"},
     {NULL},
     NULL},
    {"locked instructions are one event",
     "x86",
     T(P("lock inc dword ptr [x]" NL LD(eax, y)) P("lock inc dword ptr [x]"), "x == 2"),
     {"po P0 RMW x=0->1 > P0 R y=0", "fence lock P0 RMW x=0->1 > P0 R y=0",
      "rf init x=0 > P0 RMW x=0->1", "rf P0 RMW x=0->1 > P1 RMW x=1->2", "rf init y=0 > P0 R y=0",
      "co P0 RMW x=0->1 > P1 RMW x=1->2"},
     {NULL},
     NULL},
    {"bytes of a word: a load from two stores",
     "x86",
     T(P("mov byte ptr [x], 1" NL LD(eax, x)) P("mov byte ptr [x+1], 1" NL LD(eax, x)),
       "P0:eax == 1 && P1:eax == 0x100"),
     {"po P0 W x=1 > P0 R x=1", "po P1 W x+1=1 > P1 R x=256", "rf P0 W x=1 > P0 R x=1",
      "rf P1 W x+1=1 > P1 R x=256", "rf init x=0 > P0 R x=1", "rf init x=0 > P1 R x=256",
      "fr P0 R x=1 > P1 W x+1=1", "fr P1 R x=256 > P0 W x=1"},
     {"po P0 W x=1 > P0 R x=1", "fr P0 R x=1 > P1 W x+1=1", "po P1 W x+1=1 > P1 R x=256",
      "fr P1 R x=256 > P0 W x=1"},
     "W R"},
    {"a store that an interrupt overtakes",
     "intel",
     HEAD("wb") P(IPI) P("nop") HANDLER "expect: [{sometimes: \"P1:ebx == 0\"}]\n",
     {"po P0 W x=1 > P0 IPI vector 0xf2 to P1",
      "ipi P0 IPI vector 0xf2 to P1 > P1 interrupt vector 0xf2 at P1",
      "po P1 interrupt vector 0xf2 at P1 > P1 R x=0", "rf init x=0 > P1 R x=0",
      "fr P1 R x=0 > P0 W x=1"},
     {"po P0 W x=1 > P0 IPI vector 0xf2 to P1",
      "ipi P0 IPI vector 0xf2 to P1 > P1 interrupt vector 0xf2 at P1",
      "po P1 interrupt vector 0xf2 at P1 > P1 R x=0", "fr P1 R x=0 > P0 W x=1"},
     "W IPI"},
};

static const char *event_text(const struct result *result, const struct relations *r, uint32_t n)
{
    static char texts[2][128];
    static int next;
    char *text = texts[next++ % 2];
    const struct event *event = &r->events[n];
    snprintf(text, sizeof texts[0], "%s%s%s",
             event->cpu == NO_CPU ? "" : result->program->cpus[event->cpu].name,
             event->cpu == NO_CPU ? "" : " ", event->label);
    return text;
}

static bool is_edge(const struct result *result, const struct relations *r, const struct edge *edge,
                    const char *wanted)
{
    char text[300];
    snprintf(text, sizeof text, "%s %s%s%s > %s", relation_name(edge->relation),
             edge->name ? edge->name : "", edge->name ? " " : "", event_text(result, r, edge->from),
             event_text(result, r, edge->to));
    return strcmp(text, wanted) == 0;
}

static void print(const struct result *result, const struct relations *r)
{
    for (size_t i = 0; i < r->edge_count; i++)
        printf("  %s %s > %s\n", relation_name(r->edges[i].relation),
               event_text(result, r, r->edges[i].from), event_text(result, r, r->edges[i].to));
}

static bool check_edges(const struct result *result, const struct relations *r,
                        const struct row *row)
{
    size_t wanted = 0;
    bool good = true;
    for (; wanted < 12 && row->edges[wanted]; wanted++) {
        size_t found = 0;
        for (size_t i = 0; i < r->edge_count; i++)
            found += is_edge(result, r, &r->edges[i], row->edges[wanted]);
        good = good && found == 1;
    }
    return good && wanted == r->edge_count;
}

static bool check_cycle(const struct result *result, const struct relations *r,
                        const struct row *row)
{
    size_t length = 0;
    bool good = true, relaxed = !row->relaxed;
    for (; length < 6 && row->cycle[length] && length < r->cycle_count; length++) {
        const struct edge *edge = &r->cycle[length];
        char kinds[32];
        snprintf(kinds, sizeof kinds, "%s %s", event_kind_name(r->events[edge->from].kind),
                 event_kind_name(r->events[edge->to].kind));
        good = good && is_edge(result, r, edge, row->cycle[length]) &&
               (!edge->relaxed || strcmp(kinds, row->relaxed) == 0);
        relaxed = relaxed || edge->relaxed;
    }
    return good && relaxed && length == r->cycle_count && !row->cycle[length];
}

static void test_known(void)
{
    struct run_options options = {.order = true, .reduce = true, .relaxed = true, .explain = true};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judging j;
        const struct result *result = judging_open(&j, rows[i].trace, rows[i].profile, &options);
        int index = result->expects[0].witness;
        CU_ASSERT_TRUE_FATAL(index >= 0);
        const struct relations *r = result->witnesses[index].relations;
        CU_ASSERT_PTR_NULL(r->problem);
        bool good = check_edges(result, r, &rows[i]) && check_cycle(result, r, &rows[i]);
        CU_ASSERT_TRUE(good);
        if (!good) {
            printf("%s:\n", rows[i].name);
            print(result, r);
        }
        judging_close(&j);
    }
}

/* A long execution is not related, and that is said. */
static void test_too_large(void)
{
    struct run_options options = {
        .order = true, .reduce = true, .witness = WITNESS_ALL, .explain = true};
    struct judging j;
    const struct result *result =
        judging_open(&j,
                     "trace: 1\nname: t\nmemory: {x: {size: 1024}, y: {size: 4}}\ncpus:\n"
                     "  - regs: {rdi: x, rcx: 1000}\n    asm: rep stosb\n  - asm: mov al, [x]\n"
                     "observe: [P1:al]\n",
                     "x86", &options);
    CU_ASSERT_TRUE(result->witness_count > 0);
    for (size_t i = 0; i < result->witness_count; i++)
        CU_ASSERT_PTR_NOT_NULL(result->witnesses[i].relations->problem);
    judging_close(&j);
}

void add_relations_tests(void)
{
    CU_pSuite suite = CU_add_suite("relations", NULL, NULL);
    CU_add_test(suite, "known executions", test_known);
    CU_add_test(suite, "too large", test_too_large);
}
