/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels are local to a snippet although all snippets go to `as` in one piece: a named label
 * becomes name$N with the snippet's number, which no trace can write. Numbered labels (1:,
 * 1b, 1f) are left to `as`, once it is certain that they do not reach into another snippet.
 */
#include "sim/program/assemble.h"
#include "sim/program/layout.h"

#include <string.h>
#include <strings.h>

/* What is known of a name or number within one unit. */
struct label {
    const char *text; /* NULL: was looked up, is none */
    uint32_t length;
    uint32_t unit;
    uint32_t first, last; /* statements that define it; named ones have one */
};

enum { NAME_LIMIT = 256 };

void label_table_init(struct label_table *table, struct region *region)
{
    *table = (struct label_table){0};
    intern_init(&table->names, region);
}

/* The entry of a name within a unit; the same entry for the same name. */
static struct label *label_entry(struct label_table *table, const struct unit *unit,
                                 const char *name, size_t length)
{
    struct {
        uint32_t unit;
        char name[NAME_LIMIT];
    } key = {.unit = unit->number};
    bool fresh = false;
    if (length > NAME_LIMIT)
        length = NAME_LIMIT;
    memcpy(key.name, name, length);
    size_t count = table->names.count;
    uint32_t id = intern_add(&table->names, &key, offsetof(__typeof__(key), name) + length, &fresh);
    if (fresh) {
        table->labels = region_push(table->names.region, table->labels, count, &table->capacity,
                                    sizeof *table->labels);
        table->labels[id] = (struct label){.unit = unit->number};
    }
    return &table->labels[id];
}

/* ---- definitions ---- */

static bool define_named(struct unit *unit, struct label_table *table, struct token name,
                         uint32_t at, struct diagnostics *diagnostics)
{
    char text[NAME_LIMIT + 1] = {0};
    uint32_t line = unit->statements[at].line;
    if (name.length > NAME_LIMIT) {
        unit_error(unit, diagnostics, line, "a label of more than %d characters", NAME_LIMIT);
        return false;
    }
    memcpy(text, name.start, name.length);
    if (name_is_reserved(text)) {
        unit_error(unit, diagnostics, line, "'%s' cannot be a label: it is a reserved word", text);
        return false;
    }
    if (program_object(unit->source->program, text) != NO_INDEX) {
        unit_error(unit, diagnostics, line, "'%s' cannot be a label: it is an object's name", text);
        return false;
    }
    struct label *label = label_entry(table, unit, name.start, name.length);
    if (label->text) {
        unit_error(unit, diagnostics, line, "the label '%s' is defined a second time", text);
        return false;
    }
    label->text = name.start;
    label->length = (uint32_t)name.length;
    label->first = label->last = at;
    return true;
}

/* Leading zeros do not count. False when it is no decimal number of a sensible size. */
static bool numbered_name(struct token *number)
{
    while (number->length > 1 && *number->start == '0') {
        number->start++;
        number->length--;
    }
    for (size_t i = 0; i < number->length; i++)
        if (number->start[i] < '0' || number->start[i] > '9')
            return false;
    return number->length > 0 && number->length <= 6;
}

static bool define_number(struct unit *unit, struct label_table *table, struct token number,
                          uint32_t at, struct diagnostics *diagnostics)
{
    if (!numbered_name(&number)) {
        unit_error(unit, diagnostics, unit->statements[at].line,
                   "'%.*s' cannot be a label: expected a name or a plain number",
                   (int)(number.length < 40 ? number.length : 40), number.start);
        return false;
    }
    struct label *label = label_entry(table, unit, number.start, number.length);
    if (!label->text)
        label->first = at;
    label->text = number.start;
    label->length = 0; /* not a name */
    label->last = at;
    return true;
}

/* The labels of one statement; on an error the statement goes on without labels. */
static void define_labels(struct unit *unit, struct label_table *table, uint32_t at,
                          struct diagnostics *diagnostics)
{
    struct statement *statement = &unit->statements[at];
    const char *next = statement->text, *end = next + statement->label_length;
    bool good = true;
    unit->has_labels |= statement->label_length > 0;
    while (next < end) {
        struct token token = token_at(next, end);
        if (token.kind == TOKEN_NAME)
            good &= define_named(unit, table, token, at, diagnostics);
        else if (token.kind == TOKEN_NUMBER)
            good &= define_number(unit, table, token, at, diagnostics);
        next += token.length;
    }
    if (!good) {
        statement->text += statement->label_length;
        statement->length -= statement->label_length;
        statement->label_length = 0;
    }
}

