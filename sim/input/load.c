/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files are read, parsed, assembled (all of a thread's in one go) and checked by several threads,
 * each with a region of its own. What they have to complain about is gathered by file.
 */
#include "sim/input/load.h"

#include "sim/base/parallel.h"
#include "sim/input/files.h"
#include "sim/input/kinds.h"
#include "sim/isa/insn.h"
#include "sim/program/litmus.h"

/* What a worker needs while it holds a file. */
struct desk {
    struct region *region;
    struct source_list sources; /* of all its files */
    const char *failure;        /* why `as` cannot be run; NULL when it can */
    bool failed;                /* memory ran out */
};

struct file_load {
    struct program *program; /* NULL: nothing can be said of it */
    struct diagnostics diagnostics;
    const struct desk *desk;
    size_t first_source, source_count; /* among those of the desk */
};

struct load {
    struct region *region;
    struct diagnostics *diagnostics;
    struct input_files files;
    struct file_load *items; /* by file */
    struct desk *desks;
    unsigned threads;
};

static struct program *parse_file(struct region *region, const struct input_file *file,
                                  struct source_list *sources, struct diagnostics *diagnostics)
{
    return (input_is_litmus(file) ? litmus_parse : trace_parse)(region, file->name, file->text,
                                                                file->length, sources, diagnostics);
}

/* ---- the workers' part ---- */

static void parse(struct load *load, struct desk *desk, size_t index)
{
    struct input_file *file = &load->files.items[index];
    struct file_load *item = &load->items[index];
    diagnostics_init(&item->diagnostics, desk->region);
    item->desk = desk;
    item->first_source = desk->sources.count;
    if (input_read(desk->region, file, &item->diagnostics))
        item->program = parse_file(desk->region, file, &desk->sources, &item->diagnostics);
    item->source_count = desk->sources.count - item->first_source;
    for (size_t i = 0; i < item->source_count; i++) {
        struct source *source = desk->sources.items[item->first_source + i];
        source->diagnostics = &item->diagnostics;
        source_scan(source, desk->region, &item->diagnostics);
    }
}

/* Everything that the desk has, whichever files these are: a snippet's code is its own. */
static void assemble_desk(struct load *load, struct desk *desk, size_t index)
{
    (void)index;
    if (desk->sources.count)
        desk->failure = assemble_sources(&desk->sources, load->diagnostics);
}

static void check(struct load *load, struct desk *desk, size_t index)
{
    (void)desk;
    struct file_load *item = &load->items[index];
    if (item->program)
        trace_finish(item->program, &item->diagnostics);
}

typedef void work(struct load *load, struct desk *desk, size_t index);

/* With the desk's own guard, since a thread cannot unwind into another. */
static void guarded(work *work_on, struct load *load, unsigned worker, size_t index)
{
    struct desk *desk = &load->desks[worker];
    if (region_guard(desk->region))
        desk->failed = true;
    else
        work_on(load, desk, index);
    desk->region->guarded = false;
}

static void parse_one(void *context, unsigned worker, size_t index)
{
    guarded(parse, context, worker, index);
}

static void assemble_one(void *context, unsigned worker, size_t index)
{
    (void)worker;
    guarded(assemble_desk, context, (unsigned)index, index);
}

static void check_one(void *context, unsigned worker, size_t index)
{
    guarded(check, context, worker, index);
}

/* ---- the caller's part ---- */

static void run_all(struct load *load, void (*run)(void *, unsigned, size_t), size_t count)
{
    struct parallel parallel = {.run = run, .leave = decoder_close, .context = load};
    parallel_run(&parallel, load->threads, count);
    for (unsigned i = 0; i < load->threads; i++)
        if (load->desks[i].failed)
            region_fail(load->region);
}

/* False when `as` could not be run by some thread: said once, in the first file that needs it. */
static bool has_assembled(struct load *load)
{
    const char *failure = NULL;
    for (unsigned i = 0; i < load->threads && !failure; i++)
        failure = load->desks[i].failure;
    for (size_t i = 0; i < load->files.count && failure; i++) {
        const struct file_load *item = &load->items[i];
        if (!item->source_count)
            continue;
        assemble_failed(item->desk->sources.items[item->first_source], load->diagnostics, failure);
        return false;
    }
    return true;
}

static void open_desks(struct load *load, unsigned threads)
{
    load->threads = parallel_threads(threads, load->files.count);
    load->items = region_array(load->region, load->files.count, sizeof *load->items);
    load->desks = region_array(load->region, load->threads, sizeof *load->desks);
    for (unsigned i = 0; i < load->threads; i++) {
        load->desks[i].region = region_child(load->region);
        load->desks[i].sources.region = load->desks[i].region;
    }
}

static void set_kinds(struct load *load, const char *kinds)
{
    struct program **programs = region_array(load->region, load->files.count, sizeof *programs);
    for (size_t i = 0; i < load->files.count; i++)
        programs[i] = load->items[i].program;
    apply_kinds(load->region, kinds, programs, load->files.count, load->diagnostics);
}

static void take_results(struct load *load, struct loaded *loaded)
{
    loaded->items = region_array(load->region, load->files.count, sizeof *loaded->items);
    for (size_t i = 0; i < load->files.count; i++) {
        struct file_load *item = &load->items[i];
        if (item->program && !item->diagnostics.count)
            loaded->items[loaded->count++] = item->program;
        diagnostics_append(load->diagnostics, &item->diagnostics);
    }
}

bool load(struct region *region, const char *const *paths, size_t path_count, const char *kinds,
          unsigned threads, struct loaded *loaded, struct diagnostics *diagnostics)
{
    struct load load = {.region = region, .diagnostics = diagnostics};
    *loaded = (struct loaded){0};
    for (size_t i = 0; i < path_count; i++)
        list_path(region, paths[i], &load.files, diagnostics);
    open_desks(&load, threads);
    run_all(&load, parse_one, load.files.count);
    run_all(&load, assemble_one, load.threads);
    bool assembled = has_assembled(&load);
    if (assembled && kinds)
        set_kinds(&load, kinds);
    if (assembled)
        run_all(&load, check_one, load.files.count);
    take_results(&load, loaded);
    return assembled;
}

/* ---- one file ---- */

struct program *load_one(struct region *region, const char *path, const char *purpose,
                         struct source_list *sources, struct diagnostics *diagnostics)
{
    struct input_files files = {0};
    read_path(region, path, &files, diagnostics);
    if (files.count > 1)
        diagnostics_add(diagnostics, region_strdup(region, path), (struct place){0},
                        "found %zu files, expected one to %s", files.count, purpose);
    if (files.count != 1 || diagnostics->count)
        return NULL;
    struct program *program = parse_file(region, &files.items[0], sources, diagnostics);
    if (!assemble(sources, diagnostics) || !program || diagnostics->count)
        return NULL;
    trace_finish(program, diagnostics);
    return diagnostics->count ? NULL : program;
}
