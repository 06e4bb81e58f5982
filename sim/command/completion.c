/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/command/completion.h"

#include <string.h>

#include "include/fencesim/fencesim.h"
#include "sim/command/options.h"

/* The words of "none|first|all", separated by spaces. */
static void write_words(FILE *out, const char *words)
{
    for (; *words; words++)
        fputc(*words == '|' ? ' ' : *words, out);
}

/* What an option or a subcommand takes, as a list of words; nothing for files and free text. */
static void write_candidates(FILE *out, enum takes takes, const char *words,
                             const struct completion_names *names)
{
    const char *format;
    switch (takes) {
    case TAKES_WORD:
        write_words(out, words);
        break;
    case TAKES_FORMAT:
        for (int i = 0; (format = fs_format_name((fs_format)i)); i++)
            fprintf(out, "%s%s", i ? " " : "", format);
        break;
    case TAKES_PROFILE:
        fputs(names->profiles, out);
        break;
    case TAKES_RULE:
        fputs(names->rules, out);
        break;
    default:
        break;
    }
}

static void write_subcommand_names(FILE *out, const char *separator)
{
    for (size_t i = 0; i < subcommand_row_count; i++)
        fprintf(out, "%s%s", i ? separator : "", subcommand_rows[i].name);
}

/* The first line of help, without what a quoted string of any of the shells would end at. */
static void write_summary_line(FILE *out, const char *help)
{
    for (; *help && *help != '\n'; help++)
        if (!strchr("'\"`$\\[]:", *help))
            fputc(*help, out);
}

/* ---- bash ---- */

static void write_bash_cases(FILE *out, const struct completion_names *names)
{
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->takes == TAKES_NOTHING)
            continue;
        fputs("    ", out);
        if (row->key < OPT_ONLY)
            fprintf(out, "-%c | ", row->key);
        fprintf(out, "--%s)\n", row->name);
        if (row->takes == TAKES_FILE || row->takes == TAKES_TRACE) {
            fputs("        _simulate_files\n", out);
        } else if (row->takes != TAKES_TEXT) {
            fputs("        mapfile -t COMPREPLY < <(compgen -W '", out);
            write_candidates(out, row->takes, row->argument, names);
            fputs("' -- \"$cur\")\n", out);
        }
        fputs("        return\n        ;;\n", out);
    }
}

static void write_bash_subcommands(FILE *out, const struct completion_names *names)
{
    for (size_t i = 0; i < subcommand_row_count; i++) {
        const struct subcommand_row *row = &subcommand_rows[i];
        if (row->takes == TAKES_TRACE)
            continue; /* as without a subcommand */
        if (row->takes == TAKES_FILE) {
            fprintf(out, "    %s)\n        _simulate_files\n        return\n        ;;\n",
                    row->name);
            continue;
        }
        fprintf(out, "    %s)\n        mapfile -t COMPREPLY < <(compgen -W '", row->name);
        write_candidates(out, row->takes, row->words, names);
        fputs("' -- \"$cur\")\n        return\n        ;;\n", out);
    }
}

