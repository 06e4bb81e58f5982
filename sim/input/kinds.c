/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/input/kinds.h"

#include <string.h>

#include "sim/base/intern.h"
#include "sim/input/files.h"
#include "sim/program/litmus.h"

enum kind { KIND_ALLOW, KIND_FORBID, KIND_REQUIRE, KIND_UNKNOWN };

struct kinds {
    struct region *region;
    struct diagnostics *diagnostics;
    const char *file;
    struct intern names;
    enum kind *kinds; /* by interned name; the last line that names a test counts */
    size_t count, capacity;
};

static bool parse_kind(const char *word, enum kind *kind)
{
    static const struct {
        const char *word;
        enum kind kind;
    } words[] = {{"Allow", KIND_ALLOW},      {"Allowed", KIND_ALLOW},   {"Forbid", KIND_FORBID},
                 {"Forbidden", KIND_FORBID}, {"Require", KIND_REQUIRE}, {"Required", KIND_REQUIRE},
                 {"", KIND_UNKNOWN},         {"Unknown", KIND_UNKNOWN}, {"???", KIND_UNKNOWN},
                 {"---", KIND_UNKNOWN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) {
            *kind = words[i].kind;
            return true;
        }
    return false;
}

/* The next word of a line, cut off, or "" at its end; quotes around it are taken off. */
static char *take_word(char **at)
{
    char *start = *at + strspn(*at, " \t\r");
    bool quoted = *start == '"';
    start += quoted;
    size_t length = strcspn(start, quoted ? "\"" : " \t\r");
    *at = start + length;
    if (**at)
        *(*at)++ = '\0';
    return start;
}

/* Of the test of that name, unknown at first. */
static enum kind *kind_of(struct kinds *kinds, const char *name)
{
    bool fresh;
    uint32_t id = intern_add(&kinds->names, name, strlen(name) + 1, &fresh);
    if (fresh) {
        kinds->kinds = region_push(kinds->region, kinds->kinds, kinds->count, &kinds->capacity,
                                   sizeof *kinds->kinds);
        kinds->kinds[kinds->count++] = KIND_UNKNOWN;
    }
    return &kinds->kinds[id];
}

static void read_line(struct kinds *kinds, char *line, uint32_t number)
{
    line[strcspn(line, "#%")] = '\0';
    char *at = line, *name = take_word(&at), *word = take_word(&at), *rest = take_word(&at);
    enum kind kind;
    if (!*name)
        return;
    struct place place = {number, (uint32_t)(word - line) + 1};
    if (!parse_kind(word, &kind))
        diagnostics_add(kinds->diagnostics, kinds->file, place,
                        "found the kind '%.40s', expected Allow, Forbid, Require or Unknown", word);
    else if (*rest)
        diagnostics_add(kinds->diagnostics, kinds->file,
                        (struct place){number, (uint32_t)(rest - line) + 1},
                        "found '%.40s', expected the end of the line after the kind", rest);
    else
        *kind_of(kinds, name) = kind;
}

static void apply(struct kinds *kinds, struct program *program)
{
    static const enum quantifier quantifiers[] = {QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS,
                                                  QUANTIFIER_FORALL};
    enum kind kind = *kind_of(kinds, program->name);
    if (kind != KIND_UNKNOWN)
        litmus_expect(program, quantifiers[kind], true);
}

void apply_kinds(struct region *region, const char *path, struct program *const *programs,
                 size_t count, struct diagnostics *diagnostics)
{
    struct kinds kinds = {.region = region, .diagnostics = diagnostics};
    struct input_files files = {0};
    size_t errors = diagnostics->count;
    intern_init(&kinds.names, region);
    read_path(region, path, &files, diagnostics);
    for (size_t i = 0; i < files.count; i++) {
        kinds.file = files.items[i].name;
        char *line = region_strndup(region, files.items[i].text, files.items[i].length);
        for (uint32_t number = 1; line; number++) {
            char *end = strchr(line, '\n');
            if (end)
                *end = '\0';
            read_line(&kinds, line, number);
            line = end ? end + 1 : NULL;
        }
    }
    for (size_t i = 0; i < count && diagnostics->count == errors; i++)
        if (programs[i] && programs[i]->litmus)
            apply(&kinds, programs[i]);
}
