/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets the threads of a process run until each of some addresses was reached by a thread of
 * its own. Whatever else happens to the process meanwhile is passed on to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/capture/process.h"

enum { INT3 = 0xcc, POLL_NANOSECONDS = 200000 };

struct hunt {
    struct process *process;
    struct stop *stops;
    size_t count;
    bool exec; /* the process became another program */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void resume(struct thread *thread)
{
    if (ptrace(PTRACE_CONT, thread->id, 0, (void *)(intptr_t)thread->signal) != 0)
        return; /* it is gone; waiting will tell */
    thread->stopped = false;
    thread->signal = 0;
}

static bool is_wanted(const struct hunt *hunt, uint64_t address)
{
    for (size_t i = 0; i < hunt->count; i++)
        if (!hunt->stops[i].thread && hunt->stops[i].address == address)
            return true;
    return false;
}

/* A thread ran into a breakpoint: it is held when that is wanted, and goes back to it. */
static bool take_trap(struct hunt *hunt, struct thread *thread)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread->id, 0, &registers) != 0)
        return false;
    struct breakpoint *breakpoint = process_breakpoint_before(hunt->process, registers.rip);
    if (!breakpoint)
        return false;
    registers.rip--;
    if (ptrace(PTRACE_SETREGS, thread->id, 0, &registers) != 0)
        return false;
    for (size_t i = 0; i < hunt->count; i++) {
        struct stop *stop = &hunt->stops[i];
        if (stop->thread || stop->address != breakpoint->address)
            continue;
        stop->thread = thread->id;
        stop->registers = registers;
        thread->held = true;
        break;
    }
    if (breakpoint->inserted && !is_wanted(hunt, breakpoint->address) &&
        process_write(hunt->process, breakpoint->address, breakpoint->byte))
        breakpoint->inserted = false;
    return true;
}

/* A new process has its own copy of the breakpoints, and is none of ours. With vfork it shares
 * the memory, where they must stay. */
static void let_child_go(struct process *process, pid_t child, bool shares)
{
    char path[64];
    int status;
    if (waitpid(child, &status, __WALL) != child)
        return;
    if (!shares) {
        struct process copy = *process;
        snprintf(path, sizeof path, "/proc/%d/mem", (int)child);
        copy.memory = open(path, O_RDWR | O_CLOEXEC);
        if (copy.memory >= 0) {
            for (size_t i = 0; i < copy.breakpoint_count; i++)
                if (copy.breakpoints[i].inserted)
                    process_write(&copy, copy.breakpoints[i].address, copy.breakpoints[i].byte);
            close(copy.memory);
        }
    }
    ptrace(PTRACE_DETACH, child, 0, 0);
}

static void add_child_thread(struct process *process, pid_t id)
{
    int status;
    if (!process_add_thread(process, id) && waitpid(id, &status, __WALL) == id)
        ptrace(PTRACE_DETACH, id, 0, 0);
}

static void take_event(struct hunt *hunt, struct thread *thread, int event, int signal)
{
    struct process *process = hunt->process;
    unsigned long child = 0;
    pid_t id = thread->id;
    switch (event) {
    case PTRACE_EVENT_CLONE:
        if (ptrace(PTRACE_GETEVENTMSG, id, 0, &child) == 0)
            add_child_thread(process, (pid_t)child);
        break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
        if (ptrace(PTRACE_GETEVENTMSG, id, 0, &child) == 0)
            let_child_go(process, (pid_t)child, event == PTRACE_EVENT_VFORK);
        break;
    case PTRACE_EVENT_EXEC:
        hunt->exec = true;
        break;
    case PTRACE_EVENT_STOP:
        if (signal != SIGTRAP) { /* stopped by job control: it stays so */
            ptrace(PTRACE_LISTEN, id, 0, 0);
            process_thread(process, id)->stopped = false;
            return;
        }
        break;
    default:
        break;
    }
    resume(process_thread(process, id));
}

/* What waiting for a thread told. False: the thread is gone. */
static bool take_status(struct hunt *hunt, struct thread *thread, int status)
{
    if (!WIFSTOPPED(status)) {
        process_drop_thread(hunt->process, thread);
        return false;
    }
    thread->stopped = true;
    if (status >> 16) {
        take_event(hunt, thread, status >> 16, WSTOPSIG(status));
    } else if (WSTOPSIG(status) == SIGTRAP && take_trap(hunt, thread)) {
        if (!thread->held)
            resume(thread);
    } else {
        thread->signal = WSTOPSIG(status);
        resume(thread);
    }
    return true;
}

