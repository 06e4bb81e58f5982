#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# HTML reports, first read by a parser, then used in a headless Chromium.
#
#   run.sh [SCREENSHOTS]   a directory to leave pictures in
#
# Installs Debian's chromium, chromium-driver and python3-selenium as far as they are missing.
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
python=/usr/bin/python3 # the one that has Debian's packages
sh tools/packages.sh chromium chromium-driver python3-selenium || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# A page: its name, then the arguments.
page() {
    name=$1
    shift
    "$SIMULATE" -f html -o "$work/$name.html" "$@" || [ $? -eq 1 ] || exit 2
}

page sb tests/golden/sb.yaml
page cost -p zen4 -p haswell tests/golden/cost.yaml
page many traces/classic
page hostile tests/golden/hostile_names.yaml
page large traces/algorithms/dekker.yaml
page persist -V none traces/field/flush-then-commit.yaml
page litmus traces/litmus
page parts -p all traces/seeds/store_mb.yaml
page all traces

printf '== pages\n'
$python tests/browser/check_page.py "$work"/*.html || exit 1
printf '== in a browser\n'
$python tests/browser/test_page.py "$work" "$@"