/* ---- references ---- */

static void check_reference(struct unit *unit, struct label_table *table, struct token number,
                            uint32_t at, struct diagnostics *diagnostics)
{
    char direction = number.start[number.length - 1];
    struct token name = {TOKEN_NUMBER, number.start, number.length - 1};
    if ((direction != 'b' && direction != 'f') || number.length < 2)
        return;
    for (size_t i = 0; i < name.length; i++)
        if (name.start[i] < '0' || name.start[i] > '9')
            return; /* 0x1f and the like */
    const struct label *label = NULL;
    if (numbered_name(&name))
        label = label_entry(table, unit, name.start, name.length);
    if (label && label->text && (direction == 'b' ? label->first <= at : label->last > at))
        return;
    unit_error(unit, diagnostics, unit->statements[at].line, "'%.*s': no label %.*s: %s it",
               (int)(number.length < 40 ? number.length : 40), number.start,
               (int)(name.length < 40 ? name.length : 40), name.start,
               direction == 'b' ? "before" : "after");
    unit->statements[at].bad = true;
}

void unit_labels(struct unit *unit, struct label_table *table, struct diagnostics *diagnostics)
{
    for (uint32_t i = 0; i < unit->count; i++)
        define_labels(unit, table, i, diagnostics);
    for (uint32_t i = 0; i < unit->count; i++) {
        const struct statement *statement = &unit->statements[i];
        const char *end = statement->text + statement->length;
        const char *at = statement->text + statement->label_length;
        while (at < end) {
            struct token token = token_at(at, end);
            if (token.kind == TOKEN_NUMBER)
                check_reference(unit, table, token, i, diagnostics);
            at += token.length;
        }
    }
}

/* ---- renaming ---- */

static bool is_prefix(struct token word)
{
    static const char *const prefixes[] = {
        "lock",     "rep",    "repe",   "repz",   "repne",  "repnz",   "xacquire",
        "xrelease", "data16", "data32", "addr16", "addr32", "notrack", "bnd",
        "cs",       "ds",     "es",     "fs",     "gs",     "ss",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strlen(prefixes[i]) == word.length &&
            strncasecmp(prefixes[i], word.start, word.length) == 0)
            return true;
    return word.length >= 3 && strncasecmp(word.start, "rex", 3) == 0;
}

static void emit_name(struct text *out, const struct unit *unit, struct label_table *table,
                      struct token name)
{
    text_add_bytes(out, name.start, name.length);
    if (label_entry(table, unit, name.start, name.length)->text)
        text_printf(out, "$%u", unit->number);
}

void emit_statement(struct text *out, const struct unit *unit, struct label_table *table,
                    const struct statement *statement, size_t length)
{
    const char *at = statement->text, *end = at + length;
    const char *body = at + statement->label_length;
    if (!unit->has_labels) {
        text_add_bytes(out, at, length);
        return;
    }
    bool mnemonic_due = true, in_braces = false;
    while (at < end) {
        struct token token = token_at(at, end);
        bool is_register = at > statement->text && at[-1] == '%';
        if (token.kind == TOKEN_OTHER && (*at == '{' || *at == '}'))
            in_braces = *at == '{';
        bool is_operand = at < body || (!mnemonic_due && !in_braces && !is_register);
        if (token.kind == TOKEN_NAME && is_operand)
            emit_name(out, unit, table, token);
        else
            text_add_bytes(out, at, token.length);
        if (token.kind == TOKEN_NAME && at >= body && mnemonic_due && !in_braces)
            mnemonic_due = is_prefix(token);
        at += token.length;
    }
}

size_t unit_label_names(const struct unit *unit, const struct label_table *table,
                        const char **names, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < table->names.count && count < capacity; i++) {
        const struct label *label = &table->labels[i];
        if (label->text && label->length && label->unit == unit->number)
            names[count++] = region_strndup(table->names.region, label->text, label->length);
    }
    return count;
}
