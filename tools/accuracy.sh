#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The cycle model's figures beside the published ones, as a document:
#   tools/accuracy.sh > docs/ACCURACY.md
# SIMULATE names the program, ./simulate otherwise. Needs nothing but the repository.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.."
simulate=${SIMULATE:-./simulate}
figures=tests/unit/parts.def
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Fields of the figures, tab-separated: profile, name, code, copies, least, most, source.
sed -n 's/^FIGURE("\([^"]*\)", "\([^"]*\)", "\([^"]*\)", \([0-9]*\), \([0-9.]*\), \([0-9.]*\), "\([^"]*\)")$/\1	\2	\3	\4	\5	\6	\7/p' \
    "$figures" >"$work/figures"

# A trace of one profile's figures, a variant each.
trace_of() {
    cat <<'END'
trace: 1
name: figures
memory:
  a: {size: 64, init: a}
  b: {size: 512}
  c: {size: 64}
  l2: {size: 128KiB, init: chase, resident: L2}
  l3: {size: 4MiB, init: chase, resident: L3}
  dram: {size: 4MiB, init: chase, resident: DRAM}
cpus:
  - name: P0
    regs: {rdi: b, rsi: c, r8: a, rbp: l2, rbx: l3, r14: dram}
    asm: |
      {code}
loop: {cpu: P0, iterations: 600}
variants:
END
    awk -F '\t' -v profile="$1" '$1 == profile {
        code = ""
        for (i = 0; i < $4; i++) code = code $3 "; "
        printf "  v%d: {code: \"%s\"}\n", NR, code
    }' "$work/figures"
}

# "variant cycles" of each run of a trace; a trace with one variant does not name it.
cycles_of() {
    "$simulate" --only time -p "$2" "$1" | awk -v profile="$2" '
        NF == 5 && $1 == profile && $5 ~ /^\+/ { print $2, $4; next }
        ($1 == "pass" || $1 == "violation") && $3 == profile { variant = NF > 3 ? $4 : "only" }
        $1 == "cycles:" && $2 == "P0" { print variant, $3 }'
}

parts() {
    cut -f 1 "$work/figures" | uniq | while read -r profile; do
        trace_of "$profile" >"$work/trace.yaml"
        cycles_of "$work/trace.yaml" "$profile" >"$work/cycles"
        printf '\n### %s\n\n| figure | published | modelled | off by | source |\n|---|--:|--:|--:|---|\n' "$profile"
        awk -F '\t' -v profile="$profile" -v cycles="$work/cycles" '
            BEGIN { while ((getline line < cycles) > 0) { split(line, part, " "); of[part[1]] = part[2] } }
            $1 == profile {
                value = ("v" NR in of ? of["v" NR] : of["only"]) / $4
                off = value < $5 ? value / $5 - 1 : value > $6 ? value / $6 - 1 : 0
                range = $5 == $6 ? $5 : $5 " to " $6
                printf "| %s | %s | %.2f | %s | %s |\n", $2, range, value,
                       off ? sprintf("%+.1f %%", 100 * off) : "", $7
            }' "$work/figures"
    done
}

# The cycles that a trace's own expectation looked at: those of its last CPU.
expected_of() {
    "$simulate" -v --only time -p "$2" "$1" | awk '
        NF == 4 && ($1 == "pass" || $1 == "violation") { variant = $4 }
        / cycles .* within / { sub(/.*\(/, ""); print variant, $1 }'
}

# A row of the discussions: what, trace, profile, variant, published cycles.
seed() {
    row "$1" "$5" "$(cycles_of "$2" "$3" | awk -v variant="$4" '$1 == variant { print $2 }')"
}

last_cpu() {
    row "$1" "$5" "$(expected_of "$2" "$3" | awk -v variant="$4" '$1 == variant { print $2 }')"
}

row() {
    awk -v what="$1" -v published="$2" -v modelled="$3" 'BEGIN {
        printf "| %s | %.10g | %.10g | %+.1f %% |\n", what, published, modelled,
               100 * (modelled / published - 1)
    }'
}

# The ratio of two variants of a trace.
ratio() {
    cycles_of "$2" "$3" | awk -v what="$1" -v one="$4" -v other="$5" -v published="$6" '
        { of[$1] = $2 }
        END { value = of[one] / of[other]
              printf "| %s | %.3f | %.3f | %+.1f %% |\n", what, published, value,
                     100 * (value / published - 1) }'
}

# The trace of two CPUs of one core complex, or with the second of another one.
placed() {
    sed "s/place: ccx0 # or ccx1/place: $2/" "tests/timing/$1.yaml" >"$work/$1-$2.yaml"
    echo "$work/$1-$2.yaml"
}

# Rows of one trace: which complex, its name, the trace, then variant:published.
two_cpus() {
    where=$1 words=$2 trace=$3
    shift 3
    cycles_of "$trace" zen4 >"$work/two"
    for one in "$@"; do
        row "$where, $words${words:+, }${one%:*}" "${one#*:}" \
            "$(awk -v variant="${one%:*}" '$1 == variant { print $2 }' "$work/two")"
    done
}

