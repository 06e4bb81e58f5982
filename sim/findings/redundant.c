/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * redundant-fence and weaker-fence-suffices: the run is explored again without the fence, and
 * with SFENCE or LFENCE in place of MFENCE.
 */
#include "sim/findings/findings.h"

/* Whether the run ends the same with the fence taken out or acting as another. */
static bool same_with(struct trial *trial, const struct fence_site *site, enum insn_class as)
{
    struct judgement *judgement = trial->judgement;
    struct exploration *varied = trial_without(trial, site, as);
    if (!varied)
        return false;
    bool same = ends_within(judgement->region, varied, judgement->exploration) &&
                ends_within(judgement->region, judgement->exploration, varied);
    exploration_close(varied);
    return same;
}

static void report_redundant(struct trial *trial, const struct fence_site *site)
{
    static const char lfence[] =
        "take it out: nothing changes without it on this profile; keep it if it stops speculation";
    report_costly(trial->judgement, "redundant-fence", site->cpu, site->insn,
                  site->insn->class == INSN_LFENCE ? lfence : NULL);
}

static void look_for_weaker(struct trial *trial, const struct fence_site *site)
{
    bool sfence = same_with(trial, site, INSN_SFENCE);
    bool lfence = same_with(trial, site, INSN_LFENCE);
    if (!sfence && !lfence)
        return;
    report_costly(trial->judgement, "weaker-fence-suffices", site->cpu, site->insn,
                  sfence && lfence ? "SFENCE or LFENCE gives the same outcomes here"
                  : sfence         ? "SFENCE gives the same outcomes here"
                                   : "LFENCE gives the same outcomes here");
}

void find_redundant_and_weaker(struct trial *trial)
{
    for (size_t i = 0; i < trial->site_count; i++) {
        struct fence_site *site = &trial->sites[i];
        site->redundant = same_with(trial, site, INSN_ORDINARY);
        if (site->redundant)
            report_redundant(trial, site);
        else if (site->insn->class == INSN_MFENCE)
            look_for_weaker(trial, site);
    }
}
