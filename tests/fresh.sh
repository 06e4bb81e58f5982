#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whether the README's two commands work on a machine that has nothing: makes a minimal
# Debian 12, puts a clean clone of this repository into it and runs each command alone in a
# copy of its own. Needs root, debootstrap and the network; the package mirror is the one
# that this machine uses.
#
#   fresh.sh [CACHE]   where the minimal system is kept, /var/cache/fencesim-fresh by default
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${1:-/var/cache/fencesim-fresh}
base=$cache/bookworm.tar
work=$(mktemp -d)
passed=0
failed=0

clean_up() {
    local mounted
    for mounted in "$work"/*/proc "$work"/*/dev/pts "$work"/*/dev; do
        if mountpoint -q "$mounted"; then umount "$mounted"; fi
    done
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT

# The first Debian archive in this machine's own package sources.
mirror() {
    sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] *\)\?\([^ ]*\) .*/\2/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources 2> /dev/null | grep -m 1 '/debian/*$'
}

make_base() {
    mkdir -p "$cache"
    debootstrap --variant=minbase bookworm "$work/base" "$(mirror)" > "$work/log" 2>&1 || {
        tail -n 20 "$work/log" >&2
        return 1
    }
    tar -C "$work/base" -cf "$base.new" .
    mv "$base.new" "$base"
    rm -rf "$work/base"
}

# A copy of the minimal system with the clone in it, at $work/$1.
make_root() {
    local root=$work/$1
    mkdir "$root"
    tar -C "$root" -xf "$base"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    git clone -q --no-local "$top" "$root/fencesim"
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    mount --bind /dev/pts "$root/dev/pts" # a test looks at what a terminal sees
}

# Runs one command in a fresh system: its name, then the command.
run() {
    local name=$1 status=0
    shift
    make_root "$name"
    printf '== %s\n' "$*"
    chroot "$work/$name" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        sh -c "cd /fencesim && $*" > "$work/$name.log" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        tail -n 15 "$work/$name.log"
    else
        grep -v '^pass ' "$work/$name.log" | tail -n 80
    fi
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        printf 'FAILED with status %d: %s\n' "$status" "$*"
        failed=$((failed + 1))
    fi
}

[ -e "$base" ] || make_base
run try ./try
run check ./check
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
