/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many snippets -> few runs of `as`. A line of its input holds one statement, so the line
 * number that a complaint gives leads back to the statement. A statement that was complained
 * about is taken out and the rest assembled again, so that all errors are found in one go
 * and nobody's snippet suffers for another's.
 */
#define _GNU_SOURCE
#include "sim/program/assemble.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A batch is cut off at this much text or (estimated) code. */
enum { BATCH_TEXT = 16 << 20, BATCH_CODE = 64 << 20 };

struct batch {
    struct region *region;
    struct diagnostics *diagnostics;
    struct label_table *labels;
    struct pieces *pieces;
    uint64_t *runs; /* of `as` so far */
    struct unit *units;
    size_t count;
    struct text input;
    struct origin *origins; /* by line of the input; [0] is not used */
    size_t line_count, origin_capacity;
    bool again; /* a piece was complained about, not yet the statements that are it */
};

/* ---- as's input ---- */

/* Begins the next line of the input and notes where it comes from. */
static void begin_line(struct batch *batch, size_t unit, size_t statement)
{
    if (batch->input.length)
        text_add_bytes(&batch->input, "\n", 1);
    batch->line_count++;
    batch->origins = region_push(batch->region, batch->origins, batch->line_count,
                                 &batch->origin_capacity, sizeof *batch->origins);
    batch->origins[batch->line_count] = (struct origin){(uint32_t)unit, (uint32_t)statement};
}

static void emit_mark(struct batch *batch)
{
    text_printf(&batch->input, "L$%zu:", batch->line_count);
}

/* Those of the unit's pieces that were not yet in this input. */
static void emit_pieces(struct batch *batch, size_t index)
{
    const struct unit *unit = &batch->units[index];
    size_t before = batch->line_count;
    for (size_t i = 0; i < unit->count; i++) {
        const struct statement *statement = &unit->statements[i];
        struct piece *piece = &batch->pieces->items[statement->piece];
        if (piece->run == *batch->runs)
            continue;
        begin_line(batch, PIECES, statement->piece);
        emit_mark(batch);
        text_add_bytes(&batch->input, statement->text, statement->length);
        piece->run = *batch->runs;
        piece->line = batch->line_count;
    }
    if (batch->line_count == before)
        return;
    begin_line(batch, index, unit->count);
    emit_mark(batch);
}

static void emit_unit(struct batch *batch, size_t index, bool *att)
{
    struct unit *unit = &batch->units[index];
    if (unit->source->att != *att) {
        *att = unit->source->att;
        begin_line(batch, index, unit->count);
        text_add(&batch->input, *att ? ".att_syntax prefix" : ".intel_syntax noprefix");
    }
    if (unit_is_shared(unit, batch->pieces)) {
        emit_pieces(batch, index);
        return;
    }
    if (unit->alignment > 1) {
        begin_line(batch, index, unit->count);
        text_printf(&batch->input, ".balign %u", (unsigned)unit->alignment);
    }
    unit->first_line = batch->line_count + 1;
    for (size_t i = 0; i < unit->count; i++) {
        const struct statement *statement = &unit->statements[i];
        begin_line(batch, index, i);
        if (i == 0 || statement->line != statement[-1].line || statement->label_length)
            emit_mark(batch);
        emit_statement(&batch->input, unit, batch->labels, statement,
                       statement->bad ? statement->label_length : statement->length);
    }
    begin_line(batch, index, unit->count);
    unit->end_line = batch->line_count;
    emit_mark(batch);
}

/* False when there is nothing to assemble. */
static bool build_input(struct batch *batch)
{
    bool att = true; /* as's own default */
    ++*batch->runs;
    batch->input.length = 0;
    batch->line_count = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (!batch->units[i].skip && batch->units[i].count)
            emit_unit(batch, i, &att);
    if (batch->line_count)
        text_add_bytes(&batch->input, "\n", 1);
    return batch->line_count > 0;
}