# Cycles between the two readings of the clock in a variant of the writer's trace.
between_readings() {
    "$simulate" -v --only time -p zen4 -V "$2" "$1" | awk '
        /cycles: P1/ { exit }
        $3 == "rdtsc" { if (seen++) exit; next }
        seen { sum += $1 }
        END { print sum }'
}

# What a barrier behind a store to a line that another CPU read adds: variant:published.
writer() {
    where=$1 trace=$2
    shift 2
    plain=$(between_readings "$trace" plain)
    for one in "$@"; do
        row "$where, what ${one%:*} adds to a store and lfence, line read by the other" "${one#*:}" \
            "$(between_readings "$trace" "${one%:*}" | awk -v plain="$plain" '{ print $1 - plain }')"
    done
}

# Two CPUs: published figures of the variants.
contended() {
    near='one core complex' far='two core complexes'
    two_cpus "$near" 'one word' tests/timing/contended_near.yaml \
        lock-add:31.6 lock-xadd:31.9 xchg:60.2 store:2.38 store-mfence:118 store-lock:46
    two_cpus "$far" 'one word' tests/timing/contended_far.yaml \
        lock-add:30.4 lock-xadd:31.6 xchg:35.1 store:4.27 store-mfence:190 store-lock:55
    "$simulate" --only time -p zen4 "$(placed lock_and_load ccx0)" >"$work/one"
    row "$near, lock add while the other reads" 15.8 \
        "$(awk '/cycles: P0/ { print $3; exit }' "$work/one")"
    "$simulate" --only time -p zen4 "$(placed lock_and_load ccx1)" >"$work/one"
    row "$far, lock add while the other reads" 25.9 \
        "$(awk '/cycles: P0/ { print $3; exit }' "$work/one")"
    two_cpus "$near" 'round of flags' "$(placed pingpong ccx0)" \
        plain:406 mfence:410 lock-add:442 sfence:418 lfence:431 one-line:308
    two_cpus "$far" 'round of flags' "$(placed pingpong ccx1)" \
        plain:1930 mfence:1876 lock-add:1890 sfence:1871 lfence:1857 one-line:1235
    two_cpus "$near" 'round of a message' "$(placed message ccx0)" plain:463 sfence:444 mfence:519
    two_cpus "$far" 'round of a message' "$(placed message ccx1)" plain:1796 sfence:1870 mfence:2296
    writer "$near" "$(placed writer ccx0)" mfence:111 lock-add:74 xchg:74
    writer "$far" "$(placed writer ccx1)" mfence:463 lock-add:444 xchg:444
}

seeds() {
    printf '| what | published | modelled | off by |\n|---|--:|--:|--:|\n'
    mb=traces/seeds/store_mb.yaml
    seed 'Haswell, store and xchg of an own local' $mb haswell xchg-local 19.10
    seed 'Haswell, store and xchg in the red zone' $mb haswell xchg-red-zone 19.08
    seed 'Haswell, store and lock addl' $mb haswell lock0 19.08
    seed 'Haswell, store and mfence (fitted)' $mb haswell mfence 45.61
    seed 'Haswell, store and lfence (fitted)' $mb haswell lfence 17.08
    seed 'Haswell, store and sfence' $mb haswell sfence 7.22
    rd=traces/seeds/rdgsbase_tsc.yaml
    seed 'Zen 2, 16 nops, 0.38 TSC cycles each' $rd zen2 nop 7.6
    seed 'Zen 2, 16 loads, 0.79 TSC cycles each' $rd zen2 load 15.8
    seed 'Zen 2, 16 rdgsbase, 2.63 TSC cycles each' $rd zen2 rdgsbase 52.6
    seed 'Skylake, 16 rdgsbase, about 3 cycles each' $rd skylake rdgsbase 48
    pair=tests/timing/ipi_pair.yaml
    seed 'Zen 4, interrupt of a pair, no fence (fitted)' $pair zen4 none 2794
    seed 'Zen 4, interrupt of a pair, mfence; lfence' $pair zen4 fence 2931
    ratio 'the same, with by without' $pair zen4 fence none 1.0492
    many=tests/timing/ipi_48.yaml
    seed 'Zen 4, 48 CPUs at once, no fence (fitted)' $many zen4 none 2793
    seed 'Zen 4, 48 CPUs at once, mfence; lfence' $many zen4 fence 2931
    mesh=tests/timing/ipi_mesh.yaml
    seed 'Zen 4, random pairs, one interrupt, no fence (fitted)' $mesh zen4 none 393.4
    seed 'Zen 4, random pairs, one interrupt, mfence; lfence' $mesh zen4 fence 506.8
    last_cpu 'Skylake, MTRRs of 208 CPUs, wbinvd (fitted)' tests/timing/mtrr_208.yaml skylake wbinvd 3017700000
    last_cpu 'Skylake, MTRRs of 208 CPUs, none (fitted)' tests/timing/mtrr_208.yaml skylake none 58800000
    last_cpu 'Haswell, MTRRs of 4 CPUs, wbinvd (fitted)' tests/timing/mtrr_4.yaml haswell wbinvd 342000000
    last_cpu 'Haswell, MTRRs of 4 CPUs, none (fitted)' tests/timing/mtrr_4.yaml haswell none 6000000
    pir=traces/seeds/vmexit_pir.yaml
    for part in haswell skylake icelake; do
        cycles_of $pir $part | awk -v part=$part '{ of[$1] = $2 }
            END { printf "| %s, saved by looking before an exchange | at least 20 | %.2f | |\n", part,
                  of["always"] - of["first"] }'
    done
}

