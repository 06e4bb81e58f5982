/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/states.h"

#include <string.h>

enum { FIRST_WIDTH = 8, FIRST_CAPACITY = 64, FIRST_TABLE = 128, MANY = 1 << 20 };

/* Lays the fields out into as few words as their widths need; no field crosses a word. */
static void lay_out(struct states *states)
{
    unsigned word = 0, used = 0;
    for (unsigned i = 0; i < states->field_count; i++) {
        struct state_field *field = &states->fields[i];
        if (used + field->width > 64) {
            word++;
            used = 0;
        }
        field->word = (uint16_t)word;
        field->shift = (uint8_t)used;
        used += field->width;
    }
    states->word_count = word + 1;
}

void states_init(struct states *states, struct region *region, unsigned field_count)
{
    *states = (struct states){.region = region, .field_count = field_count};
    states->fields = region_array(region, field_count, sizeof *states->fields);
    for (unsigned i = 0; i < field_count; i++)
        states->fields[i].width = FIRST_WIDTH;
    lay_out(states);
    states->scratch = region_array(region, field_count, sizeof(uint64_t));
    states->ring_keys = region_array(region, STATES_RING * (size_t)field_count, sizeof(uint64_t));
    states->capacity = FIRST_CAPACITY;
    states->keys = region_resize(region, NULL, states->capacity * states->word_count * 8);
    states->parents = region_resize(region, NULL, states->capacity * sizeof *states->parents);
    states->table_size = FIRST_TABLE;
    states->table = region_resize(region, NULL, states->table_size * 8);
    memset(states->table, 0, states->table_size * 8);
}

static void pack(const struct states *states, const uint32_t *values, uint64_t *key)
{
    memset(key, 0, states->word_count * sizeof *key);
    for (unsigned i = 0; i < states->field_count; i++)
        key[states->fields[i].word] |= (uint64_t)values[i] << states->fields[i].shift;
}

static void unpack(const struct states *states, const uint64_t *key, uint32_t *values)
{
    for (unsigned i = 0; i < states->field_count; i++) {
        const struct state_field *field = &states->fields[i];
        uint64_t mask = (UINT64_C(1) << field->width) - 1;
        values[i] = (uint32_t)(key[field->word] >> field->shift & mask);
    }
}

void states_get(const struct states *states, uint32_t state, uint32_t *values)
{
    unpack(states, states->keys + (size_t)state * states->word_count, values);
}

static uint64_t hash_key(const struct states *states, const uint64_t *key)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < states->word_count; i++) {
        hash ^= key[i];
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash * UINT64_C(0xd6e8feb86659fd93);
}

static void place(struct states *states, uint64_t hash, uint32_t state)
{
    size_t mask = states->table_size - 1, at = hash & mask;
    while (states->table[at])
        at = (at + 1) & mask;
    states->table[at] = (hash >> 32) << 32 | (state + 1);
}

static void fill_table(struct states *states)
{
    memset(states->table, 0, states->table_size * 8);
    for (size_t i = 0; i < states->count; i++)
        place(states, hash_key(states, states->keys + i * states->word_count), (uint32_t)i);
}

static void grow_table(struct states *states)
{
    size_t size = states->table_size * 2;
    region_free(states->region, states->table);
    states->table = NULL;
    states->table = region_resize(states->region, NULL, size * 8);
    states->table_size = size;
    fill_table(states);
}

static unsigned bits_of(uint32_t value) { return value ? 32u - (unsigned)__builtin_clz(value) : 1; }

/* Widens every field that a value has outgrown, with room to spare, and repacks. */
static void widen(struct states *states, const uint32_t *values)
{
    struct state_field *old_fields =
        region_array(states->region, states->field_count, sizeof *old_fields);
    memcpy(old_fields, states->fields, states->field_count * sizeof *old_fields);
    struct states old = *states;
    old.fields = old_fields;
    for (unsigned i = 0; i < states->field_count; i++)
        if (bits_of(values[i]) > states->fields[i].width) {
            unsigned width = bits_of(values[i]) + 4;
            states->fields[i].width = (uint8_t)(width > 32 ? 32 : width);
        }
    lay_out(states);
    states->keys = region_resize(states->region, NULL, states->capacity * states->word_count * 8);
    uint32_t *tuple = region_array(states->region, states->field_count, sizeof *tuple);
    for (size_t i = 0; i < states->count; i++) {
        unpack(&old, old.keys + i * old.word_count, tuple);
        pack(states, tuple, states->keys + i * states->word_count);
    }
    region_free(states->region, old.keys);
    fill_table(states);
}

static bool fits(const struct states *states, const uint32_t *values)
{
    for (unsigned i = 0; i < states->field_count; i++)
        if (values[i] >> (states->fields[i].width - 1) >> 1)
            return false;
    return true;
}

