/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/explore/memory.h"

#include <string.h>

void memory_init(struct memory *memory, struct region *region, const struct start *start,
                 const struct intern *stores)
{
    *memory = (struct memory){.region = region, .start = start, .stores = stores};
    map_init(&memory->index_of, region);
    map_init(&memory->after_store, region);
    intern_init(&memory->vectors, region);
    intern_add(&memory->vectors, NULL, 0, NULL);
}

static uint32_t add_word(struct memory *memory, uint64_t word_address, uint64_t value)
{
    memory->initial = region_push(memory->region, memory->initial, memory->word_count,
                                  &memory->word_capacity, sizeof *memory->initial);
    memory->word_address = region_push(memory->region, memory->word_address, memory->word_count,
                                       &memory->address_capacity, sizeof *memory->word_address);
    memory->initial[memory->word_count] = value;
    memory->word_address[memory->word_count] = word_address;
    map_add(&memory->index_of, word_address, (uint32_t)memory->word_count);
    return (uint32_t)memory->word_count++;
}

static uint32_t word_index(struct memory *memory, uint64_t word_address)
{
    uint32_t index = map_get(&memory->index_of, word_address);
    if (index != MAP_NONE)
        return index;
    return add_word(memory, word_address, start_word(memory->start, word_address * 8));
}

uint32_t memory_word(struct memory *memory, uint64_t address)
{
    return word_index(memory, address >> 3);
}

void memory_read(struct memory *memory, uint32_t id, uint64_t address, unsigned size, uint8_t *data)
{
    unsigned done = 0;
    while (done < size) {
        uint64_t at = address + done;
        unsigned offset = (unsigned)(at & 7), part = 8 - offset;
        if (part > size - done)
            part = size - done;
        uint64_t value = memory_word_value(memory, id, word_index(memory, at >> 3));
        memcpy(data + done, (const uint8_t *)&value + offset, part);
        done += part;
    }
}

static uint64_t *copy_vector(struct memory *memory, uint32_t id)
{
    if (memory->scratch_capacity < memory->word_count) {
        memory->scratch_capacity = memory->word_count + 64;
        memory->scratch = region_resize(memory->region, memory->scratch,
                                        memory->scratch_capacity * sizeof(uint64_t));
    }
    size_t known = intern_length(&memory->vectors, id) / 8;
    if (known)
        memcpy(memory->scratch, intern_bytes(&memory->vectors, id), known * 8);
    memcpy(memory->scratch + known, memory->initial + known, (memory->word_count - known) * 8);
    return memory->scratch;
}

uint32_t memory_write(struct memory *memory, uint32_t id, uint32_t store_number)
{
    uint64_t key = (uint64_t)id << 32 | store_number;
    uint32_t found = map_get(&memory->after_store, key);
    if (found != MAP_NONE)
        return found;
    const struct store *store = intern_bytes(memory->stores, store_number);
    for (uint64_t word = store->address >> 3; word <= (store->address + store->size - 1) >> 3;
         word++)
        word_index(memory, word);
    uint64_t *words = copy_vector(memory, id);
    for (unsigned byte = 0; byte < store->size; byte++) {
        uint64_t at = store->address + byte;
        uint32_t index = map_get(&memory->index_of, at >> 3);
        ((uint8_t *)&words[index])[at & 7] = store->data[byte];
    }
    size_t length = memory->word_count;
    while (length > 0 && words[length - 1] == memory->initial[length - 1])
        length--;
    found = intern_add(&memory->vectors, words, length * 8, NULL);
    map_add(&memory->after_store, key, found);
    return found;
}

uint32_t memory_copy_line(struct memory *memory, uint32_t id, struct memory *from, uint32_t from_id,
                          uint64_t line)
{
    uint64_t first = line / LINE_BYTES * (LINE_BYTES / 8), values[LINE_BYTES / 8];
    for (unsigned i = 0; i < LINE_BYTES / 8; i++) {
        values[i] = memory_word_value(from, from_id, word_index(from, first + i));
        word_index(memory, first + i);
    }
    uint64_t *words = copy_vector(memory, id);
    for (unsigned i = 0; i < LINE_BYTES / 8; i++)
        words[map_get(&memory->index_of, first + i)] = values[i];
    size_t length = memory->word_count;
    while (length > 0 && words[length - 1] == memory->initial[length - 1])
        length--;
    return intern_add(&memory->vectors, words, length * 8, NULL);
}
