#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages: simulate.1 has the options and commands of --help and no others, the
# commands of all pages run as they stand, and the pages are well-formed (where scdoc and
# mandoc are there; CI installs them).
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
here=$(pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC1091
. tests/count.sh

# ---- options and commands ----

"$SIMULATE" --help > "$work/help"
sed -n 's/^ \{2,6\}\(-[^ ,]*\(, --[^ ]*\)\{0,1\}\( [^ ]\{1,\}\)\{0,1\}\)\( .*\)\{0,1\}$/\1/p' "$work/help" |
    sort > "$work/options"
sed -n '/^# OPTIONS/,/^# EXIT/s/^\(\*-.*\)$/\1/p' docs/man/simulate.1.scd | tr -d '*_' |
    sort > "$work/documented"
diff "$work/options" "$work/documented" > "$work/diff"
result $? "options of --help (<) and of simulate.1 (>): $(cat "$work/diff")"
sed -n 's/^       simulate \([a-z]*\) .*/\1/p' "$work/help" | sort > "$work/commands"
sed -n '/^# COMMANDS/,/^# OPTIONS/s/^\*simulate \([a-z]*\)\*.*/\1/p' docs/man/simulate.1.scd |
    sort | diff "$work/commands" - > "$work/diff"
result $? "commands of --help (<) and of simulate.1 (>): $(cat "$work/diff")"

# ---- examples ----

# Blocks of a page: YAML becomes a file named for what it is, commands stand one a line.
mkdir "$work/run"
cp -R traces "$work/run/"
for page in docs/man/*.scd; do
    awk -v folder="$work/run" '
        /^```/ { inside = !inside; file = ""; next }
        inside && /^(trace|profile): 1$/ { file = folder "/" substr($1, 1, length($1) - 1) ".yaml" }
        inside && file { print > file }
        inside && !file { sub(/^\$ /, ""); print }' "$page" > "$work/examples"
    [ -s "$work/examples" ] || result 1 "$page: no examples"
    while read -r name arguments; do
        # The arguments are words.
        # shellcheck disable=SC2086
        (cd "$work/run" && "$here/$SIMULATE" $arguments > "$work/out" 2>&1 < /dev/null)
        status=$?
        [ "$name" = simulate ] || status=1
        result $status "$page: $name $arguments: exit status $status: $(head -n 3 "$work/out")"
    done < "$work/examples"
done

# ---- form ----

if command -v scdoc > /dev/null && command -v mandoc > /dev/null; then
    for page in docs/man/*.scd; do
        built=$work/$(basename "$page" .scd)
        scdoc < "$page" | awk -f docs/man/tidy.awk > "$built"
        # What mandoc calls style is not scdoc's to choose: long lines, titles in lower case.
        mandoc -Tlint -Wwarning "$built" > "$work/lint"
        result $? "$page: $(cat "$work/lint")"
    done
else
    echo 'skipped the form of the pages: scdoc or mandoc is missing'
fi
finish
