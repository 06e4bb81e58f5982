/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stepping on a terminal: the state above, the choices below it, a bar of keys at the bottom. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "sim/command/step.h"

enum { ESCAPE = 27, CHECK_EVERY_MS = 200, NO_MEMORY = 70 };

struct view {
    fs_stepper *stepper;
    int chosen, choices;
};

static void put_line(int row, const char *text, size_t length, attr_t attributes)
{
    int width = getmaxx(stdscr), height = getmaxy(stdscr);
    if (row < 0 || row >= height - 1)
        return;
    if (attributes)
        attron(attributes);
    /* Bytes are no columns, yet no character takes fewer bytes than columns. */
    mvaddnstr(row, 0, text, length < (size_t)width ? (int)length : width);
    if (attributes)
        attroff(attributes);
}

/* Lines of `text` from row on, as far as they stand above `end`; returns the row behind. */
static int put_text(int row, int end, const char *text)
{
    while (*text && row < end) {
        size_t length = strcspn(text, "\n");
        bool cut = row + 1 == end && text[length] && text[length + 1];
        put_line(row++, cut ? "..." : text, cut ? 3 : length, 0);
        text += length + (text[length] == '\n');
    }
    return row;
}

static void draw_choices(const struct view *view, int row)
{
    char line[512];
    int room = getmaxy(stdscr) - 1 - row;
    int first = view->chosen >= room && room > 0 ? view->chosen - room + 1 : 0;
    for (int i = first; i < view->choices; i++) {
        snprintf(line, sizeof line, "%s%2d  %s", i == view->chosen ? "> " : "  ", i + 1,
                 fs_stepper_choice(view->stepper, (size_t)i));
        put_line(row + i - first, line, strlen(line), i == view->chosen ? A_REVERSE : A_NORMAL);
    }
}

/* The last step, so that one sees what a choice did. */
static void draw_last_step(const struct view *view, int row)
{
    char line[512];
    size_t count = 0;
    while (fs_stepper_step(view->stepper, count))
        count++;
    if (count)
        snprintf(line, sizeof line, "step %zu was: %s", count,
                 fs_stepper_step(view->stepper, count - 1));
    else
        snprintf(line, sizeof line, "nothing has happened yet");
    put_line(row, line, strlen(line), A_DIM);
}

static void draw(struct view *view)
{
    static const char keys[] =
        "up, down, Enter: take   1-9: take that one   u: undo   r: restart   q: quit";
    view->choices = 0;
    while (fs_stepper_choice(view->stepper, (size_t)view->choices))
        view->choices++;
    if (view->chosen >= view->choices)
        view->chosen = view->choices ? view->choices - 1 : 0;
    erase();
    put_line(0, fs_stepper_title(view->stepper), strlen(fs_stepper_title(view->stepper)), A_BOLD);
    draw_last_step(view, 1);
    int height = getmaxy(stdscr), third = height / 3;
    int room = view->choices < third ? view->choices : third; /* what the choices need */
    int row = put_text(3, height - 2 - room, fs_stepper_state(view->stepper));
    draw_choices(view, row + 1);
    attron(A_REVERSE);
    mvaddnstr(getmaxy(stdscr) - 1, 0, keys, getmaxx(stdscr) - 1);
    attroff(A_REVERSE);
    refresh();
}

static fs_status take(struct view *view, int choice)
{
    if (choice < 0 || choice >= view->choices)
        return FS_OK;
    view->chosen = 0;
    return fs_stepper_take(view->stepper, (size_t)choice);
}

/* Does what a key asks for; `*ends` when it asks for the end. */
static fs_status press(struct view *view, int key, bool *ends)
{
    switch (key) {
    case KEY_UP:
    case 'k':
        view->chosen -= view->chosen > 0;
        return FS_OK;
    case KEY_DOWN:
    case 'j':
        view->chosen += view->chosen + 1 < view->choices;
        return FS_OK;
    case '\n':
    case '\r':
    case KEY_ENTER:
    case ' ':
        return take(view, view->chosen);
    case 'u':
    case KEY_BACKSPACE:
    case 127:
        return fs_stepper_undo(view->stepper, 1);
    case 'r':
        return fs_stepper_undo(view->stepper, SIZE_MAX);
    case 'q':
    case ESCAPE:
        *ends = true;
        return FS_OK;
    default:
        return key >= '1' && key <= '9' ? take(view, key - '1') : FS_OK;
    }
}

int step_on_terminal(fs_stepper *stepper, const volatile int *stop)
{
    struct view view = {.stepper = stepper};
    bool ends = false;
    fs_status status = FS_OK;
    setlocale(LC_ALL, "");
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen)
        return -1;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    timeout(CHECK_EVERY_MS); /* to notice `stop` */
    draw(&view);
    while (!ends && !*stop && status == FS_OK) {
        int key = getch();
        if (key == ERR)
            continue;
        status = press(&view, key, &ends);
        if (status == FS_OK && !ends)
            draw(&view);
    }
    endwin();
    delscreen(screen);
    return status == FS_OK ? 0 : NO_MEMORY;
}