static void write_bash(FILE *out, const struct completion_names *names)
{
    fputs("# bash completion of simulate, written by `simulate completion bash`\n"
          "_simulate_files() {\n"
          "    compopt -o filenames\n"
          "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
          "}\n\n"
          "_simulate_traces() {\n"
          "    compopt -o filenames\n"
          "    mapfile -t COMPREPLY < <(\n"
          "        compgen -d -- \"$cur\"\n"
          "        for ending in yaml yml litmus; do\n"
          "            compgen -f -X \"!*.$ending\" -- \"$cur\"\n"
          "        done\n"
          "    )\n"
          "}\n\n"
          "_simulate() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} sub='' i\n"
          "    # bash takes `=` for a word of its own\n"
          "    if [[ $prev == = ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    elif [[ $cur == = ]]; then\n"
          "        cur=''\n"
          "    fi\n"
          "    COMPREPLY=()\n"
          "    case $prev in\n",
          out);
    write_bash_cases(out, names);
    fputs("    esac\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i]} in ",
          out);
    write_subcommand_names(out, " | ");
    fputs(") sub=${COMP_WORDS[i]} ;; esac\n"
          "    done\n"
          "    if [[ $cur == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          out);
    for (size_t i = 0; i < option_row_count; i++) {
        fprintf(out, "%s--%s", i ? " " : "", option_rows[i].name);
        if (option_rows[i].key < OPT_ONLY)
            fprintf(out, " -%c", option_rows[i].key);
    }
    fputs("' -- \"$cur\")\n        return\n    fi\n    case $sub in\n", out);
    write_bash_subcommands(out, names);
    fputs("    esac\n"
          "    _simulate_traces\n"
          "    if [[ -z $sub ]]; then\n"
          "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '",
          out);
    write_subcommand_names(out, " ");
    fputs("' -- \"$cur\")\n    fi\n}\n\ncomplete -F _simulate simulate\n", out);
}

/* ---- zsh ---- */

static void write_zsh_action(FILE *out, enum takes takes, const char *words,
                             const struct completion_names *names)
{
    if (takes == TAKES_FILE) {
        fputs("_files", out);
    } else if (takes == TAKES_TRACE) {
        fputs("_files -g \"*.(yaml|yml|litmus)\"", out);
    } else if (takes == TAKES_TEXT) {
        fputs(" ", out);
    } else {
        fputs("(", out);
        write_candidates(out, takes, words, names);
        fputs(")", out);
    }
}

static void write_zsh_option(FILE *out, const struct option_row *row,
                             const struct completion_names *names)
{
    bool argument = row->takes != TAKES_NOTHING;
    bool repeated = row->takes == TAKES_PROFILE || row->key == 'V';
    if (row->key < OPT_ONLY)
        fprintf(out, "    %s{-%c%s,--%s%s}'[", repeated ? "'*'" : "", row->key, argument ? "+" : "",
                row->name, argument ? "=" : "");
    else
        fprintf(out, "    '--%s%s[", row->name, argument ? "=" : "");
    write_summary_line(out, row->help);
    fputs("]", out);
    if (argument) {
        fprintf(out, ":%s:", row->name);
        write_zsh_action(out, row->takes, row->argument, names);
    }
    fputs("' \\\n", out);
}

static void write_zsh(FILE *out, const struct completion_names *names)
{
    fputs("#compdef simulate\n"
          "# zsh completion of simulate, written by `simulate completion zsh`\n"
          "_simulate() {\n"
          "  local state line\n"
          "  local -a commands\n"
          "  commands=(\n",
          out);
    for (size_t i = 0; i < subcommand_row_count; i++) {
        fprintf(out, "    '%s:", subcommand_rows[i].name);
        write_summary_line(out, subcommand_rows[i].help);
        fputs("'\n", out);
    }
    fputs("  )\n  _arguments -s -S \\\n", out);
    for (size_t i = 0; i < option_row_count; i++)
        write_zsh_option(out, &option_rows[i], names);
    fputs("    '1:trace or command:->first' '*:trace:->rest'\n"
          "  case $state in\n"
          "  first)\n"
          "    _describe command commands\n"
          "    _files -g '*.(yaml|yml|litmus)'\n"
          "    ;;\n"
          "  rest)\n"
          "    case $line[1] in\n",
          out);
    for (size_t i = 0; i < subcommand_row_count; i++) {
        const struct subcommand_row *row = &subcommand_rows[i];
        if (row->takes == TAKES_TRACE)
            continue;
        if (row->takes == TAKES_FILE) {
            fprintf(out, "    %s) _files ;;\n", row->name);
            continue;
        }
        fprintf(out, "    %s) compadd -- ", row->name);
        write_candidates(out, row->takes, row->words, names);
        fputs(" ;;\n", out);
    }
    fputs("    *) _files -g '*.(yaml|yml|litmus)' ;;\n"
          "    esac\n"
          "    ;;\n"
          "  esac\n"
          "}\n\n"
          "if [[ $funcstack[1] == _simulate ]]; then\n"
          "  _simulate \"$@\"\n"
          "else\n"
          "  compdef _simulate simulate\n"
          "fi\n",
          out);
}

/* ---- fish ---- */

static void write_fish_list(FILE *out, enum takes takes, const char *words,
                            const struct completion_names *names)
{
    fputs(" -a '", out);
    write_candidates(out, takes, words, names);
    fputs("'", out);
}

static void write_fish(FILE *out, const struct completion_names *names)
{
    fputs("# fish completion of simulate, written by `simulate completion fish`\n", out);
    for (size_t i = 0; i < option_row_count; i++) {
        const struct option_row *row = &option_rows[i];
        fprintf(out, "complete -c simulate -l %s", row->name);
        if (row->key < OPT_ONLY)
            fprintf(out, " -s %c", row->key);
        if (row->takes == TAKES_FILE || row->takes == TAKES_TRACE)
            fputs(" -r -F", out);
        else if (row->takes != TAKES_NOTHING)
            fputs(" -x", out);
        if (row->takes != TAKES_NOTHING && row->takes != TAKES_FILE && row->takes != TAKES_TEXT)
            write_fish_list(out, row->takes, row->argument, names);
        fputs(" -d '", out);
        write_summary_line(out, row->help);
        fputs("'\n", out);
    }
    for (size_t i = 0; i < subcommand_row_count; i++) {
        const struct subcommand_row *row = &subcommand_rows[i];
        fprintf(out, "complete -c simulate -n __fish_use_subcommand -a %s -d '", row->name);
        write_summary_line(out, row->help);
        fputs("'\n", out);
        if (row->takes == TAKES_TRACE || row->takes == TAKES_FILE)
            continue; /* as fish does by itself */
        fprintf(out, "complete -c simulate -f -n '__fish_seen_subcommand_from %s'", row->name);
        write_fish_list(out, row->takes, row->words, names);
        fputs("\n", out);
    }
}

bool write_completion(FILE *out, const char *shell, const struct completion_names *names)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(out, names);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(out, names);
    else if (strcmp(shell, "fish") == 0)
        write_fish(out, names);
    else
        return false;
    return true;
}
