/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libyaml's events put together to a tree. The events, not libyaml's own documents: those
 * expand without bound and forget scalar styles.
 */
#include "sim/program/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "sim/base/intern.h"

struct anchor {
    const char *name;
    const struct node *node; /* NULL while it is being read: an alias to it would loop */
};

struct builder {
    struct region *region;
    struct diagnostics *diagnostics;
    struct yaml_document *document;
    yaml_parser_t parser;
    bool parser_open;
    yaml_event_t event;
    bool event_open;
    struct anchor *anchors;
    size_t anchor_count, anchor_capacity;
    struct intern keys; /* mapping number + key, to find duplicates */
    uint32_t map_count;
    size_t nodes;
};

static void close_builder(void *argument)
{
    struct builder *builder = argument;
    if (builder->event_open)
        yaml_event_delete(&builder->event);
    if (builder->parser_open)
        yaml_parser_delete(&builder->parser);
    builder->event_open = builder->parser_open = false;
}

static struct place place_of(yaml_mark_t mark)
{
    return (struct place){(uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

#define FAIL(builder, place, ...)                                                                  \
    diagnostics_add((builder)->diagnostics, (builder)->document->file, place, __VA_ARGS__)

static char byte_at(const struct yaml_document *document, struct place place)
{
    if (place.line == 0 || place.line > document->line_count)
        return '\0';
    size_t at = document->lines[place.line - 1] + place.column - 1;
    return at < document->length ? document->text[at] : '\0';
}

static void report_syntax(struct builder *builder)
{
    const yaml_parser_t *parser = &builder->parser;
    const char *problem = parser->problem ? parser->problem : "the file cannot be read";
    const char *context = parser->context ? parser->context : "";
    struct place place = place_of(parser->problem_mark);
    if (parser->error == YAML_MEMORY_ERROR)
        region_fail(builder->region);
    if (parser->error == YAML_READER_ERROR) {
        FAIL(builder, ((struct place){1, 1}), "not YAML: %s", problem);
    } else if (byte_at(builder->document, place) == '\t') {
        FAIL(builder, place, "found a tab, expected spaces: YAML does not indent with tabs");
    } else if (strstr(problem, "<document start>")) {
        FAIL(builder, place,
             "found more behind the document's end, expected one document in a file");
    } else if (strstr(context, "flow") && parser->context_mark.line < parser->problem_mark.line) {
        /* What is missing belongs to where the bracket was opened; libyaml notices lines later. */
        FAIL(builder, place_of(parser->context_mark),
             "this bracket is not closed before line %u: %s", place.line, problem);
    } else if (*context) {
        FAIL(builder, place, "not YAML: %s (%s that begins at line %zu)", problem, context,
             parser->context_mark.line + 1);
    } else {
        FAIL(builder, place, "not YAML: %s", problem);
    }
}

static bool next_event(struct builder *builder)
{
    if (builder->event_open)
        yaml_event_delete(&builder->event);
    builder->event_open = false;
    if (!yaml_parser_parse(&builder->parser, &builder->event)) {
        report_syntax(builder);
        return false;
    }
    builder->event_open = true;
    return true;
}

/* ---- anchors, aliases, tags ---- */

static size_t add_anchor(struct builder *builder, const yaml_char_t *name)
{
    if (!name)
        return SIZE_MAX;
    builder->anchors = region_push(builder->region, builder->anchors, builder->anchor_count,
                                   &builder->anchor_capacity, sizeof *builder->anchors);
    builder->anchors[builder->anchor_count] =
        (struct anchor){.name = region_strdup(builder->region, (const char *)name)};
    return builder->anchor_count++;
}

static const struct node *read_alias(struct builder *builder, unsigned depth)
{
    const char *name = (const char *)builder->event.data.alias.anchor;
    struct place place = place_of(builder->event.start_mark);
    for (size_t i = builder->anchor_count; i-- > 0;) {
        const struct anchor *anchor = &builder->anchors[i];
        if (strcmp(anchor->name, name) != 0)
            continue;
        if (!anchor->node) {
            FAIL(builder, place, "the alias *%s lies inside its own anchor: it would never end",
                 name);
            return NULL;
        }
        builder->nodes += anchor->node->expanded;
        if (builder->nodes > YAML_NODES_MAX) {
            FAIL(builder, place, "the alias *%s makes the file grow beyond %d nodes", name,
                 YAML_NODES_MAX);
            return NULL;
        }
        if (depth + anchor->node->height > YAML_DEPTH_MAX) {
            FAIL(builder, place, "nested deeper than %d levels", YAML_DEPTH_MAX);
            return NULL;
        }
        return anchor->node;
    }
    FAIL(builder, place, "found the alias *%s, but no anchor &%s stands before it", name, name);
    return NULL;
}

/* Whether a tag is one of YAML's own, which change nothing here but what is a string. */
static bool tag_is_known(const yaml_char_t *tag)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    static const char *const known[] = {"str", "int", "float", "bool", "null", "map", "seq"};
    const char *text = (const char *)tag;
    if (!tag || strcmp(text, "!") == 0)
        return true;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text + sizeof prefix - 1, known[i]) == 0)
            return true;
    return false;
}

