/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of a witness, and the names of what is in it. */
#include "sim/relations/relations.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/relations/internal.h"

const char *relation_name(enum relation relation)
{
    static const char *const names[] = {"none", "po", "rf", "co", "fr", "fence", "ipi"};
    return names[relation];
}

const char *event_kind_name(enum event_kind kind)
{
    static const char *const names[] = {"init", "R", "W", "RMW", "F", "IPI", "interrupt"};
    return names[kind];
}

/* Numbers below 4096 in decimal, others in hexadecimal. */
static const char *label_of(struct region *region, const struct event *event)
{
    const char *kind = event_kind_name(event->kind);
    switch (event->kind) {
    case EVENT_FENCE:
        return event->name;
    case EVENT_SEND:
    case EVENT_TAKE:
        return region_printf(region, "%s %s", kind, event->name);
    case EVENT_UPDATE:
        return region_printf(region, "%s %s=%s->%s", kind, event->place, event->value_read,
                             event->value_written);
    default:
        break;
    }
    const char *value = event->reads ? event->value_read : event->value_written;
    return value ? region_printf(region, "%s %s=%s", kind, event->place, value)
                 : region_printf(region, "%s %s", kind, event->place);
}

static void name_event(struct region *region, struct event *event)
{
    bool has_value = event->size && event->size <= sizeof event->read;
    if (has_value && event->reads)
        event->value_read = bytes_text(region, event->read, event->size);
    if (has_value && event->writes)
        event->value_written = bytes_text(region, event->written, event->size);
    event->label = label_of(region, event);
}

struct relations *relations_new(struct region *region, const struct program *program,
                                const struct profile *profile, const struct witness *witness)
{
    struct relations *relations = region_alloc(region, sizeof *relations);
    struct drafts drafts = {.region = region, .program = program};
    if (!collect_events(&drafts, profile, witness))
        relations->problem = "the execution has too many events to be related";
    else if (!sources_agree(&drafts))
        relations->problem = "where a load got its value from could not be told";
    if (relations->problem)
        return relations;
    relate_events(relations, &drafts);
    find_cycle(relations, &drafts);
    for (size_t i = 0; i < relations->event_count; i++)
        name_event(region, &relations->events[i]);
    return relations;
}

const struct edge *relaxed_edge(const struct relations *relations)
{
    for (size_t i = 0; i < relations->cycle_count; i++)
        if (relations->cycle[i].relaxed)
            return &relations->cycle[i];
    return NULL;
}
