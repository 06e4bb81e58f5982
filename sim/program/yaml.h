/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML file as a tree of nodes that know where they stand. Only the tree: what the keys
 * mean is for the callers (fields.h helps them). Input is not trusted: size, depth, the
 * number of nodes and what aliases expand to are bounded, tags never run anything.
 */
#ifndef FENCESIM_SIM_PROGRAM_YAML_H_
#define FENCESIM_SIM_PROGRAM_YAML_H_

#include "sim/base/diagnostics.h"
#include "sim/base/region.h"

enum {
    YAML_FILE_BYTES_MAX = 16 * 1024 * 1024,
    YAML_DEPTH_MAX = 64,
    YAML_NODES_MAX = 1000000, /* with aliases expanded */
    YAML_ANCHORS_MAX = 1000
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };
enum node_style { NODE_PLAIN, NODE_SINGLE_QUOTED, NODE_DOUBLE_QUOTED, NODE_LITERAL, NODE_FOLDED };

struct node_pair {
    const struct node *key; /* always a scalar; unique within its mapping */
    const struct node *value;
};

/* Shared by every alias of it; the place is the anchored original's then. */
struct node {
    enum node_kind kind;
    enum node_style style; /* of a scalar */
    bool is_string;        /* tagged !!str: a string although it is plain */
    struct place place;
    const char *text; /* of a scalar; NUL-terminated, without NUL inside */
    size_t length;
    size_t count; /* of `items` or `pairs` */
    const struct node **items;
    const struct node_pair *pairs;
    uint32_t expanded; /* nodes in it, aliases counted as often as they stand */
    uint8_t height;    /* levels below it */
};

struct yaml_document {
    const char *file;
    const char *text; /* the file, without byte order mark */
    size_t length;
    const size_t *lines; /* byte offset of each line's start; the last one is `length` */
    size_t line_count;
    const struct node *root;
};

/*
 * Reads the one document of `text`. NULL when the file is not YAML as understood here; the
 * error is in `diagnostics` then. Duplicate keys are reported, the first one is kept and the
 * document is still returned. `file` and `text` must outlive the document.
 */
const struct yaml_document *yaml_read(struct region *region, const char *file, const char *text,
                                      size_t length, struct diagnostics *diagnostics);

/* An empty value, `~` or `null`. */
bool node_is_null(const struct node *node);

/*
 * The place of the byte at `offset` of a scalar's text, wherever quoting, escapes, folding or
 * indentation have put it in the file.
 */
struct place node_locate(const struct yaml_document *document, const struct node *node,
                         size_t offset);

/* The same for many offsets of one scalar, which must not decrease, in linear time. */
struct node_cursor {
    const struct yaml_document *document;
    const struct node *node;
    size_t value;        /* offset in the scalar's text that was reached */
    size_t raw;          /* where that is in the file; for blocks the text's line start */
    struct place marked; /* the place of `mark`, from which columns are counted on */
    size_t mark;
    size_t indent; /* of a folded block */
};

void node_cursor_init(struct node_cursor *cursor, const struct yaml_document *document,
                      const struct node *node);
struct place node_cursor_seek(struct node_cursor *cursor, size_t offset);

/* For yaml.c: checks that `text` is UTF-8 without control characters, and finds its lines. */
bool yaml_check_text(const char *file, const char *text, size_t length,
                     struct diagnostics *diagnostics);
void yaml_find_lines(struct region *region, struct yaml_document *document);

#endif
