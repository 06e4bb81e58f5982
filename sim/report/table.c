/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several runs of a file as a table: outcomes, cycles, and what they cost over the cheapest. */
#include <string.h>

#include "sim/report/report.h"

struct table {
    struct text *out;
    struct result *const *results;
    size_t count;
    bool color;
    size_t profile_width, variant_width;
    bool timed, ordered;
    bool compared; /* some profile has several variants with cycles */
};

static void add_padded(struct text *out, const char *string, size_t width)
{
    size_t length = strlen(string);
    text_add(out, string);
    if (length < width)
        text_pad(out, ' ', width - length);
}

static size_t relaxed_count(const struct result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->outcome_count; i++)
        count += result->outcomes[i].relaxed;
    return count;
}

static struct comparison compare(const struct table *table, const struct result *result)
{
    return compare_costs(table->results, table->count, result->profile);
}

static void measure(struct table *table)
{
    table->profile_width = table->variant_width = strlen("profile");
    for (size_t i = 0; i < table->count; i++) {
        const struct result *result = table->results[i];
        size_t profile = strlen(result->profile->name), variant = strlen(variant_name(result));
        if (profile > table->profile_width)
            table->profile_width = profile;
        if (variant > table->variant_width)
            table->variant_width = variant;
        table->timed = table->timed || main_timed_cpu(result);
        table->ordered = table->ordered || result->ordered;
        table->compared = table->compared || compare(table, result).timed > 1;
    }
}

static void add_header(const struct table *table)
{
    struct text *out = table->out;
    const struct program *program = table->results[0]->program;
    text_printf(out, "%s  %s\n  ", program->file, program->name);
    add_padded(out, "profile", table->profile_width + 2);
    add_padded(out, "variant", table->variant_width + 2);
    text_add(out, "verdict    ");
    if (table->ordered)
        text_add(out, "outcomes  relaxed");
    if (table->timed)
        text_add(out, "     cycles");
    if (table->compared)
        text_add(out, "  over cheapest");
    text_add(out, "\n");
}

static void add_costs(const struct table *table, const struct result *result)
{
    const struct timed_cpu *cpu = main_timed_cpu(result);
    struct comparison comparison = compare(table, result);
    if (table->timed && cpu)
        text_printf(table->out, " %10.2f", shown_cycles(cpu));
    else if (table->timed)
        text_printf(table->out, " %10s", "-");
    if (table->compared && cpu && comparison.timed > 1 && comparison.cheapest)
        text_printf(table->out, " %+14.2f", over_cheapest(&comparison, result));
    else if (table->compared)
        text_printf(table->out, " %14s", "-");
}

static void add_row(const struct table *table, const struct result *result)
{
    struct text *out = table->out;
    const char *verdict = verdict_name(result->verdict);
    text_add(out, "  ");
    add_padded(out, result->profile->name, table->profile_width + 2);
    add_padded(out, variant_name(result), table->variant_width + 2);
    text_printf(out, "%s%s%s", table->color ? verdict_color(result->verdict) : "", verdict,
                table->color ? "\033[0m" : "");
    text_pad(out, ' ', 11 - strlen(verdict));
    if (table->ordered)
        text_printf(out, "%8zu %8zu", result->outcome_count, relaxed_count(result));
    add_costs(table, result);
    text_add(out, "\n");
}

/* Others that hold and cost the same. */
static void add_equals(const struct table *table, const struct comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct result *result = table->results[i];
        bool candidate = result->profile == comparison->cheapest->profile &&
                         result != comparison->cheapest && main_timed_cpu(result) &&
                         (!comparison->judged || result_holds(result));
        if (!candidate || over_cheapest(comparison, result) >= 0.005)
            continue;
        text_printf(table->out, "%s%s", count++ ? ", " : "; as cheap: ", variant_name(result));
    }
}

/* "cheapest that holds on zen4: lock-64, 7.25 cycles" */
static void add_cheapest(const struct table *table, const struct result *result)
{
    struct comparison comparison = compare(table, result);
    const char *profile = result->profile->name;
    if (comparison.timed < 2)
        return;
    if (!comparison.cheapest) {
        text_printf(table->out, "  no variant holds on %s\n", profile);
        return;
    }
    text_printf(table->out, "  cheapest %s%s: %s, %.2f cycles%s",
                comparison.judged ? "that holds on " : "on ", profile,
                variant_name(comparison.cheapest),
                shown_cycles(main_timed_cpu(comparison.cheapest)),
                comparison.judged ? "" : " (order was not judged)");
    add_equals(table, &comparison);
    text_add(table->out, "\n");
}

void write_table(struct text *out, struct result *const *results, size_t count, bool color)
{
    struct table table = {.out = out, .results = results, .count = count, .color = color};
    measure(&table);
    add_header(&table);
    for (size_t i = 0; i < count; i++)
        add_row(&table, results[i]);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || results[i]->profile != results[i - 1]->profile)
            add_cheapest(&table, results[i]);
}
