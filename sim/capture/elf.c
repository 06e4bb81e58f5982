/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `simulate capture`: from the user's options to the text of a trace. */
#define _GNU_SOURCE
#include "sim/capture/elf.h"
#include "sim/capture/patches.h"
#include "sim/capture/stand_in.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "models/profile.h"
#include "sim/capture/entries.h"
#include "sim/capture/lines.h"
#include "sim/capture/options.h"
#include "sim/capture/percpu.h"
#include "sim/capture/static_keys.h"
#include "sim/program/read.h"

static const struct place nowhere = {0, 0};

void elf_error(struct elf_capture *elf, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(elf->diagnostics, where ? where : "", nowhere, format, arguments);
    va_end(arguments);
}

void fs_capture_options_init(fs_capture_options *options)
{
    *options = (fs_capture_options){.size = sizeof *options};
}

/* ---- the CPUs ---- */

/* Functions that are called like CPUs (P0, P1, ...) and are all different name theirs. */
static bool names_fit(const struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        const char *name = entries->items[i].symbol->name;
        if (name[0] != 'P' || !isdigit((unsigned char)name[1]) || strlen(name) > 4)
            return false;
        for (const char *c = name + 1; *c; c++)
            if (!isdigit((unsigned char)*c))
                return false;
        for (size_t other = 0; other < i; other++)
            if (strcmp(entries->items[other].symbol->name, name) == 0)
                return false;
    }
    return true;
}

/* Where code of a text or dump was not all there is. */
static void note_end(struct elf_capture *elf, const struct cpu_code *code, struct capture_cpu *cpu)
{
    for (size_t i = 0; i < code->part_count; i++) {
        const struct code_part *part = &code->parts[i];
        const struct binary *binary = part->place.binary;
        if (binary && binary->end_note && part->size &&
            part->bytes[part->size - 1] == binary->end_byte) {
            capture_note(&elf->capture, cpu, "%s: %s", part->name, binary->end_note);
            return;
        }
    }
}

static void add_cpus(struct elf_capture *elf, const struct entries *entries)
{
    struct capture *capture = &elf->capture;
    bool fit = names_fit(entries);
    capture->cpus = region_array(elf->region, entries->count + 1, sizeof *capture->cpus);
    elf->codes = region_array(elf->region, entries->count + 1, sizeof *elf->codes);
    capture->cpu_count = elf->code_count = entries->count;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->items[i];
        struct capture_cpu *cpu = &capture->cpus[i];
        cpu->name = fit ? entry->symbol->name : region_printf(elf->region, "P%zu", i);
        cpu->function =
            region_printf(elf->region, "%s of %s", entry->symbol->name, entry->binary->name);
        elf->codes[i].name = cpu->name;
        elf->codes[i].function = entry->symbol->name;
        if (entry->binary->note)
            capture_note(capture, cpu, "%s", entry->binary->note);
        collect_code(elf, &elf->codes[i], entry->binary, entry->symbol);
        note_end(elf, &elf->codes[i], cpu);
    }
}

/* ---- what is observed, what is expected ---- */

static void observe_result(struct elf_capture *elf, const char *cpu, unsigned bytes)
{
    struct capture *capture = &elf->capture;
    if (capture->observe_given || bytes == 0)
        return;
    capture->observe = region_push(elf->region, capture->observe, capture->observe_count,
                                   &capture->observe_capacity, sizeof *capture->observe);
    capture->observe[capture->observe_count++] = region_printf(elf->region, "%s:%s", cpu,
                                                               bytes == 1   ? "al"
                                                               : bytes == 2 ? "ax"
                                                               : bytes == 8 ? "rax"
                                                                            : "eax");
}

/* C++ fills in objects before main, where they need more than bytes of the file. */
static void note_constructors(struct elf_capture *elf)
{
    for (size_t i = 0; i < elf->inputs.binary_count; i++) {
        const struct binary *binary = elf->inputs.binaries[i];
        for (size_t n = 1; n < binary->section_count; n++) {
            const char *name = binary->sections[n].name;
            bool runs = strncmp(name, ".init_array", 11) == 0 || strncmp(name, ".ctors", 6) == 0;
            /* Every executable and library has one that does nothing. */
            if (runs && binary->sections[n].size > (binary->linked ? 8 : 0)) {
                capture_note(&elf->capture, elf->capture.cpus,
                             "constructors of %s, which run before main, were not run: what they "
                             "set is as in the file (--init NAME=VAL)",
                             binary->name);
                break;
            }
        }
    }
}

