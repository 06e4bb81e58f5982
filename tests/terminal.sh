#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `simulate step` on a terminal that tmux plays: keys in, what stands on the screen out.
# SIMULATE says what to test.
cd "$(dirname "$0")/.." || exit 2
SIMULATE=${SIMULATE:-./simulate}
if ! command -v tmux > /dev/null; then
    echo 'skipped: tmux is missing'
    exit 0
fi
socket=fencesim-$$
trap 'tmux -L "$socket" kill-session 2> /dev/null' EXIT
failed=0

screen() {
    tmux -L "$socket" -f /dev/null "$@"
}

# Waits until the screen shows a text.
expect() {
    tries=0
    until screen capture-pane -p | grep -qF "$1"; do
        tries=$((tries + 1))
        if [ "$tries" -gt 100 ]; then
            printf "the screen does not show '%s':\n" "$1"
            screen capture-pane -p
            failed=1
            return
        fi
        sleep 0.1
    done
}

screen new-session -d -x 90 -y 24 \
    "$SIMULATE step -V none tests/golden/sb.yaml; echo left with \$?; sleep 60" || exit 2
expect 'nothing has happened yet'
screen send-keys 1
expect 'step 1 was: P0: +0'
screen send-keys Down
expect '>  2  P0: (drain)'
screen send-keys Down
expect '>  3  P1: +0'
screen send-keys Enter
expect 'step 2 was: P1: +0'
screen send-keys 1
expect 'step 3 was: P0: +11'
screen send-keys 2
expect 'step 4 was: P1: +11'
screen send-keys 1
expect 'step 5 was'
screen send-keys 1
expect 'VIOLATED: never P0:eax == 0 && P1:eax == 0'
screen send-keys u
expect 'step 5 was'
screen resize-window -x 40 -y 8
expect '>  1  P1: (drain)'
screen send-keys r
expect 'nothing has happened yet'
screen send-keys q
expect 'left with 0'
[ "$failed" -eq 0 ] && echo 'the screen shows every step'
exit "$failed"
