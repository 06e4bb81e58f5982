/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process stopped by ptrace where its threads first reach given addresses. All of it is
 * undone when the region is released: breakpoints are taken out, threads go on, a child of our
 * own is killed.
 *
 *   process.c       attaching, memory, detaching
 *   process_wait.c  running until every address was reached
 *   symbols.c       names in the process
 */
#ifndef FENCESIM_SIM_CAPTURE_PROCESS_H_
#define FENCESIM_SIM_CAPTURE_PROCESS_H_

#include <signal.h>
#include <sys/types.h>
#include <sys/user.h>

#include "sim/base/diagnostics.h"

/* A function that a thread of its own must reach. */
struct stop {
    const char *function;
    uint64_t address;
    pid_t thread; /* 0: not reached */
    struct user_regs_struct registers;
};

/* A thread that is traced. */
struct thread {
    pid_t id;
    bool stopped; /* and seen to be */
    bool held;    /* at the address of a stop */
    int signal;   /* to be delivered when it goes on */
};

struct breakpoint {
    uint64_t address;
    uint8_t byte; /* that it replaces */
    bool inserted;
};

struct process {
    struct region *region;
    struct diagnostics *diagnostics;
    const char *name; /* "process 123" or the command, for messages */
    pid_t id;
    bool own; /* a child that was started for this */
    bool ended;
    int memory; /* /proc/ID/mem, -1: not open */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct breakpoint *breakpoints;
    size_t breakpoint_count;
    bool signals_held;
    sigset_t signals; /* the caller's mask */
};

void process_error(struct process *process, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Stops a running process, or starts a command and stops it before its first instruction. NULL
 * with an error. */
struct process *process_attach(struct region *region, struct diagnostics *diagnostics, pid_t id);
struct process *process_start(struct region *region, struct diagnostics *diagnostics,
                              const char *const *command, size_t count);

/* Lets it run until every stop has a thread; all threads are stopped then. False with an error. */
bool process_run_to(struct process *process, struct stop *stops, size_t count, double seconds);

/* How many bytes of memory can be read there. */
size_t process_read(const struct process *process, uint64_t address, void *bytes, size_t size);

/* Undoes everything, as releasing the region would. */
void process_release(struct process *process);

/* ---- between the parts ---- */

struct thread *process_thread(struct process *process, pid_t id);
struct thread *process_add_thread(struct process *process, pid_t id);
void process_drop_thread(struct process *process, struct thread *thread);
bool process_write(const struct process *process, uint64_t address, uint8_t byte);
void process_remove_breakpoints(struct process *process, int memory);
struct breakpoint *process_breakpoint_before(struct process *process, uint64_t address);

/* Stops all threads that run. */
void process_stop_all(struct process *process);

#endif