/* What a CPU starts with and ends with, as far as its function's types are known. */
static void add_types(struct elf_capture *elf)
{
    for (size_t i = 0; i < elf->code_count; i++) {
        const struct location *place = &elf->codes[i].parts[0].place;
        struct capture_cpu *cpu = &elf->capture.cpus[i];
        struct function_types types;
        lines_function(place->binary, place->section, place->offset, &types);
        capture_check_arguments(&elf->capture, cpu, types.parameters, types.parameter_count);
        /* what nobody knows may be a result; to leave one out could hide what can happen */
        observe_result(elf, cpu->name, types.known ? types.result_bytes : 8);
        if (elf->codes[i].assumed)
            capture_note(&elf->capture, cpu,
                         "%u numbers in the code were taken for addresses: the file is linked for "
                         "fixed ones and does not say which are",
                         elf->codes[i].assumed);
    }
}

/* Options become part of a YAML file: one line each. */
static bool check_line(struct elf_capture *elf, const char *option, const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            elf_error(elf, NULL, "%s: found a control character, expected one line", option);
            return false;
        }
    return true;
}

static bool check_lines(struct elf_capture *elf, const char *option, const char *const *texts,
                        size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= check_line(elf, option, texts[i]);
    return good;
}

/* "NAME=on" or "NAME=off". */
static bool check_switches(struct elf_capture *elf, const char *option, const char *const *texts,
                           size_t count)
{
    bool good = check_lines(elf, option, texts, count);
    for (size_t i = 0; i < count; i++) {
        const char *equals = strrchr(texts[i], '=');
        if (equals && equals != texts[i] &&
            (strcmp(equals, "=on") == 0 || strcmp(equals, "=off") == 0))
            continue;
        elf_error(elf, NULL, "%s %s: expected NAME=on or =off", option, texts[i]);
        good = false;
    }
    return good;
}

static bool check_options(struct elf_capture *elf)
{
    const fs_capture_options *options = elf->options;
    bool good = check_lines(elf, "--memory", options->memory, options->memory_count);
    good &= check_lines(elf, "--observe", options->observe, options->observe_count);
    good &= check_lines(elf, "--expect", options->expect, options->expect_count);
    good &= check_lines(elf, "--arg", options->args, options->arg_count);
    good &= check_lines(elf, "--init", options->inits, options->init_count);
    good &= check_lines(elf, "--stub", options->stubs, options->stub_count);
    good &= check_lines(elf, "--trap", options->traps, options->trap_count);
    good &= check_lines(elf, "FILE", options->targets, options->target_count);
    good &= check_lines(elf, "--text", options->texts, options->text_count);
    if (options->live_functions)
        good &= check_line(elf, "functions", options->live_functions);
    for (size_t i = 0; i < options->raw_count; i++)
        good &= check_line(elf, "--raw", options->raws[i].path);
    good &= check_switches(elf, "--static-key", options->static_keys, options->static_key_count);
    if (options->name)
        good &= check_line(elf, "--name", options->name);
    good &= check_lines(elf, "--feature", options->features, options->feature_count);
    if (good)
        check_features(elf);
    bool any = options->target_count || options->text_count || options->raw_count ||
               options->live_functions;
    if (!any)
        elf_error(elf, NULL, "nothing to capture: expected FILE:FUNCTION");
    return good && any;
}

static bool choose_profile(struct elf_capture *elf)
{
    const char *name = elf->options->profile;
    if (!name)
        return true;
    elf->profile = profile_load(elf->region, name, elf->diagnostics);
    if (elf->profile && strcmp(elf->profile->vendor, "any") == 0) {
        elf_error(elf, NULL, "--profile %s is of no vendor; --profile intel or amd is", name);
        return false;
    }
    return elf->profile != NULL;
}

