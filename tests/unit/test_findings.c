/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each rule where it must and where it must not be found. */
#include "sim/judge/rules.h"
#include "tests/unit/judging.h"

void add_findings_tests(void);

#define HEAD "trace: 1\nname: t\nmemory:\n  x: {size: 4}\n  y: {size: 4}\n"
#define P(n) "  - name: P" #n "\n    asm: |\n      "
#define NL   "\n      "
#define ONE  HEAD "cpus:\n" P(0)
#define END  "\nobserve: [x]\n"
#define SB(a, b)                                                                                   \
    HEAD "cpus:\n" P(0) "mov dword ptr [x], 1" NL a                                                \
                        "mov eax, [y]\n" P(1) "mov dword ptr [y], 1" NL b                          \
                                              "mov eax, [x]\nobserve: [P0:eax, P1:eax]\n"
#define MP(a)                                                                                      \
    HEAD "cpus:\n" P(0) a "\n" P(1) "mov eax, [y]" NL "mov ebx, [x]\nobserve: [P1:eax, P1:ebx]\n"
#define PMEM(code)                                                                                 \
    "trace: 1\nname: t\nmemory:\n  x: {size: 4, persistent: true}\n  y: {size: 4, persistent: "    \
    "true}\n"                                                                                      \
    "cpus:\n" P(0) code "\nobserve: [x, y]\n"
#define IPI(fence)                                                                                 \
    HEAD "cpus:\n" P(0) "mov dword ptr [x], 1" NL fence "mov ecx, 0x830" NL "mov eax, 0xf2" NL     \
                        "mov edx, 1" NL                                                            \
                        "wrmsr\n" P(1) "nop\n"                                                     \
                                       "handlers:\n  - {cpu: P1, vector: 0xf2, asm: \"mov ebx, "   \
                                       "[x]\\niretq\"}\nobserve: [P1:ebx]\n"
#define PAT "mov ecx, 0x277" NL "xor eax, eax" NL "xor edx, edx" NL "wrmsr"

