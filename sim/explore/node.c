/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes packed into words and back. */
#include <string.h>

#include "sim/explore/internal.h"

enum { HEAD_WORDS = 4, LATCH_WORDS = LOAD_BYTES_MAX / 4 };

/* latched needs 16 bits: at most READS_MAX * PIECES_MAX pieces. */
uint32_t node_intern(struct components *components, uint32_t cpu, const struct node *node)
{
    uint32_t words[HEAD_WORDS + LATCH_WORDS + BUFFER_WORDS_MAX];
    uint32_t count = HEAD_WORDS;
    words[0] = node->local;
    words[1] = node->latched | node->flags << 16;
    words[2] = node->private_memory;
    words[3] = node->system;
    if (node->latched) {
        memcpy(words + count, node->bytes, LOAD_BYTES_MAX);
        count += LATCH_WORDS;
    }
    memcpy(words + count, node->buffers.words, node->buffers.count * sizeof words[0]);
    count += node->buffers.count;
    return intern_add(&components->cpus[cpu].words, words, count * sizeof words[0], NULL);
}

void component_node(const struct components *components, uint32_t cpu, uint32_t id,
                    struct node *node)
{
    const struct intern *intern = &components->cpus[components->symmetry.alike[cpu]].words;
    const uint32_t *words = intern_bytes(intern, id);
    uint32_t count = intern_length(intern, id) / sizeof words[0], at = HEAD_WORDS;
    node->local = words[0];
    node->latched = words[1] & 0xffff;
    node->flags = words[1] >> 16;
    node->private_memory = words[2];
    node->system = words[3];
    memset(node->bytes, 0, sizeof node->bytes);
    if (node->latched) {
        memcpy(node->bytes, words + at, LOAD_BYTES_MAX);
        at += LATCH_WORDS;
    }
    node->buffers.count = count - at;
    memcpy(node->buffers.words, words + at, node->buffers.count * sizeof words[0]);
}
