/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written of a session: its report in one of the formats, a baseline. */
#include "sim/api/session.h"
#include "sim/report/report.h"

static const struct format {
    const char *name;
    report_writer *write;
} formats[] = {
    [FS_FORMAT_TEXT] = {"text", write_text},    [FS_FORMAT_JSON] = {"json", write_json},
    [FS_FORMAT_HERD] = {"herd", write_herd},    [FS_FORMAT_JUNIT] = {"junit", write_junit},
    [FS_FORMAT_SARIF] = {"sarif", write_sarif}, [FS_FORMAT_TAP] = {"tap", write_tap},
    [FS_FORMAT_GCC] = {"gcc", write_gcc},       [FS_FORMAT_GITHUB] = {"github", write_github},
    [FS_FORMAT_DOT] = {"dot", write_dot},       [FS_FORMAT_SVG] = {"svg", write_svg},
    [FS_FORMAT_HTML] = {"html", write_html},
};

static const size_t format_count = sizeof formats / sizeof formats[0];

const char *fs_format_name(fs_format format)
{
    return (size_t)format < format_count ? formats[format].name : NULL;
}

static fs_status write_guarded(fs_report *report, fs_format format, const fs_style *style,
                               struct text *out)
{
    const struct report_view view = {.results = &report->results,
                                     .diagnostics = &report->diagnostics,
                                     .compared = report->compared,
                                     .style = style,
                                     .threads = report->threads};
    region_release(&report->output);
    if (region_guard(&report->output))
        return FS_NO_MEMORY;
    text_init(out, &report->output);
    formats[format].write(out, &view);
    return FS_OK;
}

fs_status fs_report_write(fs_report *report, fs_format format, const fs_style *style,
                          const char **text, size_t *length)
{
    struct text out = {0};
    fs_status status =
        fs_format_name(format) ? write_guarded(report, format, style, &out) : FS_BAD_INPUT;
    decoder_close(); /* a page lists code */
    *text = status == FS_OK ? out.data : "";
    *length = status == FS_OK ? out.length : 0;
    return status;
}

/* ---- baselines ---- */

static bool has_cycles(const fs_report *report)
{
    for (size_t i = 0; i < report->results.count; i++)
        if (report->results.items[i]->timed && report->results.items[i]->timed->complete)
            return true;
    return false;
}

static fs_status baseline_guarded(fs_report *report, struct text *out)
{
    if (!has_cycles(report))
        return FS_BAD_INPUT;
    region_release(&report->output);
    if (region_guard(&report->output))
        return FS_NO_MEMORY;
    text_init(out, &report->output);
    return write_baseline_file(out, &report->results) ? FS_OK : FS_NO_MEMORY;
}

fs_status fs_report_baseline(fs_report *report, const char **text, size_t *length)
{
    struct text out = {0};
    fs_status status = baseline_guarded(report, &out);
    *text = status == FS_OK ? out.data : "";
    *length = status == FS_OK ? out.length : 0;
    return status;
}

size_t fs_report_compared(const fs_report *report)
{
    return report->compared ? report->compared->compared : 0;
}

const char *fs_report_regression(const fs_report *report, size_t index)
{
    return index < report->regression_count ? report->regressions[index] : NULL;
}
