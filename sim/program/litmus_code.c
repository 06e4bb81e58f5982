/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code section: a table with a column for each thread, to the lines of each thread. */
#include "sim/program/litmus_reader.h"

static const struct thread empty_thread = {NULL, 0, 0};

bool at_condition_section(const struct litmus_reader *reader)
{
    static const char *const words[] = {"exists", "forall",   "final",    "locations",
                                        "filter", "observed", "Observed", "cases"};
    if (reader->word.kind == WORD_END || word_is_sign(reader, '~'))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (word_is(reader, words[i]))
            return true;
    return false;
}

/* ---- labels ---- */

static void add_jump(struct litmus_reader *reader, struct jump **list, size_t *count,
                     size_t *capacity, const struct jump *jump)
{
    *list = region_push(reader->region, *list, *count, capacity, sizeof **list);
    (*list)[(*count)++] = *jump;
}

static const struct jump *find_label(const struct litmus_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->label_count; i++)
        if (strcmp(reader->labels[i].label, name) == 0)
            return &reader->labels[i];
    return NULL;
}

static void add_label(struct litmus_reader *reader, uint32_t cpu)
{
    struct jump label = {word_text(reader), cpu, reader->word.place, 0};
    if (reader->label_count == LABELS_MAX) {
        litmus_error(reader, label.place, "more than %d labels", LABELS_MAX);
        reader->at = reader->end; /* no use in reading on */
        return;
    }
    const struct jump *other = find_label(reader, label.label);
    if (strpbrk(label.label, "-/"))
        litmus_error(reader, label.place, "found the label '%s', expected letters, digits and '_'",
                     label.label);
    if (other)
        litmus_error(reader, label.place,
                     "found the label '%s' a second time in the test, it is in line %u already",
                     label.label, other->place.line);
    else
        add_jump(reader, &reader->labels, &reader->label_count, &reader->label_capacity, &label);
}

/* A jump that goes nowhere is taken out, so that it is reported once. */
static void check_jumps(struct litmus_reader *reader)
{
    for (size_t i = 0; i < reader->jump_count; i++) {
        const struct jump *jump = &reader->jumps[i];
        const struct jump *label = find_label(reader, jump->label);
        if (label && label->cpu == jump->cpu)
            continue;
        if (!label)
            litmus_error(reader, jump->place, "found a jump to '%s', which is no label",
                         jump->label);
        else
            litmus_error(reader, jump->place, "found a jump to '%s', which is a label of P%u",
                         jump->label, label->cpu);
        reader->threads[jump->cpu].lines[jump->line].text = "nop";
    }
}

/* ---- cells ---- */

static void add_line(struct litmus_reader *reader, uint32_t cpu, const char *text,
                     struct place place)
{
    struct thread *thread = &reader->threads[cpu];
    thread->lines = region_push(reader->region, thread->lines, thread->count, &thread->capacity,
                                sizeof *thread->lines);
    thread->lines[thread->count++] = (struct source_line){text, place, NULL};
}

static bool at_cell_end(const struct litmus_reader *reader)
{
    return word_is_sign(reader, '|') || word_is_sign(reader, ';') || reader->word.kind == WORD_END;
}

static void skip_cell(struct litmus_reader *reader)
{
    while (!at_cell_end(reader))
        next_word(reader);
}

/* "L: M: instruction", all of it optional. */
static void read_cell(struct litmus_reader *reader, uint32_t cpu)
{
    while (reader->word.kind == WORD_NAME && peek_character(reader) == ':') {
        struct place place = reader->word.place;
        add_label(reader, cpu);
        add_line(reader, cpu, region_printf(reader->region, "%s:", word_text(reader)), place);
        next_word(reader);
        next_word(reader);
    }
    if (at_cell_end(reader))
        return;
    struct place place = reader->word.place;
    const char *text = read_instruction(reader, cpu);
    if (text)
        add_line(reader, cpu, text, place);
    if (text && !at_cell_end(reader))
        litmus_unexpected(reader, "'|' or ';' after an instruction");
    skip_cell(reader);
}

static void read_row(struct litmus_reader *reader)
{
    uint32_t cpu = 0;
    struct place place = reader->word.place;
    for (;;) {
        if (cpu < reader->thread_count)
            read_cell(reader, cpu);
        else
            skip_cell(reader);
        cpu++;
        reader->cell_count++;
        if (reader->word.kind == WORD_END || !accept_sign(reader, '|'))
            break;
    }
    if (cpu != reader->thread_count)
        litmus_error(reader, place,
                     "found %u cells in this row, expected one for each of %zu threads", cpu,
                     reader->thread_count);
    if (!accept_sign(reader, ';'))
        litmus_unexpected(reader, "';' at the end of a row");
}

/* "P0 | P1 ;" */
static bool read_heads(struct litmus_reader *reader)
{
    do {
        uint32_t number;
        struct place place = reader->word.place;
        if (reader->word.kind != WORD_NAME || *reader->word.start != 'P' ||
            !read_thread_number(reader, &number)) {
            litmus_error(reader, place, "found no 'P%zu' here, expected the threads: P0 | P1 ;",
                         reader->thread_count);
            return false;
        }
        if (number != reader->thread_count)
            litmus_error(reader, place, "found P%u, expected P%zu: threads are numbered from 0",
                         number, reader->thread_count);
        reader->threads = region_push(reader->region, reader->threads, reader->thread_count,
                                      &reader->thread_capacity, sizeof *reader->threads);
        reader->threads[reader->thread_count++] = empty_thread;
    } while (reader->thread_count < CPUS_MAX && accept_sign(reader, '|'));
    return expect_sign(reader, ';', "the threads");
}

void read_code_section(struct litmus_reader *reader)
{
    accept_sign(reader, ';');
    if (!read_heads(reader))
        return;
    while (!at_condition_section(reader)) {
        read_row(reader);
        if (reader->cell_count > CELLS_MAX) {
            litmus_error(reader, reader->word.place, "more than %d instructions", CELLS_MAX);
            return;
        }
    }
    check_jumps(reader);
}