static inline bool same_key(const uint64_t *a, const uint64_t *b, unsigned words)
{
    uint64_t difference = 0;
    for (unsigned i = 0; i < words; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

static uint32_t find(const struct states *states, const uint64_t *key, uint64_t hash)
{
    size_t mask = states->table_size - 1;
    for (size_t at = hash & mask; states->table[at]; at = (at + 1) & mask) {
        if (states->table[at] >> 32 != hash >> 32)
            continue;
        uint32_t state = (uint32_t)states->table[at] - 1;
        if (same_key(states->keys + (size_t)state * states->word_count, key, states->word_count))
            return state;
    }
    return NO_STATE;
}

static void make_room(struct states *states)
{
    if (states->count >= UINT32_MAX - 2)
        region_fail(states->region);
    if (states->count < states->capacity)
        return;
    /* Many grow by less, as they stay where they are, and by what the limit of memory allows. */
    size_t more = states->capacity < MANY ? states->capacity : states->capacity / 8;
    size_t each = states->word_count * 8 + sizeof *states->parents;
    while (more > states->capacity / 32 && !region_has_room(states->region, more * each))
        more /= 2;
    size_t capacity = states->capacity + more;
    states->keys = region_resize(states->region, states->keys, capacity * states->word_count * 8);
    states->parents =
        region_resize(states->region, states->parents, capacity * sizeof *states->parents);
    states->capacity = capacity;
}

/* A table filled by 60 % is fast; where the limit of memory allows no other, it gets fuller. */
static bool needs_table(const struct states *states)
{
    if (states->count * 5 <= states->table_size * 3)
        return false;
    return region_has_room(states->region, states->table_size * 8) ||
           states->count * 8 > states->table_size * 7;
}

/* Adds a packed key that is not there. */
static uint32_t append(struct states *states, const uint64_t *key, uint64_t hash, uint32_t parent)
{
    make_room(states);
    uint32_t state = (uint32_t)states->count++;
    memcpy(states->keys + (size_t)state * states->word_count, key, states->word_count * 8);
    states->parents[state] = parent;
    if (needs_table(states))
        grow_table(states);
    else
        place(states, hash, state);
    return state;
}

static uint64_t *ring_key(const struct states *states, size_t position)
{
    return states->ring_keys + (position & (STATES_RING - 1)) * states->field_count;
}

/* The key that a table entry stands for is fetched too, before it is compared. */
static void fetch_key(const struct states *states, size_t position)
{
    uint64_t hash = states->ring[position & (STATES_RING - 1)].hash;
    uint64_t entry = states->table[hash & (states->table_size - 1)];
    if (entry >> 32 == hash >> 32 && entry)
        __builtin_prefetch(states->keys + (size_t)((uint32_t)entry - 1) * states->word_count);
}

static void drain_ring(struct states *states, size_t leave)
{
    while (states->ring_count > leave) {
        size_t at = states->ring_first & (STATES_RING - 1);
        const uint64_t *key = ring_key(states, at);
        if (states->ring_count > 8)
            fetch_key(states, states->ring_first + 8);
        if (find(states, key, states->ring[at].hash) == NO_STATE)
            append(states, key, states->ring[at].hash, states->ring[at].parent);
        states->ring_first++;
        states->ring_count--;
    }
}

void states_queue(struct states *states, const uint32_t *values, uint32_t parent)
{
    if (!fits(states, values)) {
        drain_ring(states, 0); /* keys on their way have the old layout */
        widen(states, values);
    }
    if (states->ring_count == STATES_RING)
        drain_ring(states, STATES_RING / 2);
    size_t position = states->ring_first + states->ring_count++;
    uint64_t *key = ring_key(states, position);
    pack(states, values, key);
    uint64_t hash = hash_key(states, key);
    states->ring[position & (STATES_RING - 1)].hash = hash;
    states->ring[position & (STATES_RING - 1)].parent = parent;
    __builtin_prefetch(&states->table[hash & (states->table_size - 1)]);
}

static bool field_fits(const struct states *states, unsigned field, uint32_t value)
{
    return !(value >> (states->fields[field].width - 1) >> 1);
}

static void set_field(const struct states *states, uint64_t *key, unsigned index, uint32_t value)
{
    const struct state_field *field = &states->fields[index];
    uint64_t mask = ((UINT64_C(1) << field->width) - 1) << field->shift;
    key[field->word] = (key[field->word] & ~mask) | (uint64_t)value << field->shift;
}

void states_queue_step(struct states *states, uint32_t parent, unsigned first, uint32_t first_value,
                       unsigned second, uint32_t second_value)
{
    if (!field_fits(states, first, first_value) || !field_fits(states, second, second_value)) {
        uint32_t *values = region_array(states->region, states->field_count, sizeof *values);
        states_get(states, parent, values);
        values[first] = first_value;
        values[second] = second_value;
        states_queue(states, values, parent);
        return;
    }
    if (states->ring_count == STATES_RING)
        drain_ring(states, STATES_RING / 2);
    size_t position = states->ring_first + states->ring_count++;
    uint64_t *key = ring_key(states, position);
    const uint64_t *from = states->keys + (size_t)parent * states->word_count;
    for (unsigned i = 0; i < states->word_count; i++)
        key[i] = from[i];
    set_field(states, key, first, first_value);
    set_field(states, key, second, second_value);
    uint64_t hash = hash_key(states, key);
    states->ring[position & (STATES_RING - 1)].hash = hash;
    states->ring[position & (STATES_RING - 1)].parent = parent;
    __builtin_prefetch(&states->table[hash & (states->table_size - 1)]);
}

bool states_has(struct states *states, uint32_t state)
{
    if (state >= states->count)
        drain_ring(states, 0);
    return state < states->count;
}

uint32_t states_add(struct states *states, const uint32_t *values, uint32_t parent, bool *fresh)
{
    drain_ring(states, 0);
    if (!fits(states, values))
        widen(states, values);
    pack(states, values, states->scratch);
    uint64_t hash = hash_key(states, states->scratch);
    uint32_t state = find(states, states->scratch, hash);
    *fresh = state == NO_STATE;
    return *fresh ? append(states, states->scratch, hash, parent) : state;
}

uint32_t states_find(struct states *states, const uint32_t *values)
{
    drain_ring(states, 0);
    if (!fits(states, values))
        return NO_STATE;
    pack(states, values, states->scratch);
    return find(states, states->scratch, hash_key(states, states->scratch));
}
