/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each cause of lost cycles means, and what helps: for `simulate explain`. */
#include "sim/report/problems.h"

#define CAUSE(stall, summary, advice, help)                                                        \
    [stall] = {NULL, RULE_NOTE, MEANS_READING, summary, advice, help}

static const struct rule table[STALL_COUNT] = {
    CAUSE(STALL_FRONT_END, "dispatch or retirement is as wide as it is",
          "use fewer instructions, or ones that fuse",
          "The cycles that the instructions would take if nothing else held them up: so many are "
          "decoded, dispatched and retired a cycle. Code that only has this cause runs at the "
          "width of the core."),
    CAUSE(STALL_DEPENDENCY, "an operand is not there yet",
          "shorten the chain of instructions that need each other's results",
          "The instruction waits until the one that computes its operand is done. In a loop that "
          "feeds a value into its next round, the latencies along that chain are the cost."),
    CAUSE(STALL_PORT, "all execution ports that could do it are busy",
          "spread the work over other kinds of instructions",
          "The operands are there, but as many instructions of this kind as the core can start in "
          "a cycle have been started. A divider that is not pipelined counts as such a port."),
    CAUSE(STALL_WINDOW, "a queue, the registers or the reorder buffer are full",
          "look at the instruction that the window waits for, and shorten that",
          "Instructions leave the window in order. One that takes long keeps everything younger "
          "in it until an entry is wanted that is not there: of the reorder buffer, of the queues "
          "of loads or stores, or of the renamed registers."),
    CAUSE(STALL_STORE_DRAIN, "a barrier or a locked operation waits for older stores",
          "put independent work between the stores and the barrier, or store less before it",
          "The barrier may go on only when the stores in front of it are in the cache. How long "
          "that takes depends on how many they are and on where their lines lie; a miss makes all "
          "of its time visible here."),
    CAUSE(STALL_LFENCE, "LFENCE waits for everything older",
          "leave it out where no speculation and no time stamp is to be held back",
          "LFENCE goes on when all older instructions are done, and nothing younger starts before. "
          "What the code in front would have overlapped with is lost."),
    CAUSE(STALL_SERIALIZATION, "a serializing instruction does its own work",
          "use a fence or a locked operation where that is enough",
          "MFENCE on parts where it serializes, CPUID, WRMSR and others empty the pipeline and "
          "then take a time of their own, whatever stands around them."),
    CAUSE(STALL_RESTART, "the pipeline fills again after a serializing instruction",
          "use a barrier that does not serialize, such as a locked operation",
          "What follows was not allowed to start. The time until the next instruction retires is "
          "charged to the one that held it back."),
    CAUSE(STALL_LOCK, "two locked operations keep their distance",
          "merge them, or put work between them",
          "A locked read-modify-write holds its line from its load to its store. The next one "
          "cannot begin before that, and on some parts younger loads wait, too."),
    CAUSE(STALL_FORWARDING, "a load takes its value from a store that is still buffered",
          "load with the size and the address that was stored",
          "Forwarding takes a few cycles. When the load is not covered by one store it fails: the "
          "load waits until the store is in the cache."),
    CAUSE(STALL_MISS, "a line comes from L2, L3 or memory",
          "touch it earlier, or keep it nearer; `resident:` says where a trace has it",
          "The access misses in the first-level cache. Loads that do not need each other overlap "
          "their misses, up to the number that the core can have under way."),
    CAUSE(STALL_TRANSFER, "a line is another CPU's",
          "give each CPU its own line, or pass the line less often",
          "The line was modified or is held by another CPU and has to come from its cache. "
          "`place:` in the trace says how far that is."),
    CAUSE(STALL_WC_FLUSH, "write-combining buffers are written out",
          "write whole lines, and not to more of them at a time than there are buffers",
          "Non-temporal stores gather in a few buffers of a line each. A fence, or a store to one "
          "line more, has a buffer written to memory; a part of a line costs as much as a whole."),
    CAUSE(STALL_SYSTEM, "a microcoded or system instruction does its own work", "do it less often",
          "WRMSR, RDTSC, INVLPG, string instructions and others run from microcode. Their time is "
          "a number of the profile, which `simulate profiles NAME` shows with its source."),
    CAUSE(STALL_SLEEP, "the CPU sleeps until an interrupt comes", "interrupt it earlier",
          "After HLT, and when it has come to the end of its code, a CPU does nothing until an "
          "interrupt runs its handler."),
};

struct rule stall_rule(enum stall stall)
{
    struct rule rule = table[stall];
    rule.id = stall_name(stall);
    return rule;
}