static bool tag_is_string(const yaml_char_t *tag)
{
    const char *text = (const char *)tag;
    return tag && (strcmp(text, "!") == 0 || strcmp(text, "tag:yaml.org,2002:str") == 0);
}

static bool check_tag(struct builder *builder, const yaml_char_t *tag)
{
    if (tag_is_known(tag))
        return true;
    FAIL(builder, place_of(builder->event.start_mark),
         "found the tag '%.100s'; tags are not used here%s", (const char *)tag,
         tag[0] == '!' ? " (quote a value that starts with '!')" : "");
    return false;
}

/* ---- nodes ---- */

static const struct node *read_node(struct builder *builder, unsigned depth);

static struct node *new_node(struct builder *builder, enum node_kind kind)
{
    if (++builder->nodes > YAML_NODES_MAX) {
        FAIL(builder, place_of(builder->event.start_mark), "more than %d nodes", YAML_NODES_MAX);
        return NULL;
    }
    struct node *node = region_alloc(builder->region, sizeof *node);
    node->kind = kind;
    node->place = place_of(builder->event.start_mark);
    node->expanded = 1;
    return node;
}

static enum node_style style_of(yaml_scalar_style_t style)
{
    switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
        return NODE_SINGLE_QUOTED;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        return NODE_DOUBLE_QUOTED;
    case YAML_LITERAL_SCALAR_STYLE:
        return NODE_LITERAL;
    case YAML_FOLDED_SCALAR_STYLE:
        return NODE_FOLDED;
    default:
        return NODE_PLAIN;
    }
}

static const struct node *read_scalar(struct builder *builder)
{
    const yaml_char_t *tag = builder->event.data.scalar.tag;
    const char *value = (const char *)builder->event.data.scalar.value;
    size_t length = builder->event.data.scalar.length;
    struct node *node = new_node(builder, NODE_SCALAR);
    if (!node || !check_tag(builder, tag))
        return NULL;
    if (memchr(value, '\0', length)) {
        FAIL(builder, node->place, "found a NUL character in this text");
        return NULL;
    }
    size_t anchor = add_anchor(builder, builder->event.data.scalar.anchor);
    node->style = style_of(builder->event.data.scalar.style);
    node->is_string = tag_is_string(tag);
    node->text = region_strndup(builder->region, value, length);
    node->length = length;
    if (anchor != SIZE_MAX)
        builder->anchors[anchor].node = node;
    return node;
}

static void include(struct node *node, const struct node *child)
{
    node->expanded += child->expanded; /* both are bounded by YAML_NODES_MAX */
    if (child->height >= node->height)
        node->height = (uint8_t)(child->height + 1);
}

