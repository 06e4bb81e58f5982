/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles and rules as JSON. */
#include "sim/report/json_cost.h"

static json_t *parameter_json(const struct parameter_row *row)
{
    json_t *entry = json_object();
    json_put(&entry, "section", json_text(row->section));
    json_put(&entry, "name", json_text(row->name));
    json_put(&entry, "value", json_real(row->value));
    json_put(&entry, "unit", json_text(row->unit));
    json_put(&entry, "meaning", json_text(row->meaning));
    json_put(&entry, "estimate", json_boolean(row->estimate));
    json_put(&entry, "source", json_text(row->source ? row->source : ""));
    json_put(&entry, "given_by", json_text(row->profile));
    return entry;
}

static json_t *profile_json(const struct profile *profile, bool with_numbers)
{
    json_t *object = json_object(), *rows = json_array();
    json_put(&object, "name", json_text(profile->name));
    json_put(&object, "about", json_text(profile->about));
    json_put(&object, "vendor", json_text(profile->vendor));
    json_put(&object, "model", json_text(profile->model));
    json_put(&object, "cycles", json_boolean(profile->has_cycles));
    for (size_t i = 0; with_numbers && i < profile->row_count; i++)
        if (profile->rows[i].given)
            json_add(&rows, parameter_json(&profile->rows[i]));
    if (with_numbers)
        json_put(&object, "parameters", rows);
    else
        json_decref(rows);
    return object;
}

bool write_profiles_json(struct text *out, const struct profile *const *profiles, size_t count,
                         bool with_numbers)
{
    char **holder = json_text_holder(out->region);
    json_t *root = json_object(), *array = json_array();
    json_put(&root, "schema_version", json_integer(SCHEMA_VERSION));
    for (size_t i = 0; i < count; i++)
        json_add(&array, profile_json(profiles[i], with_numbers));
    json_put(&root, "profiles", array);
    return json_write(out, holder, root);
}

static void put_rules(json_t **root, const char *key, const struct rule *rules, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        json_put(&object, "rule", json_text(rules[i].id));
        json_put(&object, "level", json_text(rule_level_name(rules[i].level)));
        json_put(&object, "summary", json_text(rules[i].summary));
        json_put(&object, "advice", json_text(rules[i].advice));
        json_put(&object, "help", json_text(rules[i].help));
        json_add(&array, object);
    }
    json_put(root, key, array);
}

bool write_rules_json(struct text *out, const struct rule_lists *lists)
{
    char **holder = json_text_holder(out->region);
    json_t *root = json_object();
    json_put(&root, "schema_version", json_integer(SCHEMA_VERSION));
    if (lists->rules)
        put_rules(&root, "rules", lists->rules, lists->rule_count);
    if (lists->verdicts)
        put_rules(&root, "verdicts", lists->verdicts, lists->verdict_count);
    if (lists->stalls)
        put_rules(&root, "stalls", lists->stalls, lists->stall_count);
    return json_write(out, holder, root);
}
