/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problems as SARIF 2.1.0, as far as code scanning services read it: a rule for each kind with
 * its help, a result for each problem at its line, the witness as a code flow. All text is
 * made before the first JSON value, so that nothing leaks when memory runs out.
 */
#include <string.h>

#include "sim/report/json_cost.h"
#include "sim/report/problems.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

struct flow_step {
    struct location location;
    const char *text;
    uint32_t cpu;
};

struct sarif_result {
    const struct problem *problem;
    struct location location; /* with a URI for a file; NULL: of no file */
    const char *text, *fingerprint;
    size_t rule; /* index into the rules */
    struct flow_step *steps;
    size_t step_count;
};

struct sarif {
    const struct rule **rules;
    size_t rule_count;
    struct sarif_result *results;
    size_t result_count;
};

/* ---- text ---- */

/* A relative reference, from the folder where the program runs; "file://..." for a whole path. */
static const char *uri_of(struct region *region, const char *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    struct text text;
    text_init(&text, region);
    while (file[0] == '.' && file[1] == '/')
        for (file += 2; *file == '/';)
            file++;
    text_add(&text, file[0] == '/' ? "file://" : "");
    for (; *file; file++)
        text_printf(&text, strchr(plain, *file) ? "%c" : "%%%02X", (unsigned char)*file);
    return text.data;
}

static struct location with_uri(struct region *region, struct location location)
{
    location.file = location.file[0] ? uri_of(region, location.file) : NULL;
    return location;
}