/* ---- as's complaints ---- */

/* Takes the $N out again that was put into the names of labels. */
static char *plain_message(struct region *region, const char *message, size_t length)
{
    char *copy = region_strndup(region, message, length), *to = copy;
    for (const char *from = copy; *from;) {
        if (*from == '$' && from > copy && is_name_part(from[-1]) && from[1] >= '0' &&
            from[1] <= '9')
            for (from++; *from >= '0' && *from <= '9';)
                from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
    return copy;
}

/* Whether a message is an error, or a warning that the code is not what was written. */
static bool is_complaint(const char *message, size_t length)
{
    static const char *const kinds[] = {"Error: ", "Fatal error: ", "Internal error"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(message, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return strncmp(message, "Warning: ", 9) == 0 &&
           (memmem(message, length, " truncated to ", 14) ||
            memmem(message, length, " shortened to ", 14));
}

/* Notes one complaint; true when that changes what is assembled next time. */
static bool complain(struct batch *batch, size_t line, const char *message, size_t length)
{
    struct origin origin = batch->origins[line];
    if (origin.unit == PIECES) {
        batch->pieces->items[origin.statement].bad = true;
        return batch->again = true;
    }
    struct unit *unit = &batch->units[origin.unit];
    const char *text = memmem(message, length, ": ", 2);
    const char *words = text ? text + 2 : message;
    char *plain = plain_message(batch->region, words, length - (size_t)(words - message));
    struct statement *statement =
        origin.statement < unit->count ? &unit->statements[origin.statement] : NULL;
    unit_error(unit, batch->diagnostics, statement ? statement->line : 0, "%s", plain);
    if (statement && !statement->bad) {
        statement->bad = true;
        return true;
    }
    bool fresh = !unit->skip;
    unit->skip = true;
    return fresh;
}

/* Goes through what `as` said; true when something was taken out because of it. */
static bool take_complaints(struct batch *batch, const struct as_output *output)
{
    bool progress = false;
    size_t name_length = strlen(output->input_name);
    for (const char *at = output->messages; *at;) {
        const char *end = strchrnul(at, '\n');
        char *after = NULL;
        if (strncmp(at, output->input_name, name_length) == 0 && at[name_length] == ':') {
            unsigned long line = strtoul(at + name_length + 1, &after, 10);
            if (after[0] == ':' && after[1] == ' ' && line > 0 && line <= batch->line_count &&
                is_complaint(after + 2, (size_t)(end - after) - 2))
                progress |= complain(batch, line, after + 2, (size_t)(end - after) - 2);
        }
        at = *end ? end + 1 : end;
    }
    return progress;
}

/* ---- batches ---- */

static const char *failure_of(struct batch *batch, const struct as_output *output)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->units[i].source->failed = true;
    if (output->error == ENOENT && strcmp(output->failed_to, "run `as`") == 0)
        return "`asm` needs GNU as, which is not installed: install the package binutils";
    return region_printf(batch->region, "cannot %s: %s", output->failed_to,
                         strerror(output->error));
}

/* An error without a line number, in the only snippet that is left. */
static void report_refusal(struct batch *batch, const struct as_output *output)
{
    const char *error = strstr(output->messages, "rror: ");
    const char *message = error ? error + strlen("rror: ") : "it ended without a word";
    size_t length = (size_t)(strchrnul(message, '\n') - message);
    unit_error(&batch->units[0], batch->diagnostics, 0, "`as` could not assemble this: %s",
               plain_message(batch->region, message, length));
}

static void finish_unit(struct batch *batch, struct unit *unit, const struct as_output *output)
{
    if (unit->skip || !unit->count)
        return;
    if (unit_is_shared(unit, batch->pieces))
        unit_finish_shared(unit, output, batch->pieces, batch->labels, batch->region,
                           batch->diagnostics);
    else
        unit_finish(unit, output, batch->origins, batch->labels, batch->region, batch->diagnostics);
}

static void finish_units(struct batch *batch, const struct as_output *output)
{
    for (size_t i = 0; i < batch->count; i++)
        finish_unit(batch, &batch->units[i], output);
}

/* NULL, or why `as` cannot be run. */
static const char *assemble_batch(struct batch *batch)
{
    struct as_output output;
    bool progress;
    do {
        if (!build_input(batch))
            return NULL;
        as_run(batch->region, &batch->input, batch->line_count + 1, &output);
        if (output.failed_to)
            return failure_of(batch, &output);
        batch->again = false;
        progress = take_complaints(batch, &output);
    } while (batch->again || (!output.assembled && progress));
    if (output.assembled) {
        finish_units(batch, &output);
        return NULL;
    }
    if (batch->count == 1) {
        report_refusal(batch, &output);
        return NULL;
    }
    /* It failed without saying where: halve until the culprit is alone. */
    struct batch half = *batch;
    half.count = batch->count / 2;
    const char *failure = assemble_batch(&half);
    batch->input = half.input;
    batch->origins = half.origins;
    batch->origin_capacity = half.origin_capacity;
    half = *batch;
    half.units += batch->count / 2;
    half.count -= batch->count / 2;
    if (!failure)
        failure = assemble_batch(&half);
    batch->input = half.input;
    batch->origins = half.origins;
    batch->origin_capacity = half.origin_capacity;
    return failure;
}

static size_t text_size(const struct unit *unit)
{
    size_t size = 0;
    for (size_t i = 0; i < unit->count; i++)
        size += unit->statements[i].length + 16;
    return size;
}

/* How many of the units go together. */
static size_t batch_size(const struct unit *units, size_t count)
{
    uint64_t text = 0, code = 0;
    for (size_t i = 0; i < count; i++) {
        text += text_size(&units[i]);
        code += units[i].estimate + 2 * (uint64_t)units[i].alignment;
        if (i > 0 && (text > BATCH_TEXT || code > BATCH_CODE))
            return i;
    }
    return count;
}

const char *assemble_sources(struct source_list *sources, struct diagnostics *diagnostics)
{
    struct label_table labels;
    struct pieces pieces;
    uint64_t runs = 0;
    struct batch batch = {.region = sources->region,
                          .diagnostics = diagnostics,
                          .labels = &labels,
                          .pieces = &pieces,
                          .runs = &runs};
    struct unit *units = region_array(sources->region, sources->count, sizeof *units);
    const char *failure = NULL;
    label_table_init(&labels, sources->region);
    pieces_init(&pieces, sources->region);
    text_init(&batch.input, sources->region);
    for (size_t i = 0; i < sources->count; i++) {
        struct source *source = sources->items[i];
        if (!source->scanned)
            source_scan(source, sources->region, diagnostics);
        units[i] = *source->scanned;
        units[i].number = (uint32_t)i;
        unit_labels(&units[i], &labels, diagnostics);
        unit_pieces(&units[i], &pieces);
    }
    for (size_t done = 0; done < sources->count && !failure; done += batch.count) {
        batch.units = units + done;
        batch.count = batch_size(batch.units, sources->count - done);
        failure = assemble_batch(&batch);
    }
    region_free(sources->region, batch.input.data);
    region_free(sources->region, batch.origins);
    pieces_free(&pieces);
    for (size_t i = 0; i < sources->count; i++)
        region_free(units[i].region, units[i].statements);
    return failure;
}

void assemble_failed(struct source *first, struct diagnostics *diagnostics, const char *failure)
{
    struct unit unit = {.source = first};
    unit_error(&unit, diagnostics, 0, "%s", failure);
}

bool assemble(struct source_list *sources, struct diagnostics *diagnostics)
{
    const char *failure = assemble_sources(sources, diagnostics);
    if (failure)
        assemble_failed(sources->items[0], diagnostics, failure);
    return !failure;
}
