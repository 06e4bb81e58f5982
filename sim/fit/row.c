/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of the file of measured loops, in either of its two forms (docs/FIT.md). */
#include <string.h>

#include "sim/base/json.h"
#include "sim/fit/reader.h"

/* ---- members of a line ---- */

static const char *read_text(struct loop_reader *reader, const char *key, const char *otherwise)
{
    struct region *region = reader->fit->region;
    const json_t *value = json_object_get(reader->row, key);
    if (!value)
        return otherwise;
    if (json_is_string(value))
        return region_strdup(region, json_string_value(value));
    loop_error(reader, key, region_printf(region, "'%s' is no string", key));
    return otherwise;
}

/* A text that reports show: of one line. */
static const char *read_title(struct loop_reader *reader, const char *key, const char *otherwise)
{
    const char *title = read_text(reader, key, otherwise);
    for (const char *at = title; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            loop_error(reader, key,
                       region_printf(reader->fit->region, "'%s' has a control character", key));
            break;
        }
    return title;
}

/* A number above 0; `otherwise` when the member is absent. */
static double read_number(struct loop_reader *reader, const char *key, double otherwise)
{
    const json_t *value = json_object_get(reader->row, key);
    if (!value)
        return otherwise;
    double number = json_number_value(value);
    if (json_is_number(value) && number > 0 && number <= 1e12)
        return number;
    loop_error(reader, key, region_printf(reader->fit->region, "'%s' is no number above 0", key));
    return otherwise;
}

