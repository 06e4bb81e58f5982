#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile input: damaged traces and random bytes as code must end with a status of the
# command's own, soon, and without a word from a sanitizer.
#
#   run.sh [SIMULATE]   see common.sh
cd "$(dirname "$0")/../.." || exit 2
# shellcheck disable=SC1091
. tests/hostile/common.sh
count=${HOSTILE_COUNT:-220}

mkdir "$work/inputs"
${CC:-cc} -std=gnu11 -O1 -o "$work/generate" tests/hostile/generate.c || exit 2
"$work/generate" "$seed" "$count" "$work/inputs" traces/*/*.yaml || exit 2

for input in "$work"/inputs/*.yaml; do
    case $input in
    *[08].yaml) how='-q' ;;
    *[37].yaml) how='-p zen4 -f html' ;;
    *2.yaml) how='-f junit' ;;
    *4.yaml) how='-f sarif' ;;
    *6.yaml) how='-p zen4 -p oostore -f gcc' ;;
    *9.yaml) how='-f tap --witness all' ;;
    *) how='-p zen4 -p oostore -f json --witness all' ;;
    esac
    # Word splitting is meant: $how is a list.
    # shellcheck disable=SC2086
    on_input "$input" $how --max-states 2000 --max-seconds 5 --max-memory 256MiB "$input"
done
printf '%d inputs, %d failed\n' "$count" "$failed"
[ "$failed" -eq 0 ]
