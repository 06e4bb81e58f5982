#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Data flows in one direction: a folder includes headers of its own, of those above it in the
# first table of docs/ARCHITECTURE.md, and the public one; the command nothing but the public one.
cd "$(dirname "$0")/.." || exit 2

# shellcheck disable=SC2016 # the quotes are those of the table
folders=$(sed -n 's/^| `\(sim\/[a-z]*\|models\)\/`.*/\1/p' docs/ARCHITECTURE.md)
sources=$(find sim models -name '*.[ch]' | sort)

# Reads lines FILE:#include "HEADER" and prints those that go against the table.
judge() {
    awk -F '[:"]' -v folders="$folders" '
        function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
        BEGIN {
            count = split(folders, names, "\n")
            for (i = 1; i <= count; i++)
                place[names[i]] = i
            place["include/fencesim"] = 0
            place["sim"] = place["sim/command"]
        }
        {
            from = folder_of($1)
            to = folder_of($3)
            is_command = from == "sim" || from == "sim/command"
            if (!(from in place))
                problem = from " is missing in the table of docs/ARCHITECTURE.md"
            else if (!(to in place))
                problem = to " is no folder of that table"
            else if (is_command && to != "include/fencesim" && to != "sim/command")
                problem = "the command uses the public header only"
            else if (place[to] > place[from])
                problem = to " stands below " from
            else
                next
            print $1 ": includes " $3 ": " problem
        }'
}

# What must not be overlooked: an include of each kind that is wrong.
wrong='sim/base/map.c:#include "sim/program/program.h"
sim/isa/insn.h:#include "sim/report/report.h"
sim/main.c:#include "sim/base/region.h"
sim/nowhere/new.c:#include "sim/base/region.h"
sim/base/map.c:#include "sim/nowhere/new.h"'
found=$(printf '%s\n' "$wrong" | judge | wc -l)
if [ "$found" -ne 5 ]; then
    echo "directions: found $found of 5 includes that are wrong"
    exit 1
fi

# shellcheck disable=SC2086 # names without spaces
against=$(grep -H '^#include "' $sources | judge)
[ -z "$against" ] || printf '%s\n' "$against"
[ -z "$against" ]