static const struct {
    const char *rule, *text, *profile;
    int offset; /* where it is found; -1: it must not be */
} rows[] = {
    {"redundant-fence", SB("mfence" NL, "mfence" NL), "x86", -1},
    {"redundant-fence", SB("mfence" NL, ""), "x86", 11},
    {"redundant-fence", SB("mfence" NL "lfence" NL, "mfence" NL), "x86", 14},
    {"redundant-fence", SB("lock or dword ptr [rsp], 0" NL, ""), "x86", 11},
    {"redundant-fence", SB("lock or dword ptr [rsp], 0" NL, "mfence" NL), "x86", -1},
    {"redundant-fence", MP("mov dword ptr [x], 1" NL "sfence" NL "mov dword ptr [y], 1"), "x86",
     11},
    {"redundant-fence", MP("mov dword ptr [x], 1" NL "sfence" NL "mov dword ptr [y], 1"), "oostore",
     -1},
    {"redundant-fence", IPI("mfence" NL "lfence" NL), "intel", -1},
    {"redundant-fence", IPI("mfence" NL "lfence" NL), "amd", 11},
    {"redundant-fence", ONE "mov dword ptr [x], 1" NL "wbinvd" END, "x86", 11},
    {"redundant-fence",
     PMEM("mov dword ptr [x], 1" NL "clwb [x]" NL "sfence" NL "mov dword ptr [y], 1"), "x86", -1},
    {"weaker-fence-suffices", MP("mov ecx, 1" NL "movnti [x], ecx" NL "mfence" NL "mov [y], ecx"),
     "x86", 13},
    {"weaker-fence-suffices", MP("mov ecx, 1" NL "movnti [x], ecx" NL "sfence" NL "mov [y], ecx"),
     "x86", -1},
    {"weaker-fence-suffices", SB("mfence" NL, "mfence" NL), "x86", -1},
    {"misplaced-fence", MP("mov ecx, 1" NL "movnti [x], ecx" NL "mov [y], ecx" NL "sfence"), "x86",
     20},
    {"misplaced-fence", MP("mov ecx, 1" NL "movnti [x], ecx" NL "sfence" NL "mov [y], ecx"), "x86",
     -1},
    {"misplaced-fence", IPI("lfence" NL "mfence" NL), "intel", 11},
    {"misplaced-fence", SB("mfence" NL, "mfence" NL), "x86", -1},
    {"nt-store-unfenced", MP("mov ecx, 1" NL "movnti [x], ecx" NL "mov [y], ecx"), "x86", 5},
    {"nt-store-unfenced", MP("mov ecx, 1" NL "movnti [x], ecx" NL "lfence" NL "mov [y], ecx"),
     "x86", 5},
    {"nt-store-unfenced", MP("mov ecx, 1" NL "movnti [x], ecx" NL "sfence" NL "mov [y], ecx"),
     "x86", -1},
    {"nt-store-unfenced", MP("mov ecx, 1" NL "movnti [x], ecx" NL "xchg [y], ecx"), "x86", -1},
    {"nt-store-unfenced",
     MP("mov ecx, 1" NL "1: movnti [x], ecx" NL "dec ecx" NL "jnz 1b" NL "sfence"), "x86", -1},
    {"nt-store-unfenced",
     "trace: 1\nname: t\nmemory:\n  x: {size: 4, type: uc}\ncpus:\n" P(0) "movnti [x], ecx" END,
     "x86", -1},
    {"nt-store-unfenced",
     "trace: 1\nname: t\nmemory:\n  x: {size: 4, type: wc}\ncpus:\n" P(0) "mov [x], ecx" END, "x86",
     0},
    {"flush-unfenced", PMEM("mov dword ptr [x], 1" NL "clwb [x]" NL "mov dword ptr [y], 1"), "x86",
     11},
    {"flush-unfenced", PMEM("mov dword ptr [x], 1" NL "clflush [x]" NL "mov dword ptr [y], 1"),
     "x86", -1},
    {"flush-unfenced",
     PMEM("mov dword ptr [x], 1" NL "clflushopt [x]" NL "sfence" NL "mov dword ptr [y], 1"), "x86",
     -1},
    {"flush-unfenced", PMEM("mov dword ptr [x], 1" NL "clflushopt [x]"), "x86", 11},
    {"wrmsr-overtakes-stores", IPI(""), "intel", 26},
    {"wrmsr-overtakes-stores", IPI("mfence" NL), "intel", 29},
    {"wrmsr-overtakes-stores", IPI("mfence" NL "lfence" NL), "intel", -1},
    {"wrmsr-overtakes-stores", IPI(""), "amd", -1},
    {"implementation-only-fence", MP("mov ecx, 1" NL "mov [x], ecx" NL "movnti [y], ecx"), "zen4",
     12},
    {"implementation-only-fence", MP("mov ecx, 1" NL "mov [x], ecx" NL "movnti [y], ecx"), "amd",
     -1},
    {"implementation-only-fence",
     MP("mov ecx, 1" NL "mov [x], ecx" NL "sfence" NL "movnti [y], ecx"), "zen4", -1},
    {"memory-type-change-unflushed", ONE PAT END, "nehalem", 9},
    {"memory-type-change-unflushed", ONE PAT END, "skylake", -1},
    {"memory-type-change-unflushed",
     ONE "mov rax, cr0" NL "or eax, 0x40000000" NL "mov cr0, rax" NL "wbinvd" NL PAT END, "nehalem",
     -1},
    {"memory-type-change-unflushed",
     ONE "wbinvd" NL "mov rax, cr0" NL "or eax, 0x40000000" NL "mov cr0, rax" NL PAT END, "nehalem",
     22},
    {"invd-discards-data", ONE "mov dword ptr [x], 1" NL "invd" END, "x86", 11},
    {"unmodelled", ONE "rdrand eax" END, "x86", 0},
    {"red-zone-store", ONE "xchg dword ptr [rsp-8], eax" END, "x86", 0},
    {"red-zone-store", ONE "lock add dword ptr [rsp-8], 0" END, "x86", -1},
};