static const struct node *read_list(struct builder *builder, unsigned depth)
{
    struct node *node = new_node(builder, NODE_LIST);
    if (!node || !check_tag(builder, builder->event.data.sequence_start.tag))
        return NULL;
    size_t anchor = add_anchor(builder, builder->event.data.sequence_start.anchor);
    const struct node **items = NULL;
    size_t capacity = 0;
    for (;;) {
        if (!next_event(builder))
            return NULL;
        if (builder->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        const struct node *item = read_node(builder, depth + 1);
        if (!item)
            return NULL;
        items = region_push(builder->region, items, node->count, &capacity, sizeof *items);
        items[node->count++] = item;
        include(node, item);
    }
    node->items = items;
    if (anchor != SIZE_MAX)
        builder->anchors[anchor].node = node;
    return node;
}

/* Whether `key` is new in mapping number `map`; says so when it is not. */
static bool key_is_new(struct builder *builder, uint32_t map, const struct node *key)
{
    bool fresh;
    char *name = region_alloc(builder->region, sizeof map + key->length);
    memcpy(name, &map, sizeof map);
    memcpy(name + sizeof map, key->text, key->length);
    intern_add(&builder->keys, name, sizeof map + key->length, &fresh);
    if (!fresh)
        FAIL(builder, key->place, "found the key '%.100s' a second time", key->text);
    return fresh;
}

static const struct node *read_key(struct builder *builder, unsigned depth)
{
    const struct node *key = read_node(builder, depth);
    if (key && key->kind != NODE_SCALAR) {
        FAIL(builder, key->place, "found a %s as a key, expected a word",
             key->kind == NODE_LIST ? "list" : "mapping");
        return NULL;
    }
    return key;
}

static const struct node *read_map(struct builder *builder, unsigned depth)
{
    struct node *node = new_node(builder, NODE_MAP);
    if (!node || !check_tag(builder, builder->event.data.mapping_start.tag))
        return NULL;
    size_t anchor = add_anchor(builder, builder->event.data.mapping_start.anchor);
    uint32_t number = builder->map_count++;
    struct node_pair *pairs = NULL;
    size_t capacity = 0;
    for (;;) {
        if (!next_event(builder))
            return NULL;
        if (builder->event.type == YAML_MAPPING_END_EVENT)
            break;
        const struct node *key = read_key(builder, depth + 1);
        if (!key || !next_event(builder))
            return NULL;
        const struct node *value = read_node(builder, depth + 1);
        if (!value)
            return NULL;
        include(node, key);
        include(node, value);
        if (!key_is_new(builder, number, key))
            continue;
        pairs = region_push(builder->region, pairs, node->count, &capacity, sizeof *pairs);
        pairs[node->count++] = (struct node_pair){key, value};
    }
    node->pairs = pairs;
    if (anchor != SIZE_MAX)
        builder->anchors[anchor].node = node;
    return node;
}

/* The node that begins with the present event; NULL when the reading must stop. */
static const struct node *read_node(struct builder *builder, unsigned depth)
{
    struct place place = place_of(builder->event.start_mark);
    if (depth > YAML_DEPTH_MAX) {
        FAIL(builder, place, "nested deeper than %d levels", YAML_DEPTH_MAX);
        return NULL;
    }
    if (builder->anchor_count > YAML_ANCHORS_MAX) {
        FAIL(builder, place, "more than %d anchors", YAML_ANCHORS_MAX);
        return NULL;
    }
    switch (builder->event.type) {
    case YAML_ALIAS_EVENT:
        return read_alias(builder, depth);
    case YAML_SCALAR_EVENT:
        return read_scalar(builder);
    case YAML_SEQUENCE_START_EVENT:
        return read_list(builder, depth);
    default:
        return read_map(builder, depth);
    }
}

static bool read_stream(struct builder *builder)
{
    if (!next_event(builder) || !next_event(builder)) /* the stream's start, then a document's */
        return false;
    if (builder->event.type == YAML_STREAM_END_EVENT) {
        FAIL(builder, ((struct place){1, 1}), "found an empty file");
        return false;
    }
    if (!next_event(builder))
        return false;
    builder->document->root = read_node(builder, 0);
    if (!builder->document->root || !next_event(builder) || !next_event(builder))
        return false;
    if (builder->event.type == YAML_DOCUMENT_START_EVENT) {
        FAIL(builder, place_of(builder->event.start_mark),
             "found a second YAML document, expected one in a file");
        return false;
    }
    return true;
}

const struct yaml_document *yaml_read(struct region *region, const char *file, const char *text,
                                      size_t length, struct diagnostics *diagnostics)
{
    if (length > YAML_FILE_BYTES_MAX) {
        diagnostics_add(diagnostics, file, (struct place){1, 1},
                        "found %zu bytes, expected at most %d", length, YAML_FILE_BYTES_MAX);
        return NULL;
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (!yaml_check_text(file, text, length, diagnostics))
        return NULL;
    struct yaml_document *document = region_alloc(region, sizeof *document);
    *document = (struct yaml_document){.file = file, .text = text, .length = length};
    yaml_find_lines(region, document);

    struct builder *builder = region_alloc(region, sizeof *builder);
    *builder = (struct builder){.region = region, .diagnostics = diagnostics, .document = document};
    intern_init(&builder->keys, region);
    region_on_release(region, close_builder, builder);
    if (!yaml_parser_initialize(&builder->parser))
        region_fail(region);
    builder->parser_open = true;
    yaml_parser_set_encoding(&builder->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder->parser, (const unsigned char *)text, length);
    bool whole = read_stream(builder);
    close_builder(builder);
    return whole ? document : NULL;
}

bool node_is_null(const struct node *node)
{
    return node->kind == NODE_SCALAR && node->style == NODE_PLAIN && !node->is_string &&
           (node->length == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}
