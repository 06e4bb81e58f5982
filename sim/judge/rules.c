/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/judge/rules.h"

#include <string.h>

static const struct rule table[] = {
    {"flush-unfenced", RULE_WARNING, MEANS_READING, "a CLFLUSHOPT or CLWB that no fence waits for",
     "put SFENCE between the flush and what relies on it",
     "CLFLUSHOPT and CLWB are ordered with accesses to their own line only. Until an SFENCE, an "
     "MFENCE or a locked operation, a later store to persistent memory can become durable before "
     "the line that was flushed, and a power cut then leaves the record without its data. CLFLUSH "
     "is ordered like a store and needs no fence."},
    {"implementation-only-fence", RULE_WARNING, MEANS_EXPLORING,
     "right on this part, but not by its vendor's manual",
     "do not rely on what only this part does; use the fence that the manual asks for",
     "The run allows fewer outcomes than the vendor guarantees for all parts, and this instruction "
     "is where they differ: the parameter that the message names has another value in the "
     "vendor's profile. Code that ships must hold on the vendor's profile, or on x86. Judge it "
     "there with --profile."},
    {"invd-discards-data", RULE_ERROR, MEANS_READING, "INVD throws away modified cache lines",
     "throws away modified lines of every CPU; WBINVD writes them back first",
     "INVD empties the caches without writing anything back. What other code stored before is "
     "lost, on all CPUs that share the cache. It has its place before memory is up, in firmware; "
     "everywhere else WBINVD or WBNOINVD is meant."},
    {"memory-type-change-unflushed", RULE_ERROR, MEANS_READING,
     "an MTRR or the PAT changes while lines are cached under the old type",
     "changes memory types while lines may be cached under the old one; set CR0.CD and WBINVD "
     "first on a part whose caches do not snoop themselves",
     "A line that is cached under one memory type and accessed under another can be read stale, "
     "and on parts with errata it can hang. Parts with a usable self-snoop (parameter self_snoop) "
     "need no flush. On others: set CR0.CD, WBINVD, change the types, and only then clear CR0.CD."},
    {"misplaced-fence", RULE_WARNING, MEANS_EXPLORING,
     "a fence that would forbid more one instruction away",
     "move it: there it forbids outcomes that it lets pass here",
     "The run was repeated with the fence on the other side of the nearest access above and of the "
     "one below. In one of these places everything that it forbids now stays forbidden, and more "
     "is. Whether more is wanted the trace's expectations say, not this rule."},
    {"nt-store-unfenced", RULE_WARNING, MEANS_READING,
     "a non-temporal or WC store that no fence waits for",
     "put SFENCE between the store and what publishes it",
     "Such stores sit in write-combining buffers that younger plain stores pass, in any order and "
     "in pieces. SFENCE, MFENCE, a locked operation or any serializing instruction empties them; "
     "LFENCE does not, and neither does the store that publishes, unless it is an exchange."},
    {"red-zone-store", RULE_WARNING, MEANS_READING, "a barrier that changes memory below rsp",
     "changes memory below rsp, where a leaf function may keep live data; lock an unused word at "
     "or above rsp, or add 0 instead of exchanging",
     "The 128 bytes below rsp belong to the running function (System V psABI, AMD64). A locked "
     "operation that leaves the value as it is (add 0, or 0, and -1) does no harm there; an "
     "exchange overwrites what the compiler may hold in them. In kernels, which are compiled "
     "without a red zone, an interrupt may do so at any time anyway."},
    {"redundant-fence", RULE_NOTE, MEANS_EXPLORING, "a fence without which nothing changes",
     "take it out: nothing changes without it on this profile",
     "The run was repeated without the fence, and every outcome, crash image and stuck execution "
     "was the same. Each fence is tried alone: of two that do the same, both are reported and one "
     "must stay. Look at the other profiles before you take one out, and keep an LFENCE that is "
     "there against speculation, which no outcome shows."},
    {"unmodelled", RULE_WARNING, MEANS_READING, "an instruction or execution that no model covers",
     "what lies behind it is not judged; the verdict is unknown",
     "What happens from there on is not known, so that the run cannot pass. The reasons: "
     "an instruction that no model covers or the execution engine does not know (x87, MMX, AVX-512 "
     "and others): replace it by one with the same effect on memory. What CPUID returns, or an MSR "
     "or IA32_TSC_AUX that nobody wrote: declare the value under `msrs:`, or do not use the "
     "result. "
     "A port's value; an access to the code itself, or an object executed without `code: true`: "
     "leave it out. A type of memory or a non-temporal store on a model that has none (sc, tso): "
     "choose another profile. A fault: the trace's addresses or handlers are wrong, and the "
     "witness shows how it is reached. An instruction without cycles makes only the cycles "
     "unknown: --only order."},
    {"weaker-fence-suffices", RULE_NOTE, MEANS_EXPLORING, "a full fence where a half is enough",
     "a weaker fence gives the same outcomes here",
     "The run was repeated with SFENCE and with LFENCE in place of MFENCE, and nothing changed "
     "with at least one of them. They cost less on most parts. Like a redundant fence this holds "
     "for the profile and for what the trace observes."},
    {"wrmsr-overtakes-stores", RULE_WARNING, MEANS_READING,
     "an MSR write tells others of stores that may be invisible still",
     "can be carried out while older stores still wait in the store buffer; put MFENCE and LFENCE "
     "in front, MFENCE alone does not hold it back",
     "A WRMSR of the x2APIC's ICR or of TSC_DEADLINE is not serializing on this profile: it is "
     "neither load nor store, so that MFENCE does not order it, and LFENCE alone does not wait "
     "until stores are visible. The interrupt arrives before the data that it announces, or the "
     "timer is written before the LVT register that lets it fire."},
};

const struct rule *rules(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct rule *rule_find(const char *id)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].id, id) == 0)
            return &table[i];
    return NULL;
}

const char *rule_level_name(enum rule_level level)
{
    static const char *const names[] = {"note", "warning", "error"};
    return names[level];
}
