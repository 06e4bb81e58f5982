/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking hold of a process, and letting it go as it was. */
#define _GNU_SOURCE
#include "sim/capture/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct place nowhere = {0, 0};

enum { OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK };

void process_error(struct process *process, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(process->diagnostics, process->name, nowhere, format, arguments);
    va_end(arguments);
}

/* ---- threads ---- */

struct thread *process_thread(struct process *process, pid_t id)
{
    for (size_t i = 0; i < process->thread_count; i++)
        if (process->threads[i].id == id)
            return &process->threads[i];
    return NULL;
}

/* Not in the region: threads are also added while that is given back. */
struct thread *process_add_thread(struct process *process, pid_t id)
{
    struct thread *thread = process_thread(process, id);
    if (thread)
        return thread;
    if (process->thread_count == process->thread_capacity) {
        size_t capacity = process->thread_capacity ? 2 * process->thread_capacity : 64;
        struct thread *threads = realloc(process->threads, capacity * sizeof *threads);
        if (!threads)
            return NULL;
        process->threads = threads;
        process->thread_capacity = capacity;
    }
    thread = &process->threads[process->thread_count++];
    *thread = (struct thread){.id = id};
    return thread;
}

void process_drop_thread(struct process *process, struct thread *thread)
{
    *thread = process->threads[--process->thread_count];
    process->ended = process->thread_count == 0;
}

/* ---- memory ---- */

size_t process_read(const struct process *process, uint64_t address, void *bytes, size_t size)
{
    size_t done = 0;
    if (address > INT64_MAX - size)
        return 0;
    while (done < size) {
        ssize_t got =
            pread(process->memory, (char *)bytes + done, size - done, (off_t)(address + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

bool process_write(const struct process *process, uint64_t address, uint8_t byte)
{
    return pwrite(process->memory, &byte, 1, (off_t)address) == 1;
}

struct breakpoint *process_breakpoint_before(struct process *process, uint64_t address)
{
    for (size_t i = 0; i < process->breakpoint_count; i++)
        if (process->breakpoints[i].address + 1 == address)
            return &process->breakpoints[i];
    return NULL;
}

void process_remove_breakpoints(struct process *process, int memory)
{
    for (size_t i = 0; i < process->breakpoint_count; i++) {
        struct breakpoint *breakpoint = &process->breakpoints[i];
        if (breakpoint->inserted)
            (void)!pwrite(memory, &breakpoint->byte, 1, (off_t)breakpoint->address);
        if (memory == process->memory)
            breakpoint->inserted = false;
    }
}

/* ---- letting go ---- */

/* Whether a SIGTRAP is on its way to a stopped thread: of a breakpoint that it ran into. */
static bool trap_is_pending(pid_t id)
{
    siginfo_t items[16];
    struct __ptrace_peeksiginfo_args range = {.off = 0, .flags = 0, .nr = 16};
    long count = ptrace(PTRACE_PEEKSIGINFO, id, &range, items);
    for (long i = 0; i < count; i++)
        if (items[i].si_signo == SIGTRAP)
            return true;
    return false;
}

/* A thread behind a breakpoint that was not told about goes back to it. */
static void step_back(struct process *process, struct thread *thread)
{
    struct user_regs_struct registers;
    int status;
    if (!trap_is_pending(thread->id))
        return;
    if (ptrace(PTRACE_CONT, thread->id, 0, 0) != 0 ||
        waitpid(thread->id, &status, __WALL) != thread->id || !WIFSTOPPED(status))
        return;
    if (WSTOPSIG(status) != SIGTRAP || ptrace(PTRACE_GETREGS, thread->id, 0, &registers) != 0) {
        thread->signal = status >> 16 ? 0 : WSTOPSIG(status);
        return;
    }
    if (process_breakpoint_before(process, registers.rip)) {
        registers.rip--;
        ptrace(PTRACE_SETREGS, thread->id, 0, &registers);
    }
}

static void detach(struct process *process)
{
    for (size_t i = 0; i < process->thread_count; i++) {
        struct thread *thread = &process->threads[i];
        if (!thread->held)
            step_back(process, thread);
        ptrace(PTRACE_DETACH, thread->id, 0, (void *)(intptr_t)thread->signal);
    }
    process->thread_count = 0;
}

static void kill_own(struct process *process)
{
    int status;
    kill(process->id, SIGKILL);
    /* Other threads are gone when the first one can be waited for. */
    for (size_t i = 0; i < process->thread_count; i++)
        if (process->threads[i].id != process->id)
            waitpid(process->threads[i].id, &status, __WALL);
    while (waitpid(process->id, &status, __WALL) == process->id && WIFSTOPPED(status))
        ;
    process->thread_count = 0;
}

void process_release(struct process *process)
{
    if (process->id > 0 && !process->ended) {
        if (process->own) {
            kill_own(process);
        } else {
            process_stop_all(process);
            process_remove_breakpoints(process, process->memory);
            detach(process);
        }
    }
    process->id = 0;
    if (process->memory >= 0)
        close(process->memory);
    process->memory = -1;
    free(process->threads);
    process->threads = NULL;
    process->thread_count = process->thread_capacity = 0;
    if (process->signals_held)
        pthread_sigmask(SIG_SETMASK, &process->signals, NULL);
    process->signals_held = false;
}

static void release(void *argument) { process_release(argument); }

/* ---- taking hold ---- */

/* A signal that ended this program in between would leave breakpoints in the other one. */
static void hold_signals(struct process *process)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGPIPE);
    process->signals_held = pthread_sigmask(SIG_BLOCK, &held, &process->signals) == 0;
}

static struct process *new_process(struct region *region, struct diagnostics *diagnostics)
{
    struct process *process = region_alloc(region, sizeof *process);
    *process = (struct process){.region = region, .diagnostics = diagnostics, .memory = -1};
    region_on_release(region, release, process);
    hold_signals(process);
    return process;
}

static bool open_memory(struct process *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process->id);
    process->memory = open(path, O_RDWR | O_CLOEXEC);
    if (process->memory < 0)
        process_error(process, "its memory cannot be opened: %s", strerror(errno));
    return process->memory >= 0;
}

/* Why ptrace was refused, as far as the system says. */
static void refuse(struct process *process, int error)
{
    char scope[8] = "";
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (file) {
        if (!fgets(scope, sizeof scope, file))
            scope[0] = '\0';
        fclose(file);
    }
    scope[strcspn(scope, "\n")] = '\0';
    if (error == ESRCH)
        process_error(process, "there is no such process");
    else if (error == EPERM && *scope && *scope != '0')
        process_error(process,
                      "may not be traced: it is another user's, is traced already, or "
                      "/proc/sys/kernel/yama/ptrace_scope (%s) forbids it; root may, and --live "
                      "starts a program of its own",
                      scope);
    else if (error == EPERM)
        process_error(process, "may not be traced: it is another user's, is traced already, or the "
                               "container forbids ptrace");
    else
        process_error(process, "cannot be traced: %s", strerror(error));
}

/* Seizes every thread; again, until there are no new ones. */
static bool seize_all(struct process *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->id);
    for (bool fresh = true; fresh;) {
        pid_t found[4096];
        size_t count = 0;
        DIR *directory = opendir(path);
        if (!directory) {
            refuse(process, ESRCH);
            return false;
        }
        for (struct dirent *entry; count < 4096 && (entry = readdir(directory));)
            if (atoi(entry->d_name) > 0)
                found[count++] = atoi(entry->d_name);
        closedir(directory);
        fresh = false;
        for (size_t i = 0; i < count; i++) {
            if (process_thread(process, found[i]))
                continue;
            if (!process_add_thread(process, found[i]))
                region_fail(process->region);
            if (ptrace(PTRACE_SEIZE, found[i], 0, OPTIONS) == 0) {
                fresh = true;
                continue;
            }
            int error = errno;
            process_drop_thread(process, process_thread(process, found[i]));
            process->ended = false;
            if (error == ESRCH && found[i] != process->id)
                continue; /* it ended meanwhile */
            refuse(process, error);
            return false;
        }
    }
    return true;
}

