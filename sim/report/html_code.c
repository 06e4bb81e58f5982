/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of all CPUs side by side, slots marked. */
#include <string.h>

#include "sim/isa/insn.h"
#include "sim/report/html.h"

static const char *slot_at(const struct snippet *snippet, uint32_t offset)
{
    for (size_t i = 0; i < snippet->slot_count; i++)
        if (offset >= snippet->slots[i].start && offset < snippet->slots[i].end)
            return snippet->slots[i].slot;
    return NULL;
}

static unsigned line_at(const struct snippet *snippet, uint32_t offset)
{
    unsigned line = 0;
    for (size_t i = 0; i < snippet->line_count && snippet->lines[i].offset <= offset; i++)
        line = snippet->lines[i].place.line;
    return line;
}

/* Where an instruction comes from: the line that was compiled, else its line in the trace. */
static void add_where(struct html *html, const struct snippet *snippet, uint32_t offset)
{
    const char *source = snippet_source(snippet, offset);
    unsigned line = line_at(snippet, offset);
    html_put(html, "<td class=\"quiet\">");
    if (source)
        html_say(html, source);
    else if (line)
        html_printf(html, "line %u", line);
    html_put(html, "</td>");
}

/* "1: retry: " in front of the instruction that they are the labels of. */
static void add_labels(struct html *html, const struct snippet *snippet, uint32_t offset)
{
    for (size_t i = 0; i < snippet->label_count && snippet->labels[i].offset <= offset; i++) {
        if (snippet->labels[i].offset != offset)
            continue;
        html_say(html, snippet->labels[i].name);
        html_put(html, ": ");
    }
}

static void add_insn(struct html *html, const struct snippet *snippet, uint32_t offset,
                     const char *text)
{
    const char *slot = slot_at(snippet, offset);
    html_printf(html, "<tr%s><td class=\"quiet\">+%u</td><td><code>",
                slot ? " class=\"in-slot\"" : "", offset);
    add_labels(html, snippet, offset);
    html_say(html, text);
    html_put(html, "</code>");
    if (slot) {
        html_put(html, " <span class=\"slot\">");
        html_say(html, slot);
        html_put(html, "</span>");
    }
    html_put(html, "</td>");
    add_where(html, snippet, offset);
    html_put(html, "</tr>\n");
}

static void add_insns(struct html *html, const struct program *program,
                      const struct snippet *snippet)
{
    struct code code;
    struct region *scratch = region_child(html->out->region);
    uint32_t offset = 0, count = 0;
    code_init(&code, scratch, snippet);
    code.program = program;
    while (offset < snippet->size && count < HTML_CODE_INSNS) {
        const struct insn *insn = code_at(&code, snippet->address + offset);
        add_insn(html, snippet, offset, insn ? insn->text : "(bytes that do not decode)");
        if (!insn)
            break;
        offset += insn->length;
        count++;
    }
    if (count == HTML_CODE_INSNS)
        html_put(html, "<tr><td></td><td>The rest is not shown.</td><td></td></tr>\n");
    region_release(scratch);
}

static void add_snippet(struct html *html, const struct program *program,
                        const struct snippet *snippet, const char *cpu, const char *what)
{
    html_put(html, "<table class=\"code\"><caption><b>");
    html_say(html, cpu);
    html_put(html, "</b> ");
    html_say(html, what);
    html_put(html, "</caption><thead class=\"hidden\"><tr><th scope=\"col\">offset</th><th "
                   "scope=\"col\">instruction</th><th scope=\"col\">where</th></tr></thead>"
                   "<tbody>\n");
    if (snippet->size == 0)
        html_put(html, "<tr><td></td><td class=\"quiet\">nothing</td><td></td></tr>\n");
    add_insns(html, program, snippet);
    html_put(html, "</tbody></table>\n");
}

static void add_cpu(struct html *html, const struct result *result, uint32_t cpu)
{
    const struct program *program = result->program;
    const struct variant *variant = &program->variants[result->variant];
    const char *name = program->cpus[cpu].name;
    html_put(html, "<div class=\"cpu\">\n");
    if (variant->setup[cpu] && variant->setup[cpu]->size)
        add_snippet(html, program, variant->setup[cpu], name, "before the start, alone");
    add_snippet(html, program, variant->code[cpu], name,
                program->cpus[cpu].agent == AGENT_DEVICE ? "a device" : "");
    for (size_t i = 0; i < program->handler_count; i++)
        if (program->handlers[i].cpu == cpu)
            add_snippet(html, program, variant->handlers[i], name,
                        region_printf(html->out->region, "handler of vector 0x%x",
                                      program->handlers[i].vector));
    html_put(html, "</div>\n");
}

static void add_memory(struct html *html, const struct program *program)
{
    static const char *const types[] = {"", "wt", "wp", "wc", "uc"};
    if (program->object_count == 0)
        return;
    html_put(html, "<p class=\"objects\"><b>Memory</b>");
    for (size_t i = 0; i < program->object_count && i < HTML_OUTCOMES; i++) {
        const struct object *object = &program->objects[i];
        html_put(html, " <span class=\"chip\">");
        html_say(html, object->name);
        html_printf(html, " <span class=\"quiet\">%llu byte%s", (unsigned long long)object->size,
                    object->size == 1 ? "" : "s");
        if (object->type != MEMORY_WB)
            html_printf(html, ", %s", types[object->type]);
        html_put(html, object->persistent ? ", persistent</span></span>" : "</span></span>");
    }
    if (program->object_count > HTML_OUTCOMES)
        html_put(html, " and more");
    html_put(html, "</p>\n");
}

void html_code(struct html *html, const struct result *result)
{
    html_card(html, 2, "", "Code");
    html_put(html, "<div class=\"scroll\" "
                   "role=\"region\" aria-label=\"Code of all CPUs\" tabindex=\"0\"><div "
                   "class=\"cpus\">\n");
    for (uint32_t cpu = 0; cpu < result->program->cpu_count; cpu++)
        add_cpu(html, result, cpu);
    html_put(html, "</div></div>\n");
    add_memory(html, result->program);
    html_put(html, "</section>\n");
}