static void set_head(struct elf_capture *elf)
{
    struct capture *capture = &elf->capture;
    const fs_capture_options *options = elf->options;
    const char *all = "";
    for (size_t i = 0; i < options->target_count; i++)
        all = region_printf(elf->region, "%s%s%s", all, *all ? " " : "", options->targets[i]);
    for (size_t i = 0; i < options->text_count; i++)
        all = region_printf(elf->region, "%s%s%s", all, *all ? " " : "", options->texts[i]);
    for (size_t i = 0; i < options->raw_count; i++)
        all = region_printf(elf->region, "%s%s%s", all, *all ? " " : "", options->raws[i].path);
    if (options->live_functions)
        all = region_printf(elf->region, "%s%slive:%s", all, *all ? " " : "",
                            options->live_functions);
    capture->name = options->name ? options->name : all;
    if (!options->compiler_count)
        return;
    const char *compiled = "";
    for (size_t i = 0; i < options->compiler_count; i++)
        compiled =
            region_printf(elf->region, "%s%s%s", compiled, i ? " " : "", options->compiler[i]);
    capture->about = region_printf(elf->region, "%s, compiled with %s", all, compiled);
}

static void take_options(struct elf_capture *elf)
{
    const fs_capture_options *options = elf->options;
    struct capture *capture = &elf->capture;
    capture->memory = options->memory;
    capture->memory_count = options->memory_count;
    capture->expect = options->expect;
    capture->expect_count = options->expect_count;
    capture->observe_given = options->observe_count != 0;
    for (size_t i = 0; i < options->observe_count; i++) {
        capture->observe = region_push(elf->region, capture->observe, i, &capture->observe_capacity,
                                       sizeof *capture->observe);
        capture->observe[capture->observe_count++] = options->observe[i];
    }
}

/* ---- the whole ---- */

/* Reads the trace back: what the user added to it may be wrong. */
static void check_trace(struct elf_capture *elf, const struct text *out)
{
    struct source_list sources = {.region = elf->region};
    size_t before = elf->diagnostics->count;
    struct program *program = trace_parse(elf->region, "the captured trace", out->data, out->length,
                                          &sources, elf->diagnostics);
    if (program && elf->diagnostics->count == before)
        trace_finish(program, elf->diagnostics);
    for (size_t i = before; i < elf->diagnostics->count; i++) {
        struct diagnostic *item = &elf->diagnostics->items[i];
        const char *line = out->data;
        for (uint32_t n = 1; line && n < item->place.line; n++)
            line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
        if (line && item->place.line)
            item->message = region_printf(elf->region, "%s: %.*s", item->message,
                                          (int)strcspn(line, "\n"), line);
    }
}

static struct location place_of(const struct code_reference *reference)
{
    struct location place = reference->target.place;
    place.offset += (uint64_t)reference->target.distance;
    return place;
}

/* Whether a reference is to where a function of the CPU's begins. */
static bool is_own_function(const struct cpu_code *code, const struct code_reference *reference)
{
    struct location place = place_of(reference);
    int part = reference->target.kind == TARGET_PLACE ? code_part_at(code, &place) : NO_INDEX;
    return part != NO_INDEX && code->parts[part].place.offset == place.offset;
}

/* Whether another CPU has a function's address, too, so that the two may be compared. */
static bool others_refer(const struct elf_capture *elf, size_t cpu, const struct location *place)
{
    for (size_t i = 0; i < elf->code_count; i++)
        for (size_t n = 0; i != cpu && n < elf->codes[i].reference_count; n++) {
            const struct code_reference *reference = &elf->codes[i].references[n];
            struct location other = place_of(reference);
            if (reference->target.kind == TARGET_PLACE && other.binary == place->binary &&
                other.section == place->section && other.offset == place->offset)
                return true;
        }
    return false;
}

static void need_reference(struct elf_capture *elf, size_t cpu,
                           const struct code_reference *reference)
{
    const struct cpu_code *code = &elf->codes[cpu];
    struct location place = place_of(reference);
    bool placed = reference->target.kind == TARGET_PLACE;
    bool own = placed && code_part_at(code, &place) != NO_INDEX;
    if (placed && !own && reference->access && reference->kind == REFERENCE_PC32 &&
        section_is_code(&place.binary->sections[place.section]))
        elf_error(elf, place.binary->name, "%s+%u reads or writes bytes among code, in %s",
                  code->parts[reference->part].name, reference->field,
                  place.binary->sections[place.section].name);
    if (!own || (is_own_function(code, reference) && others_refer(elf, cpu, &place)))
        need_data(elf, &reference->target, reference->access);
}

