/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of any origin in HTML and in JSON within HTML. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/report/html.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/*
 * The length of the UTF-8 sequence at `text`, 0 when it is malformed (cut short, longer than
 * needed, a surrogate, above U+10FFFF); `*character` is what it stands for.
 */
static size_t sequence(const char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80                       ? 1
                    : bytes[0] >= 0xc2 && bytes[0] < 0xe0 ? 2
                    : bytes[0] >= 0xe0 && bytes[0] < 0xf0 ? 3
                    : bytes[0] >= 0xf0 && bytes[0] < 0xf5 ? 4
                                                          : 0;
    if (length == 0)
        return 0;
    *character = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = *character >= 0xd800 && *character < 0xe000;
    return *character < least[length] || is_surrogate || *character > 0x10ffff ? 0 : length;
}

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

typedef const char *escape(uint32_t character);

static void add_escaped(struct text *out, const char *text, escape *escaped)
{
    while (*text) {
        uint32_t character = 0;
        size_t length = sequence(text, &character);
        if (length == 0 || is_hidden(character)) {
            text_add(out, replacement);
            text += length ? length : 1;
            continue;
        }
        const char *instead = escaped(character);
        if (instead)
            text_add(out, instead);
        else
            text_add_bytes(out, text, length);
        text += length;
    }
}

static const char *html_escape(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
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
        return NULL;
    }
}

void text_add_html(struct text *out, const char *text) { add_escaped(out, text, html_escape); }

void text_add_json(struct text *out, const char *text)
{
    text_add(out, "\"");
    add_escaped(out, text, json_escape);
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