/* Looks at every thread that runs, once. */
static bool poll_threads(struct hunt *hunt)
{
    struct process *process = hunt->process;
    bool any = false;
    for (size_t i = 0; i < process->thread_count;) {
        struct thread *thread = &process->threads[i];
        int status;
        pid_t got = thread->held ? 0 : waitpid(thread->id, &status, __WALL | WNOHANG);
        if (got < 0 && errno == ECHILD) {
            process_drop_thread(process, thread);
            continue;
        }
        any |= got > 0;
        if (got <= 0 || take_status(hunt, thread, status))
            i++;
    }
    return any;
}

void process_stop_all(struct process *process)
{
    struct hunt none = {.process = process};
    for (size_t i = 0; i < process->thread_count; i++)
        if (!process->threads[i].stopped)
            ptrace(PTRACE_INTERRUPT, process->threads[i].id, 0, 0);
    for (size_t i = 0; i < process->thread_count;) {
        struct thread *thread = &process->threads[i];
        int status;
        if (thread->stopped) {
            i++;
            continue;
        }
        pid_t got = waitpid(thread->id, &status, __WALL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !WIFSTOPPED(status)) {
            process_drop_thread(process, thread);
            continue;
        }
        unsigned long child = 0;
        pid_t id = thread->id;
        thread->stopped = true;
        if (status >> 16 == PTRACE_EVENT_CLONE && ptrace(PTRACE_GETEVENTMSG, id, 0, &child) == 0)
            add_child_thread(process, (pid_t)child); /* it begins stopped */
        else if ((status >> 16 == PTRACE_EVENT_FORK || status >> 16 == PTRACE_EVENT_VFORK) &&
                 ptrace(PTRACE_GETEVENTMSG, id, 0, &child) == 0)
            let_child_go(process, (pid_t)child, status >> 16 == PTRACE_EVENT_VFORK);
        else if (!(status >> 16) && !(WSTOPSIG(status) == SIGTRAP && take_trap(&none, thread)))
            thread->signal = WSTOPSIG(status);
        i++;
    }
}

static bool insert_breakpoints(struct hunt *hunt)
{
    struct process *process = hunt->process;
    process->breakpoints =
        region_array(process->region, hunt->count + 1, sizeof *process->breakpoints);
    for (size_t i = 0; i < hunt->count; i++) {
        struct stop *stop = &hunt->stops[i];
        struct breakpoint *breakpoint = &process->breakpoints[process->breakpoint_count];
        if (process_breakpoint_before(process, stop->address + 1))
            continue;
        breakpoint->address = stop->address;
        breakpoint->inserted = process_read(process, stop->address, &breakpoint->byte, 1) == 1 &&
                               process_write(process, stop->address, INT3);
        if (!breakpoint->inserted) {
            process_error(process, "no breakpoint can be set in '%s': %s", stop->function,
                          strerror(errno));
            return false;
        }
        process->breakpoint_count++;
    }
    return true;
}

static const char *not_reached(const struct hunt *hunt)
{
    const char *names = "";
    for (size_t i = 0; i < hunt->count; i++)
        if (!hunt->stops[i].thread)
            names = region_printf(hunt->process->region, "%s%s'%s'", names, *names ? ", " : "",
                                  hunt->stops[i].function);
    return names;
}

static bool all_reached(const struct hunt *hunt)
{
    for (size_t i = 0; i < hunt->count; i++)
        if (!hunt->stops[i].thread)
            return false;
    return true;
}

/* Whether somebody wants this program to end. */
static bool is_interrupted(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
            sigismember(&pending, SIGHUP));
}

bool process_run_to(struct process *process, struct stop *stops, size_t count, double seconds)
{
    struct hunt hunt = {.process = process, .stops = stops, .count = count};
    const struct timespec pause = {0, POLL_NANOSECONDS};
    double end = now() + seconds;
    if (!insert_breakpoints(&hunt))
        return false;
    for (size_t i = 0; i < process->thread_count; i++)
        resume(&process->threads[i]);
    while (!all_reached(&hunt)) {
        bool any = poll_threads(&hunt);
        if (hunt.exec || process->ended) {
            process_error(process, "%s before %s was reached by a thread of its own",
                          hunt.exec ? "became another program" : "ended", not_reached(&hunt));
            if (hunt.exec)
                process->breakpoint_count = 0;
            return false;
        }
        if (is_interrupted()) {
            process_error(process, "interrupted before %s was reached", not_reached(&hunt));
            return false;
        }
        if (now() > end) {
            process_error(process, "%s was not reached by a thread of its own in %g s",
                          not_reached(&hunt), seconds);
            return false;
        }
        if (!any)
            nanosleep(&pause, NULL);
    }
    process_stop_all(process);
    process_remove_breakpoints(process, process->memory);
    return true;
}
