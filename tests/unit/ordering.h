/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small programs asked whether an outcome can happen, on a profile with parameters changed. */
#ifndef FENCESIM_TESTS_UNIT_ORDERING_H_
#define FENCESIM_TESTS_UNIT_ORDERING_H_

#include "tests/unit/exploring.h"

/* Rows of tables leave out what they do not need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct ask {
    const char *name;    /* with what hardware showed, where that is known */
    const char *memory;  /* lines "  x: {size: 4}\n"; NULL: x and y, 4 bytes each */
    const char *cpus[4]; /* Intel syntax */
    const char *asked;   /* a condition; of images when `of_images` */
    const char *more;    /* further keys of the trace; NULL: none */
    bool of_images;
};

/* Order parameters that differ from the profile's: pairs, ended by NULL. */
struct change {
    const char *parameter;
    double value;
};

static inline void ordering_text(char *text, size_t size, const struct ask *ask)
{
    FILE *out = fmemopen(text, size, "w");
    if (!out)
        abort();
    fprintf(out, "trace: 1\nname: t\nmemory:\n%scpus:\n",
            ask->memory ? ask->memory : "  x: {size: 4}\n  y: {size: 4}\n");
    for (int cpu = 0; cpu < 4 && ask->cpus[cpu]; cpu++) {
        fprintf(out, "  - asm: |\n      ");
        for (const char *c = ask->cpus[cpu]; *c; c++)
            if (*c == ';')
                fprintf(out, "\n      ");
            else
                fputc(*c, out);
        fputc('\n', out);
    }
    fprintf(out, "%sexpect:\n  - sometimes: %s\n", ask->more ? ask->more : "", ask->asked);
    if (fclose(out))
        abort();
}

static inline void ordering_change(struct order_parameters *order, const struct change *changes)
{
    for (; changes && changes->parameter; changes++) {
        bool known = false;
#define PARAMETER(field, unit, meaning)                                                            \
    if (strcmp(changes->parameter, #field) == 0) {                                                 \
        order->field = changes->value;                                                             \
        known = true;                                                                              \
    }
#include "models/order_parameters.def"
#undef PARAMETER
        CU_ASSERT_TRUE_FATAL(known);
    }
}

/* The exploration of a program; the caller looks at it and closes `e`. */
static inline struct exploration *ordering_explore(struct exploring *e, const struct ask *ask,
                                                   const char *profile,
                                                   const struct change *changes)
{
    static char text[8192];
    struct explore_options options = {.reduce = true};
    ordering_text(text, sizeof text, ask);
    exploring_open(e, text, profile);
    ordering_change(&e->own.order, changes);
    e->profile = &e->own;
    return exploring_run(e, e->own.model, &options);
}

static inline bool ordering_allows(const struct ask *ask, const char *profile,
                                   const struct change *changes)
{
    struct exploring e;
    struct exploration *found = ordering_explore(&e, ask, profile, changes);
    const struct condition *condition = e.reading.program->expectations[0].condition;
    bool allowed = exploring_finds(&e, found, 0);
    if (!found->complete)
        printf("%s: not complete\n", ask->name);
    CU_ASSERT_TRUE(found->complete);
    if (ask->of_images)
        allowed = false;
    for (size_t i = 0; ask->of_images && i < found->image_count; i++)
        allowed = allowed || exploring_value(condition, found->images[i].values, NULL);
    exploring_close(&e);
    return allowed;
}

/* Checks one answer, and says which when it is wrong. */
static inline void ordering_expect(const struct ask *ask, const char *profile,
                                   const struct change *changes, bool allowed)
{
    bool is = ordering_allows(ask, profile, changes);
    if (is != allowed)
        printf("%s on %s%s%s: %s\n", ask->name, profile, changes ? " with " : "",
               changes ? changes->parameter : "", is ? "allowed" : "forbidden");
    CU_ASSERT_EQUAL(is, allowed);
}

#endif
