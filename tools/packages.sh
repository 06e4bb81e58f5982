#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what building and testing need from Debian, as far as it is missing. More packages
# may be named as arguments. Says on standard error what it does; does nothing, and needs no
# rights and no network, when all is there.
set -eu

# as and cc; the emulator, the disassembler, YAML, JSON, ELF and DWARF, a hash, terminals; unit
# tests.
packages='binutils gcc libc6-dev make
    libunicorn-dev libcapstone-dev libyaml-dev libjansson-dev libelf-dev libdw-dev libbz2-dev
    libxxhash-dev libncurses-dev libcunit1-dev'

missing=
for package in $packages "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) || state=none
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    root=
elif command -v sudo > /dev/null; then
    root=sudo
else
    printf 'These packages are missing; install them as root:%s\n' "$missing" >&2
    exit 1
fi
printf 'Installing with apt-get:%s\n' "$missing" >&2
# Word splitting is meant: $root may be empty and $missing is a list.
# shellcheck disable=SC2086
{
    $root apt-get -q update
    $root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends $missing
} >&2
