/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory contents of a timed run. */
#include "sim/time/image.h"

#include <string.h>

enum { DIRECTORY_ENTRIES = 1024 }; /* 1024 x 1024 pages of 4 KiB: 4 GiB */

void image_init(struct image *image, struct region *region, const struct program *program)
{
    *image = (struct image){.region = region, .program = program, .last_number = UINT64_MAX};
    image->directory = region_array(region, DIRECTORY_ENTRIES, sizeof *image->directory);
}

static bool in_a_stack(const struct program *program, uint64_t address, uint64_t size)
{
    return address >= STACK_BASE && address - STACK_BASE < program->cpu_count * STACK_BYTES &&
           address - STACK_BASE + size <= program->cpu_count * STACK_BYTES;
}

/* Copies what an object has in this page and notes where its lines are at the start. */
static void fill_from(struct page *page, uint64_t start, const struct object *object)
{
    uint64_t low = object->address > start ? object->address : start;
    uint64_t high = object->address + object->size;
    if (high > start + PAGE_BYTES) {
        high = start + PAGE_BYTES;
    }
    if (low >= high || object->parent != NO_INDEX) {
        return;
    }
    uint64_t from = low - object->address;
    if (object->init != NULL && from < object->init_size) {
        uint64_t count = high - low;
        count = count < object->init_size - from ? count : object->init_size - from;
        memcpy(page->bytes + (low - start), object->init + from, count);
    }
    for (uint64_t line = (low - start) / LINE_BYTES; line <= (high - 1 - start) / LINE_BYTES;
         line++) {
        page->home[line] = (uint8_t)object->resident;
    }
    page->whole = page->whole || (low == start && high == start + PAGE_BYTES);
}

static struct page *make_page(struct image *image, uint64_t number)
{
    struct page *page = region_alloc(image->region, sizeof *page);
    uint64_t start = number * PAGE_BYTES;
    page->whole = in_a_stack(image->program, start, PAGE_BYTES);
    for (size_t i = 0; i < image->program->object_count && start < STACK_BASE; i++) {
        fill_from(page, start, &image->program->objects[i]);
    }
    return page;
}

struct page *image_page(struct image *image, uint64_t address)
{
    uint64_t number = address / PAGE_BYTES;
    if (number == image->last_number) {
        return image->last;
    }
    if (number >= (uint64_t)DIRECTORY_ENTRIES * DIRECTORY_ENTRIES) {
        return NULL;
    }
    struct page ***slot = &image->directory[number / DIRECTORY_ENTRIES];
    if (*slot == NULL) {
        *slot = region_array(image->region, DIRECTORY_ENTRIES, sizeof **slot);
    }
    struct page **page = &(*slot)[number % DIRECTORY_ENTRIES];
    if (*page == NULL) {
        *page = make_page(image, number);
    }
    image->last = *page;
    image->last_number = number;
    return *page;
}

bool image_covers(struct image *image, uint64_t address, unsigned size)
{
    if (size == 0 || address >= UINT64_C(1) << 31) {
        return size == 0;
    }
    if (address < OBJECT_BASE) {
        return false; /* code and the null page: do not make pages for them */
    }
    struct page *page = image_page(image, address);
    if (page->whole && address % PAGE_BYTES + size <= PAGE_BYTES) {
        return true;
    }
    return in_a_stack(image->program, address, size) ||
           program_object_at(image->program, address, size) != NO_INDEX;
}

void image_read(struct image *image, uint64_t address, unsigned size, uint8_t *data)
{
    unsigned offset = (unsigned)(address % PAGE_BYTES);
    unsigned here = size < PAGE_BYTES - offset ? size : PAGE_BYTES - offset;
    const struct page *page = image_page(image, address);
    if (page == NULL) {
        memset(data, 0, size);
        return;
    }
    memcpy(data, page->bytes + offset, here);
    if (here < size) {
        image_read(image, address + here, size - here, data + here);
    }
}

/* Its bit of `modified`, which a write-back of everything has cleared. */
static uint64_t *modified_bits(struct image *image, struct page *page)
{
    if (page->writebacks != image->writebacks) {
        page->writebacks = image->writebacks;
        page->modified = 0;
    }
    return &page->modified;
}

static void note_modified(struct image *image, struct page *page, unsigned offset)
{
    uint64_t *bits = modified_bits(image, page), bit = UINT64_C(1) << offset / LINE_BYTES;
    image->modified_lines += (*bits & bit) == 0;
    *bits |= bit;
}

void image_clean(struct image *image, uint64_t line)
{
    struct page *page = image_page(image, line * LINE_BYTES);
    if (page == NULL) {
        return;
    }
    uint64_t *bits = modified_bits(image, page), bit = UINT64_C(1) << line % PAGE_LINES;
    image->modified_lines -= (*bits & bit) != 0;
    *bits &= ~bit;
}

uint64_t image_clean_all(struct image *image)
{
    uint64_t lines = image->modified_lines;
    image->modified_lines = 0;
    image->writebacks++;
    return lines;
}

void image_write(struct image *image, uint64_t address, unsigned size, const uint8_t *data)
{
    unsigned offset = (unsigned)(address % PAGE_BYTES);
    unsigned here = size < PAGE_BYTES - offset ? size : PAGE_BYTES - offset;
    struct page *page = image_page(image, address);
    if (page == NULL) {
        return;
    }
    memcpy(page->bytes + offset, data, here);
    note_modified(image, page, offset);
    note_modified(image, page, offset + here - 1);
    if (here < size) {
        image_write(image, address + here, size - here, data + here);
    }
}