static void need_all(struct elf_capture *elf)
{
    const fs_capture_options *options = elf->options;
    for (size_t i = 0; i < elf->code_count; i++)
        for (size_t n = 0; n < elf->codes[i].reference_count; n++)
            need_reference(elf, i, &elf->codes[i].references[n]);
    for (size_t i = 0; i < options->arg_count; i++)
        if (strchr(options->args[i], '='))
            need_value(elf, strchr(options->args[i], '=') + 1);
    for (size_t i = 0; i < options->init_count; i++)
        if (strchr(options->inits[i], '='))
            need_value(elf, strchr(options->inits[i], '=') + 1);
}

static void capture_all(struct elf_capture *elf, struct text *out)
{
    struct entries entries = {0};
    struct live live = {0};
    const fs_capture_options *options = elf->options;
    if (!check_options(elf) || !choose_profile(elf))
        return;
    for (size_t i = 0; i < options->target_count; i++)
        read_target(elf, options->targets[i], &entries);
    for (size_t i = 0; i < options->text_count; i++)
        read_text_target(elf, options->texts[i], &entries);
    for (size_t i = 0; i < options->raw_count; i++)
        read_raw(elf, &options->raws[i], &entries);
    if (options->live_functions && !elf->diagnostics->count)
        read_live(elf, &live, &entries);
    if (!elf->diagnostics->count && !entries.count)
        elf_error(elf, NULL, "no function to capture: expected FILE:FUNCTION");
    if (elf->diagnostics->count)
        return;
    take_options(elf);
    set_head(elf);
    elf->static_key_used =
        region_array(elf->region, options->static_key_count + 1, sizeof *elf->static_key_used);
    add_cpus(elf, &entries);
    check_static_keys(elf);
    check_stand_ins(elf);
    if (elf->diagnostics->count)
        return;
    need_all(elf);
    live_need(elf, &live);
    make_objects(elf);
    make_percpu(elf);
    for (size_t i = 0; i < options->init_count; i++)
        set_initial(elf, options->inits[i]);
    for (size_t i = 0; i < options->arg_count; i++)
        set_argument(elf, options->args[i]);
    live_set_registers(elf, &live);
    for (size_t i = 0; i < elf->code_count; i++) {
        place_code(elf, &elf->codes[i], &elf->capture.cpus[i]);
        make_tls(elf, &elf->codes[i], &elf->capture.cpus[i]);
    }
    if (elf->diagnostics->count)
        return;
    observe_fields(elf);
    add_types(elf);
    note_constructors(elf);
    capture_write(out, &elf->capture);
    check_trace(elf, out);
}

static fs_status capture_guarded(struct region *region, const fs_capture_options *options,
                                 struct text *out)
{
    struct diagnostics diagnostics;
    struct elf_capture *elf;
    if (region_guard(region))
        return FS_NO_MEMORY;
    diagnostics_init(&diagnostics, region);
    text_init(out, region);
    text_add(out, "");
    elf = region_alloc(region, sizeof *elf);
    *elf = (struct elf_capture){.region = region,
                                .diagnostics = &diagnostics,
                                .options = options,
                                .inputs = {.region = region, .diagnostics = &diagnostics},
                                .capture = {.region = region}};
    intern_init(&elf->span_keys, region);
    elf_version(EV_CURRENT);
    capture_all(elf, out);
    if (!diagnostics.count)
        return FS_OK;
    out->length = 0;
    diagnostics_sort(&diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++)
        text_printf(out, "%s\n", diagnostic_line(region, &diagnostics.items[i]));
    return FS_BAD_INPUT;
}

fs_status fs_capture(const fs_capture_options *options, char **text)
{
    struct region region;
    struct text out = {0};
    region_init(&region, 0);
    fs_status status = capture_guarded(&region, options, &out);
    decoder_close();
    *text = status == FS_NO_MEMORY ? NULL : strdup(out.data);
    region_release(&region);
    return *text ? status : FS_NO_MEMORY;
}
