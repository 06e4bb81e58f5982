/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The relations of a witness in JSON. Each function returns NULL when memory ran out. */
#include "sim/report/json_cost.h"

static json_t *text_or_null(const char *text) { return text ? json_text(text) : json_null(); }

static json_t *event_json(const struct result *result, const struct event *event)
{
    json_t *object = json_object();
    json_put(&object, "kind", json_string(event_kind_name(event->kind)));
    json_put(&object, "label", json_text(event->label));
    if (event->cpu != NO_CPU) {
        json_put(&object, "cpu", json_text(result->program->cpus[event->cpu].name));
        json_put(&object, "offset", event->has_insn ? json_integer(event->offset) : json_null());
        json_put(&object, "text", json_text(event->text));
        json_put(&object, "step", json_integer(event->step));
        json_put(&object, "performed",
                 event->pending ? json_null() : json_integer(event->performed));
    }
    if (event->size) {
        json_put(&object, "place", json_text(event->place));
        json_put(&object, "size", json_integer(event->size));
    }
    if (event->reads)
        json_put(&object, "read", text_or_null(event->value_read));
    if (event->writes)
        json_put(&object, "written", text_or_null(event->value_written));
    if (event->reads)
        json_put(&object, "forwarded", json_boolean(event->forwarded));
    return object;
}

static json_t *edge_json(const struct edge *edge)
{
    json_t *object = json_object();
    json_put(&object, "relation", json_string(relation_name(edge->relation)));
    json_put(&object, "from", json_integer(edge->from));
    json_put(&object, "to", json_integer(edge->to));
    if (edge->name)
        json_put(&object, "name", json_text(edge->name));
    json_put(&object, "in_cycle", json_boolean(edge->in_cycle));
    json_put(&object, "relaxed", json_boolean(edge->relaxed));
    return object;
}

json_t *json_relations(const struct result *result, const struct relations *relations)
{
    json_t *object = json_object(), *events = json_array();
    json_t *edges = json_array(), *cycle = json_array();
    for (size_t i = 0; i < relations->event_count; i++)
        json_add(&events, event_json(result, &relations->events[i]));
    for (size_t i = 0; i < relations->edge_count; i++)
        json_add(&edges, edge_json(&relations->edges[i]));
    for (size_t i = 0; i < relations->cycle_count; i++)
        json_add(&cycle, edge_json(&relations->cycle[i]));
    json_put(&object, "events", events);
    json_put(&object, "edges", edges);
    json_put(&object, "cycle", cycle);
    if (relations->problem)
        json_put(&object, "problem", json_text(relations->problem));
    return object;
}

json_t *json_fence_places(const struct result *result, const struct result_witness *witness)
{
    json_t *array = json_array();
    for (size_t i = 0; i < witness->forbidden_by_count; i++) {
        const struct fence_place *place = &witness->forbidden_by[i];
        json_t *object = json_object(), *fences = json_array();
        for (size_t n = 0; n < 2 && place->fences[n]; n++)
            json_add(&fences, json_string(place->fences[n]));
        json_put(&object, "fences", fences);
        json_put(&object, "cpu", json_text(result->program->cpus[place->cpu].name));
        json_put(&object, "before", json_integer(place->offset));
        json_put(&object, "text", json_text(place->text));
        json_add(&array, object);
    }
    return array;
}