/* "x", "x+8" with an object x, or "chase": what a trace has without quotes. */
static bool is_reference(const json_t *objects, const char *string)
{
    char name[NAME_MAX_BYTES + 1];
    size_t length =
        strspn(string, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (strcmp(string, "chase") == 0)
        return true;
    if (length > NAME_MAX_BYTES || (string[length] != '+' && string[length] != '\0'))
        return false;
    if (string[length + strspn(string + length, "+0123456789abcdefxABCDEF")] != '\0')
        return false;
    memcpy(name, string, length);
    name[length] = '\0';
    return json_object_get(objects, name) != NULL;
}

static void add_flow(struct text *out, const json_t *value, const json_t *objects)
{
    const char *key;
    const json_t *member;
    switch (json_typeof(value)) {
    case JSON_OBJECT: {
        const char *before = "{";
        json_object_foreach((json_t *)value, key, member)
        {
            text_add(out, before);
            json_add_quoted(out, key);
            text_add(out, ": ");
            add_flow(out, member, objects);
            before = ", ";
        }
        text_add(out, json_object_size(value) ? "}" : "{}");
        return;
    }
    case JSON_ARRAY:
        for (size_t i = 0; i < json_array_size(value); i++) {
            text_add(out, i ? ", " : "[");
            add_flow(out, json_array_get(value, i), objects);
        }
        text_add(out, json_array_size(value) ? "]" : "[]");
        return;
    case JSON_STRING:
        if (is_reference(objects, json_string_value(value)))
            text_add(out, json_string_value(value));
        else
            json_add_quoted(out, json_string_value(value));
        return;
    case JSON_INTEGER:
        text_printf(out, "%lld", (long long)json_integer_value(value));
        return;
    case JSON_REAL:
        text_printf(out, "%.17g", json_real_value(value));
        return;
    default:
        text_add(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

/* An object as a flow mapping. */
static const char *read_mapping(struct loop_reader *reader, const char *key)
{
    struct region *region = reader->fit->region;
    const json_t *value = json_object_get(reader->row, key);
    struct text text;
    if (!value)
        return NULL;
    if (!json_is_object(value)) {
        loop_error(reader, key, region_printf(region, "'%s' is no object", key));
        return NULL;
    }
    text_init(&text, region);
    add_flow(&text, value, json_object_get(reader->row, "memory"));
    return text.data;
}

/* A list of lines, as one text. */
static const char *read_lines(struct loop_reader *reader, const char *key)
{
    struct text text;
    text_init(&text, reader->fit->region);
    text_add(&text, "");
    const json_t *list = json_object_get(reader->row, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *line = json_string_value(json_array_get(list, i));
        if (!line)
            loop_error(reader, key,
                       region_printf(reader->fit->region, "'%s' is no list of strings", key));
        text_printf(&text, "%s%s", i ? "\n" : "", line ? line : "");
    }
    if (list && !json_is_array(list))
        loop_error(reader, key,
                   region_printf(reader->fit->region, "'%s' is no list of strings", key));
    return text.data;
}

/* ---- the two forms of a line ---- */

/* The loop's own label, count and jump are the trace's business. */
static const char *strip_loop(struct region *region, const char *code)
{
    static const char *const frame[] = {".Lloop:", "decq %r15", "jnz .Lloop"};
    struct text text;
    text_init(&text, region);
    text_add(&text, "");
    for (const char *end; *code; code = end + (*end == '\n')) {
        end = code + strcspn(code, "\n");
        const char *first = code + strspn(code, " \t"), *last = end;
        while (last > first && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        bool keep = first < last;
        for (size_t i = 0; i < sizeof frame / sizeof *frame; i++)
            keep = keep && (strlen(frame[i]) != (size_t)(last - first) ||
                            strncmp(frame[i], first, (size_t)(last - first)) != 0);
        if (!keep)
            continue;
        text_add(&text, text.length ? "\n" : "");
        text_add_bytes(&text, first, (size_t)(last - first));
    }
    return text.data;
}

/* As a machine measured it: medians, and a context in registers. */
static void read_measured(struct loop_reader *reader, struct fit_loop *loop, struct loop_text *text)
{
    struct region *region = reader->fit->region;
    const char *class = read_title(reader, "cls", "core");
    /* What other users of the machine slow down is best told by the least of all runs. */
    bool core = strcmp(class, "core") == 0;
    double median = read_number(reader, "median", 0), least = read_number(reader, "min", 0);
    loop->measured = core ? median : least;
    if (loop->measured == 0 && !reader->failed)
        loop_error(reader, NULL,
                   core ? "found neither 'cycles' nor 'median'"
                        : "found neither 'cycles' nor 'min'");
    loop->group = region_printf(region, "%s %s", class, loop->group);
    text->setup = read_lines(reader, "init");
    text->code = strip_loop(region, text->code);
    if (strcmp(class, "vmexit") == 0)
        loop->left_out = "it leaves the guest (class vmexit)";
    else if (!loop_context(region, text))
        loop->left_out = "its context has a slot that no object is known for";
}

static void check_keys(struct loop_reader *reader)
{
    static const char *const keys[] = {"name",   "group", "source", "asm",    "setup",
                                       "memory", "regs",  "syntax", "cycles", "weight"};
    enum { COUNT = sizeof keys / sizeof *keys };
    const char *key;
    json_t *value;
    json_object_foreach(reader->row, key, value)
    {
        size_t i = 0;
        while (i < COUNT && strcmp(keys[i], key) != 0)
            i++;
        if (i < COUNT)
            continue;
        const char *near = nearest_name(key, keys, COUNT);
        struct region *region = reader->fit->region;
        loop_error(reader, key,
                   near ? region_printf(region, "unknown key '%s' (did you mean '%s'?)", key, near)
                        : region_printf(region, "unknown key '%s'", key));
    }
}

/* As a person writes it. */
static void read_simple(struct loop_reader *reader, struct fit_loop *loop, struct loop_text *text)
{
    check_keys(reader);
    loop->measured = read_number(reader, "cycles", 0);
    const char *syntax = read_text(reader, "syntax", "intel");
    text->att = strcmp(syntax, "att") == 0;
    if (!text->att && strcmp(syntax, "intel") != 0)
        loop_error(reader, "syntax", "'syntax' is neither \"intel\" nor \"att\"");
    text->memory = read_mapping(reader, "memory");
    text->regs = read_mapping(reader, "regs");
    text->setup = read_text(reader, "setup", NULL);
    read_text(reader, "source", NULL); /* for people */
}

/* ---- the loop ---- */

static void add_trace(struct loop_reader *reader, struct fit_loop *loop,
                      const struct loop_text *text)
{
    struct fit *fit = reader->fit;
    struct region *region = fit->region;
    struct made *made = &reader->made[fit->loops.count];
    made->file = region_printf(region, "loop %u", reader->number);
    made->line = reader->line;
    made->length = reader->length;
    const char *trace =
        loop_trace(region, text, fit->options->iterations, &made->setup_line, &made->code_line);
    loop->program =
        trace_parse(region, made->file, trace, strlen(trace), &reader->sources, &reader->raw);
}

void loop_read_row(struct loop_reader *reader)
{
    struct fit *fit = reader->fit;
    struct fit_loops *loops = &fit->loops;
    struct loop_text text = {.name = read_title(reader, "name", NULL),
                             .code = read_text(reader, "asm", NULL)};
    struct fit_loop loop = {.name = text.name,
                            .group = read_title(reader, "group", "all"),
                            .place = {reader->number, 1},
                            .weight = read_number(reader, "weight", 1)};
    if (!json_object_get(reader->row, "name"))
        loop_error(reader, NULL, "found no 'name'");
    if (!json_object_get(reader->row, "asm"))
        loop_error(reader, NULL, "found no 'asm'");
    if (reader->failed)
        return;
    if (json_object_get(reader->row, "cycles"))
        read_simple(reader, &loop, &text);
    else
        read_measured(reader, &loop, &text);
    if (reader->failed)
        return;
    loops->items = region_push(fit->region, loops->items, loops->count, &loops->capacity,
                               sizeof *loops->items);
    reader->made = region_push(fit->region, reader->made, loops->count, &reader->made_capacity,
                               sizeof *reader->made);
    reader->made[loops->count] = (struct made){0};
    if (!loop.left_out)
        add_trace(reader, &loop, &text);
    loops->items[loops->count++] = loop;
}