static void test_rules(void)
{
    struct run_options options = {.order = true, .reduce = true, .witness = WITNESS_NONE};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct judging j;
        const struct result *result = judging_open(&j, rows[i].text, rows[i].profile, &options);
        const struct finding *finding = judging_finding(result, rows[i].rule);
        int offset = finding ? (int)finding->offset : -1;
        if (offset != rows[i].offset)
            printf("row %zu, %s: at %d, wanted %d\n", i, rows[i].rule, offset, rows[i].offset);
        CU_ASSERT_EQUAL(offset, rows[i].offset);
        CU_ASSERT_TRUE(!finding || (finding->message[0] && finding->place.line));
        judging_close(&j);
    }
}

/* Only errors make a verdict, and --findings says which are looked for. */
static void test_choice(void)
{
    static const struct {
        const char *text, *rule;
        enum findings_choice choice;
        bool found;
    } choices[] = {
        {SB("mfence" NL, ""), "redundant-fence", FINDINGS_ALL, true},
        {SB("mfence" NL, ""), "redundant-fence", FINDINGS_STATIC, false},
        {MP("movnti [x], ecx" NL "mov [y], ecx"), "nt-store-unfenced", FINDINGS_STATIC, true},
        {MP("movnti [x], ecx" NL "mov [y], ecx"), "nt-store-unfenced", FINDINGS_NONE, false},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct judging j;
        struct run_options options = {.order = true, .reduce = true, .findings = choices[i].choice};
        const struct result *result = judging_open(&j, choices[i].text, "x86", &options);
        CU_ASSERT_EQUAL(judging_finding(result, choices[i].rule) != NULL, choices[i].found);
        judging_close(&j);
    }
}

/* With what a fence costs where the profile has cycles, and once for a whole family. */
static void test_cost_and_family(void)
{
    static const char text[] = HEAD "cpus:\n  - name: P\n    count: 3\n    asm: |\n"
                                    "      mov dword ptr [x], 1\n      mfence\nobserve: [x]\n";
    struct run_options options = {.order = true, .time = true, .reduce = true};
    struct judging j;
    const struct result *result = judging_open(&j, text, "zen4", &options);
    size_t count = 0;
    for (size_t i = 0; i < result->finding_count; i++)
        count += strcmp(result->findings[i].rule, "redundant-fence") == 0;
    CU_ASSERT_EQUAL(count, 1);
    const struct finding *finding = judging_finding(result, "redundant-fence");
    CU_ASSERT_TRUE(finding && finding->cycles > 0 && strstr(finding->message, "cycles"));
    CU_ASSERT_EQUAL(result->verdict, VERDICT_PASS);
    judging_close(&j);
}

static void test_table(void)
{
    size_t count;
    const struct rule *all = rules(&count);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_TRUE(i == 0 || strcmp(all[i - 1].id, all[i].id) < 0);
        CU_ASSERT_PTR_EQUAL(rule_find(all[i].id), &all[i]);
        CU_ASSERT_TRUE(all[i].summary[0] && all[i].advice[0] && strlen(all[i].help) > 80);
    }
    CU_ASSERT_PTR_NULL(rule_find("no-such-rule"));
}

void add_findings_tests(void)
{
    CU_pSuite suite = CU_add_suite("findings", NULL, NULL);
    CU_add_test(suite, "each rule, found and not", test_rules);
    CU_add_test(suite, "which are looked for", test_choice);
    CU_add_test(suite, "cost, and one for a family", test_cost_and_family);
    CU_add_test(suite, "the table of rules", test_table);
}
