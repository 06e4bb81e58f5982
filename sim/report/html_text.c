/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of any origin in HTML and in JSON within HTML. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/report/escape.h"
#include "sim/report/html.h"

/* Characters that would not show as themselves: controls, and marks of writing direction. */
static bool is_hidden(uint32_t character)
{
    return (character < 0x20 && character != '\n' && character != '\t') ||
           (character >= 0x7f && character < 0xa0) || character == 0x61c ||
           (character >= 0x200b && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0xfeff ||
           (character & 0xfffe) == 0xfffe;
}

static const char *html_escape(uint32_t character)
{
    if (is_hidden(character))
        return REPLACEMENT;
    return character == '\'' ? "&#39;" : markup_entity(character);
}

static const char *json_escape(uint32_t character)
{
    switch (character) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    case '<': /* no tag begins within a script element */
        return "\\u003c";
    case '>':
        return "\\u003e";
    case '&':
        return "\\u0026";
    default:
        return is_hidden(character) ? REPLACEMENT : NULL;
    }
}

void text_add_html(struct text *out, const char *text) { text_add_escaped(out, text, html_escape); }

void text_add_json(struct text *out, const char *text)
{
    text_add(out, "\"");
    text_add_escaped(out, text, json_escape);
    text_add(out, "\"");
}

void html_put(struct html *html, const char *markup) { text_add(html->out, markup); }

void html_card(struct html *html, unsigned level, const char *kind, const char *title)
{
    html_printf(html,
                "<section class=\"card%s%s\" aria-label=\"%s\"><h%u class=\"title\">%s</h%u>\n",
                *kind ? " " : "", kind, title, html->depth + level, title, html->depth + level);
}

void html_open_heading(struct html *html)
{
    html_printf(html, "<h%u class=\"part\">", html->depth + 3);
}

void html_close_heading(struct html *html) { html_printf(html, "</h%u>\n", html->depth + 3); }

void html_say(struct html *html, const char *text) { text_add_html(html->out, text); }

void html_printf(struct html *html, const char *format, ...)
{
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    text_add(html->out, buffer);
}

const char *html_value(struct html *html, uint64_t value)
{
    return region_printf(html->out->region, value < 4096 ? "%" PRIu64 : "0x%" PRIx64, value);
}

const char *html_outcome(struct html *html, const struct result *result, const uint64_t *values)
{
    struct text text;
    text_init(&text, html->out->region);
    for (size_t i = 0; i < result->observed_count; i++)
        text_printf(&text, "%s%s=%s", i ? " " : "", result->observed[i]->text,
                    html_value(html, values[i]));
    return text.length ? text.data : "(nothing is observed)";
}

void html_verdict(struct html *html, enum verdict verdict)
{
    static const char *const signs[] = {"&#10003;", "&#10007;", "?"};
    html_printf(html, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
                verdict_name(verdict), signs[verdict], verdict_name(verdict));
}
