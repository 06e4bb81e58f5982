/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/command/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_AFTER_MS = 1000, AGAIN_AFTER_MS = 250 };

static struct {
    const fs_progress *counters;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool running, stop;
} shown = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t read_counter(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* "12.3 M" */
static const char *short_number(uint64_t number, char text[32])
{
    if (number < 10000)
        snprintf(text, 32, "%" PRIu64, number);
    else if (number < 1000000)
        snprintf(text, 32, "%.1f k", (double)number / 1e3);
    else
        snprintf(text, 32, "%.1f M", (double)number / 1e6);
    return text;
}

static void show(uint64_t states, double rate)
{
    char a[32], b[32], c[32];
    fprintf(stderr,
            "\r%" PRIu64 " of %" PRIu64 " files done, %s states, %s states/s, frontier %s\033[K",
            read_counter(&shown.counters->files_done), read_counter(&shown.counters->files),
            short_number(states, a), short_number(rate > 0 ? (uint64_t)rate : 0, b),
            short_number(read_counter(&shown.counters->frontier), c));
    fflush(stderr);
}

/* Waits; true when it is time to end. The lock is held. */
static bool wait_ms(long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!shown.stop && pthread_cond_timedwait(&shown.ended, &shown.lock, &until) == 0)
        ;
    return shown.stop;
}

static void *show_until_stopped(void *unused)
{
    (void)unused;
    uint64_t before = 0;
    long waited = FIRST_AFTER_MS;
    pthread_mutex_lock(&shown.lock);
    for (; !wait_ms(waited); waited = AGAIN_AFTER_MS) {
        uint64_t states = read_counter(&shown.counters->states);
        show(states, (double)(states - before) * 1000 / (double)waited);
        before = states;
    }
    if (waited == AGAIN_AFTER_MS)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    pthread_mutex_unlock(&shown.lock);
    return NULL;
}

static bool is_wanted(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && (!terminal || strcmp(terminal, "dumb") != 0);
}

void progress_start(const fs_progress *counters)
{
    pthread_condattr_t attributes;
    if (!is_wanted() || pthread_condattr_init(&attributes) != 0)
        return;
    shown.counters = counters;
    shown.stop = false;
    shown.running = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                    pthread_cond_init(&shown.ended, &attributes) == 0 &&
                    pthread_create(&shown.thread, NULL, show_until_stopped, NULL) == 0;
    pthread_condattr_destroy(&attributes);
}

void progress_stop(void)
{
    if (!shown.running)
        return;
    pthread_mutex_lock(&shown.lock);
    shown.stop = true;
    pthread_cond_signal(&shown.ended);
    pthread_mutex_unlock(&shown.lock);
    pthread_join(shown.thread, NULL);
    pthread_cond_destroy(&shown.ended);
    shown.running = false;
}
