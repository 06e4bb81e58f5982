/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What memory holds during a timed run: 4 KiB pages that are made from the program's
 * objects and stacks on first touch, so that a 64 MiB buffer costs only what is used of it.
 */
#ifndef FENCESIM_SIM_TIME_IMAGE_H_
#define FENCESIM_SIM_TIME_IMAGE_H_

#include "sim/program/program.h"

enum { PAGE_BYTES = 4096, PAGE_LINES = PAGE_BYTES / LINE_BYTES };

struct line_state;

struct page {
    uint8_t bytes[PAGE_BYTES];
    struct line_state *lines;     /* of several CPUs: PAGE_LINES; NULL so far */
    bool whole;                   /* one object or stack covers all of it */
    uint8_t home[PAGE_LINES];     /* enum residency at the start, of each line */
    uint32_t fetched[PAGE_LINES]; /* when the line last came into the shared cache, 0 never */
    uint64_t modified;            /* a bit for each line that memory does not have yet ... */
    uint32_t writebacks;          /* ... as of this write-back of everything */
};

struct image {
    struct region *region;
    const struct program *program;
    struct page ***directory; /* two levels of DIRECTORY_ENTRIES */
    struct page *last;        /* most recent page, for speed */
    uint64_t last_number;
    uint64_t modified_lines; /* in all pages */
    uint32_t writebacks;     /* of everything, so far */
};

void image_init(struct image *image, struct region *region, const struct program *program);

/* The page around `address`; NULL outside of the 2 GiB that programs may use. */
struct page *image_page(struct image *image, uint64_t address);

/* Whether objects or stacks cover [address, address + size). */
bool image_covers(struct image *image, uint64_t address, unsigned size);

/* Read and write any covered range. */
void image_read(struct image *image, uint64_t address, unsigned size, uint8_t *data);
void image_write(struct image *image, uint64_t address, unsigned size, const uint8_t *data);

/* A line was written back; everything was: how many lines that were. */
void image_clean(struct image *image, uint64_t line);
uint64_t image_clean_all(struct image *image);

#endif
