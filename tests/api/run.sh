#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The library as others use it: every public function is in docs/API.md, and the example
# program is built against what `make install` puts somewhere, and says what simulate says.
cd "$(dirname "$0")/../.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
CC=${CC:-cc}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC1091
. tests/count.sh

sed -n 's/.*[ *]\(fs_[a-z_]*\)(.*/\1/p' include/fencesim/fencesim.h | sort -u > "$work/functions"
[ -s "$work/functions" ] || result 1 'no public functions found'
while read -r name; do
    grep -q "^| .$name. |" docs/API.md
    result $? "$name is not in docs/API.md"
done < "$work/functions"
sed -n 's/^| .\(fs_[a-z_]*\). .*/\1/p' docs/API.md | sort -u | diff "$work/functions" - > "$work/diff"
result $? "docs/API.md names others: $(cat "$work/diff")"
[ "$(wc -l < examples/judge.c)" -lt 60 ]
result $? 'examples/judge.c has 60 lines or more'

if command -v pkg-config > /dev/null; then
    ${MAKE:-make} -s install PREFIX="$work/prefix" > "$work/log" 2>&1
    result $? "make install: $(tail -n 5 "$work/log")"
    export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig"
    # Word splitting is meant: flags.
    # shellcheck disable=SC2046,SC2086
    $CC -std=c11 -Wall -Wextra -Werror ${SANITIZERS:-} -o "$work/judge" examples/judge.c \
        $(pkg-config --cflags --libs fencesim) > "$work/log" 2>&1
    result $? "the example does not build: $(tail -n 5 "$work/log")"
    "$work/judge" x86 tests/golden/sb.yaml tests/golden/bad.yaml > "$work/out" 2> "$work/err"
    status=$?
    "$SIMULATE" -q --only order -p x86 tests/golden/sb.yaml tests/golden/bad.yaml \
        > "$work/expected" 2> "$work/errors"
    expected=$?
    [ $status -eq $expected ] && cmp -s "$work/out" "$work/expected" &&
        cmp -s "$work/err" "$work/errors"
    result $? "the example ends with $status, simulate with $expected"
else
    echo 'skipped the example: pkg-config is missing'
fi
finish