struct process *process_attach(struct region *region, struct diagnostics *diagnostics, pid_t id)
{
    struct process *process = new_process(region, diagnostics);
    process->name = region_printf(region, "process %d", (int)id);
    process->id = id;
    if (!seize_all(process))
        return NULL;
    process_stop_all(process);
    return open_memory(process) ? process : NULL;
}

/* In the child, which waits until it is traced. Only calls that are safe after fork. */
static _Noreturn void become(char **arguments, const int go[2], int failed, const sigset_t *signals)
{
    char byte;
    close(go[1]);
    while (read(go[0], &byte, 1) < 0 && errno == EINTR)
        ;
    int null = open("/dev/null", O_RDWR);
    dup2(2, 1); /* the trace is on standard output */
    dup2(null, 0);
    sigprocmask(SIG_SETMASK, signals, NULL);
    execvp(arguments[0], arguments);
    int error = errno;
    (void)!write(failed, &error, sizeof error);
    _exit(127);
}

/* Up to the stop behind exec; false: it could not be executed. */
static bool wait_for_exec(struct process *process, int failed)
{
    int status, error = 0;
    for (;;) {
        pid_t got = waitpid(process->id, &status, __WALL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == process->id && WIFSTOPPED(status) &&
            status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
            process->threads[0].stopped = true;
            return true;
        }
        if (got != process->id || !WIFSTOPPED(status))
            break;
        ptrace(PTRACE_CONT, process->id, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
    }
    process->ended = true;
    if (read(failed, &error, sizeof error) != sizeof error)
        error = ECHILD;
    process_error(process, "could not be run: %s", strerror(error));
    return false;
}

struct process *process_start(struct region *region, struct diagnostics *diagnostics,
                              const char *const *command, size_t count)
{
    struct process *process = new_process(region, diagnostics);
    int go[2] = {-1, -1}, failed[2] = {-1, -1};
    char **arguments = region_array(region, count + 1, sizeof *arguments);
    for (size_t i = 0; i < count; i++)
        arguments[i] = region_strdup(region, command[i]);
    process->name = command[0];
    if (!process_add_thread(process, 0))
        region_fail(region);
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
        process_error(process, "could not be run: %s", strerror(errno));
    } else {
        process->id = fork();
        if (process->id == 0)
            become(arguments, go, failed[1], &process->signals);
        close(failed[1]);
        failed[1] = -1;
        process->own = process->id > 0;
        process->threads[0].id = process->id;
        if (process->id < 0)
            process_error(process, "could not be run: %s", strerror(errno));
        else if (ptrace(PTRACE_SEIZE, process->id, 0,
                        OPTIONS | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0)
            refuse(process, errno);
        if (diagnostics->count)
            process_release(process); /* before the child goes on */
    }
    close(go[0]);
    close(go[1]);
    bool good = !diagnostics->count && wait_for_exec(process, failed[0]);
    close(failed[0]);
    if (failed[1] >= 0)
        close(failed[1]);
    return good && open_memory(process) ? process : NULL;
}