/* FNV-1a, 64 bits: a name for equal text, on every machine and in every version. */
static uint64_t hash(uint64_t state, const char *string)
{
    do
        state = (state ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
    while (*string++);
    return state;
}

/* What stays when lines move: file, rule and subject; how many equal ones came before. */
static const char *fingerprint(struct region *region, const struct problem_list *list, size_t index)
{
    const struct problem *problem = &list->items[index];
    size_t before = 0;
    for (size_t i = index; i-- > 0 && strcmp(list->items[i].file, problem->file) == 0;)
        before += list->items[i].rule == problem->rule &&
                  strcmp(list->items[i].subject, problem->subject) == 0;
    uint64_t state = hash(UINT64_C(0xcbf29ce484222325), problem->file);
    state = hash(hash(state, problem->rule->id), problem->subject);
    return region_printf(region, "%016llx:%zu", (unsigned long long)state, before + 1);
}

static void take_steps(struct region *region, struct sarif_result *result)
{
    const struct problem *problem = result->problem;
    const struct witness *witness = problem->witness->witness;
    result->steps = region_array(region, witness->count + 1, sizeof *result->steps);
    for (size_t i = 0; i < witness->count; i++)
        if (is_telling(&witness->steps[i]))
            result->steps[result->step_count++] = (struct flow_step){
                with_uri(region, step_location(region, problem->result, witness, i)),
                step_sentence(region, problem->result, &witness->steps[i]), witness->steps[i].cpu};
    const char *ending = ending_sentence(region, problem->result, problem->witness);
    if (ending[0])
        result->steps[result->step_count++] = (struct flow_step){result->location, ending, 0};
}

static size_t index_of(const struct sarif *sarif, const struct rule *rule)
{
    size_t index = 0;
    while (sarif->rules[index] != rule)
        index++;
    return index;
}

static struct sarif prepare(struct region *region, const struct report_view *view)
{
    size_t finding_rules, others;
    const struct rule *first = rules(&finding_rules), *second = verdict_rules(&others);
    struct problem_list *list = region_alloc(region, sizeof *list);
    struct sarif sarif = {.rule_count = finding_rules + others};
    *list = problems_of(region, view);
    sarif.rules = region_array(region, sarif.rule_count, sizeof *sarif.rules);
    for (size_t i = 0; i < sarif.rule_count; i++)
        sarif.rules[i] = i < finding_rules ? &first[i] : &second[i - finding_rules];
    sarif.results = region_array(region, list->count + 1, sizeof *sarif.results);
    for (size_t i = 0; i < list->count; i++) {
        const struct problem *problem = &list->items[i];
        struct sarif_result *result = &sarif.results[sarif.result_count++];
        result->problem = problem;
        result->rule = index_of(&sarif, problem->rule);
        result->location = with_uri(region, problem_location(problem));
        result->fingerprint = fingerprint(region, list, i);
        result->text = problem->runs[0]
                           ? region_printf(region, "%s (on %s)", problem->message, problem->runs)
                           : problem->message;
        if (problem->witness)
            take_steps(region, result);
    }
    return sarif;
}

/* ---- JSON ---- */

static json_t *message_json(const char *text)
{
    json_t *object = json_object();
    json_put(&object, "text", json_text(text));
    return object;
}

static json_t *rule_json(const struct rule *rule)
{
    json_t *object = json_object(), *configuration = json_object(), *properties = json_object();
    json_t *tags = json_array(), *help = message_json(rule->help);
    json_put(&configuration, "level", json_string(rule_level_name(rule->level)));
    json_add(&tags, json_string("memory-ordering"));
    json_put(&properties, "tags", tags);
    json_put(&properties, "precision", json_string("very-high"));
    json_put(&help, "markdown", json_text(rule->help));
    json_put(&object, "id", json_string(rule->id));
    json_put(&object, "shortDescription", message_json(rule->summary));
    json_put(&object, "fullDescription", message_json(rule->advice));
    json_put(&object, "help", help);
    json_put(&object, "defaultConfiguration", configuration);
    json_put(&object, "properties", properties);
    return object;
}

static json_t *driver_json(const struct sarif *sarif)
{
    json_t *driver = json_object(), *array = json_array();
    json_put(&driver, "name", json_string("fencesim"));
    json_put(&driver, "version", json_string(FS_VERSION));
    json_put(&driver, "semanticVersion", json_string(FS_VERSION));
    for (size_t i = 0; i < sarif->rule_count; i++)
        json_add(&array, rule_json(sarif->rules[i]));
    json_put(&driver, "rules", array);
    return driver;
}

/* Services want a line: the first, where none is known. */
static json_t *location_json(struct location at, const char *text)
{
    struct place place = at.place;
    json_t *location = json_object(), *physical = json_object(), *artifact = json_object();
    json_t *region = json_object();
    json_put(&artifact, "uri", json_text(at.file));
    json_put(&region, "startLine", json_integer(place.line ? place.line : 1));
    if (place.line && place.column)
        json_put(&region, "startColumn", json_integer(place.column));
    json_put(&physical, "artifactLocation", artifact);
    json_put(&physical, "region", region);
    json_put(&location, "physicalLocation", physical);
    if (text)
        json_put(&location, "message", message_json(text));
    return location;
}

static json_t *flows_json(const struct sarif_result *result)
{
    json_t *flows = json_array(), *flow = json_object(), *threads = json_array();
    json_t *thread = json_object(), *locations = json_array();
    for (size_t i = 0; i < result->step_count; i++) {
        const struct flow_step *step = &result->steps[i];
        json_t *entry = json_object();
        json_put(&entry, "location", location_json(step->location, step->text));
        json_put(&entry, "nestingLevel", json_integer(step->cpu));
        json_put(&entry, "executionOrder", json_integer((json_int_t)i + 1));
        json_add(&locations, entry);
    }
    json_put(&thread, "locations", locations);
    json_add(&threads, thread);
    json_put(&flow, "threadFlows", threads);
    json_add(&flows, flow);
    return flows;
}

static json_t *result_json(const struct sarif_result *result)
{
    const struct problem *problem = result->problem;
    json_t *object = json_object(), *locations = json_array(), *prints = json_object();
    json_put(&object, "ruleId", json_string(problem->rule->id));
    json_put(&object, "ruleIndex", json_integer((json_int_t)result->rule));
    json_put(&object, "level", json_string(rule_level_name(problem->level)));
    json_put(&object, "message", message_json(result->text));
    json_add(&locations, location_json(result->location, NULL));
    json_put(&object, "locations", locations);
    json_put(&prints, "fencesim/v1", json_string(result->fingerprint));
    json_put(&object, "partialFingerprints", prints);
    if (result->step_count)
        json_put(&object, "codeFlows", flows_json(result));
    return object;
}

/* Problems of no file are told as the run's own. */
static json_t *invocation_json(const struct sarif *sarif)
{
    json_t *invocation = json_object(), *notifications = json_array();
    bool successful = true;
    for (size_t i = 0; i < sarif->result_count; i++) {
        const struct sarif_result *result = &sarif->results[i];
        successful = successful && strcmp(result->problem->rule->id, "bad-input") != 0;
        if (result->location.file)
            continue;
        json_t *notification = json_object();
        json_put(&notification, "level", json_string("error"));
        json_put(&notification, "message", message_json(result->text));
        json_add(&notifications, notification);
    }
    json_put(&invocation, "executionSuccessful", json_boolean(successful));
    json_put(&invocation, "toolConfigurationNotifications", notifications);
    return invocation;
}

static json_t *run_json(const struct sarif *sarif)
{
    json_t *run = json_object(), *tool = json_object(), *results = json_array();
    json_t *invocations = json_array();
    json_put(&tool, "driver", driver_json(sarif));
    json_put(&run, "tool", tool);
    json_add(&invocations, invocation_json(sarif));
    json_put(&run, "invocations", invocations);
    json_put(&run, "columnKind", json_string("unicodeCodePoints"));
    for (size_t i = 0; i < sarif->result_count; i++)
        if (sarif->results[i].location.file)
            json_add(&results, result_json(&sarif->results[i]));
    json_put(&run, "results", results);
    return run;
}

void write_sarif(struct text *out, const struct report_view *view)
{
    struct sarif sarif = prepare(out->region, view);
    char **holder = json_text_holder(out->region);
    json_t *root = json_object(), *runs = json_array();
    json_put(&root, "$schema", json_string(SCHEMA));
    json_put(&root, "version", json_string("2.1.0"));
    json_add(&runs, run_json(&sarif));
    json_put(&root, "runs", runs);
    if (!json_write(out, holder, root))
        region_fail(out->region);
}