# How far the profile is from the loops that it is fitted to, by group. Moving a parameter that no
# loop depends on is the comparison alone.
fitted() {
    printf '| group | loops | mean error |\n|---|--:|--:|\n'
    "$simulate" fit traces/measured/zen5.jsonl --base zen5 --free cli_hold -q | awk '
        /^group/ { rows = 1; next }
        rows && NF >= 4 { printf "| %s | %s | %s %% |\n", $1, $2, $3 }'
}

cat <<'END'
# How exact the cycles are

Made by `tools/accuracy.sh > docs/ACCURACY.md`; do not edit. Cycles are core cycles. A part's
figures are those of isolated copies in a loop; `off by` is empty where the model is inside the
published range. `make check` holds the figures of the parts to 10 %.

## Zen 4, measured loop by loop

The profile `zen4` rests on loops that were measured on one machine of that kind; they are not
part of the repository. Of 736 of them the model is off by a mean of 1.5 % where the core
decides (563 loops: barriers, locked operations, forwarding, random mixes), 3.4 % where memory
does (113), 4.9 % with non-temporal stores and flushes (60); llvm-mca 22 by 48, 71 and 80 %.
With a file of your own measurements `simulate fit` gives such figures for them, and fits a
profile to them ([FIT.md](FIT.md)).

## Zen 5, measured loop by loop

The profile `zen5` is fitted to the 544 loops of `traces/measured/zen5.jsonl`, which were measured as
[FIT.md](FIT.md) shows on one machine of that kind, a virtual one. Its flushes are not fitted: those
of the guest take hundreds of cycles where the published figures have tens. Of 563 other loops, the
Zen 4's where the core decides, measured on the same machine, the model is off by a mean of 3.7 %: no
number is fitted to them, but two mechanisms were found on them. The 113 and 60 loops of the
other two kinds are off by 18 and 30 %, since caches and memory of a shared machine differ from one
hour to the next.

END
fitted
cat <<'END'

## The discussions

END
seeds
cat <<'END'

Two clocks had to be guessed, since the sources do not give them. RDGSBASE was timed in cycles
of the time stamp counter: 1.25 core cycles for one of them on Zen 2, as many as its loop of
loads allows, and one for one on Skylake. The MTRR figures were milliseconds: 2.1 GHz for the
large machine, 3 GHz for the small one. "Fitted" rows show only that the model can express the
figure: `wbinvd_hold` and `uncached_instruction` of the two profiles, `ipi_latency`, `icr_hold` and
`serialize_hold` of Zen 4, and `lfence_restart` and `retire_to_commit` of Haswell come from them.
What the fence adds to an interrupt is not fitted. The clock of Zen 2 was chosen so that all three
of its rows agree.

Interrupts between random pairs of 48 CPUs came to 6,355,156 a second and with the fence to
4,933,374: one each 393 and 507 cycles. The difference, 114, is about what the fence costs one
pair, so the model reads the figures as one interrupt after the other in the whole machine, sent
by somebody who does not wait. What makes them go one after the other is not known.

## Two CPUs

Zen 4. Where both work on one word, cycles are those of one operation of one CPU; the store's
row was measured in a loop of 2.3 cycles, which is not modelled. Five parameters are behind these
rows: how long a load and a store wait for a line of a near and of a far core, and how long a core
keeps a line that others want. They are fitted to rows without a fence, the near store and mfence
and the near lock add. What is far off is not understood: exchanges of near cores pass the line on
after two or three, and a store followed by a lock elsewhere after four. The measured figures
are medians of runs that differ by half.

| what | published | modelled | off by |
|---|--:|--:|--:|
END
contended
cat <<'END'

## The parts

Sources are explained at the top of `tests/unit/parts.def`. Profiles inherit what was never
measured on their part as estimates; `simulate profiles NAME` shows which rows those are. The
published figures of CLFLUSH, CLFLUSHOPT and CLWB range widely, by whether the line was there
and by the part; those of the Zen 4 are of lines that were. CLZERO and RDPRU have no rule of their
own in the model, and CPUID has the time of leaf 0 for every leaf.
END
parts
