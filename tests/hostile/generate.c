/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes hostile traces: shipped ones damaged in many ways, and random bytes as code. The
 * same seed gives the same files.
 *
 *   generate SEED COUNT DIRECTORY TRACE...
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, FILE_MAX = 1 << 16 };

static uint64_t state;

static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t below(size_t limit) { return limit ? (size_t)(next() % limit) : 0; }

struct text {
    char data[TEXT_MAX];
    size_t length;
};

/* Puts `length` bytes in place of the `removed` ones at `at`. */
static void replace(struct text *text, size_t at, size_t removed, const char *bytes, size_t length)
{
    if (at > text->length || removed > text->length - at ||
        text->length - removed + length > TEXT_MAX)
        return;
    memmove(text->data + at + length, text->data + at + removed, text->length - at - removed);
    memcpy(text->data + at, bytes, length);
    text->length += length - removed;
}

static size_t line_start(const struct text *text, size_t at)
{
    while (at > 0 && text->data[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct text *text, size_t at)
{
    while (at < text->length && text->data[at] != '\n')
        at++;
    return at < text->length ? at + 1 : at;
}

static void flip_bytes(struct text *text)
{
    for (size_t n = 1 + below(10); n-- > 0;)
        text->data[below(text->length)] = (char)next();
}

static void drop_lines(struct text *text)
{
    for (size_t n = 1 + below(3); n-- > 0;) {
        size_t at = line_start(text, below(text->length));
        replace(text, at, line_end(text, at) - at, "", 0);
    }
}

static void move_line(struct text *text)
{
    char line[512];
    size_t from = line_start(text, below(text->length)), length = line_end(text, from) - from;
    if (length > sizeof line)
        return;
    memcpy(line, text->data + from, length);
    if (below(2))
        replace(text, from, length, "", 0);
    replace(text, line_start(text, below(text->length)), 0, line, length);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void change_numbers(struct text *text)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "3",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "0x7fffffff",
                                          "4096",
                                          "2147483648",
                                          "1e308",
                                          "nan",
                                          "1023",
                                          "65536GiB",
                                          "0x",
                                          "00",
                                          "100000000"};
    for (size_t n = 1 + below(3); n-- > 0;) {
        size_t at = below(text->length), end;
        while (at < text->length && !is_digit(text->data[at]))
            at++;
        for (end = at; end < text->length && is_digit(text->data[end]);)
            end++;
        const char *number = numbers[below(sizeof numbers / sizeof numbers[0])];
        replace(text, at, end - at, number, strlen(number));
    }
}

static void truncate_text(struct text *text) { text->length = below(text->length); }

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_at(const struct text *text, size_t *length)
{
    size_t at = below(text->length), end;
    while (at < text->length && !is_word(text->data[at]))
        at++;
    for (end = at; end < text->length && is_word(text->data[end]);)
        end++;
    *length = end - at;
    return at;
}

/* Puts a word of the file where another one was. */
static void mix_words(struct text *text)
{
    for (size_t n = 1 + below(4); n-- > 0;) {
        char word[64];
        size_t length, other_length, at = word_at(text, &length);
        if (length > sizeof word)
            continue;
        memcpy(word, text->data + at, length);
        size_t other = word_at(text, &other_length);
        replace(text, other, other_length, word, length);
    }
}

static void insert_signs(struct text *text)
{
    static const char *const signs[] = {
        "{",    "}",  "[", "]",  "&a ",     "*a", "!!str ", "|",     ">",    "%",
        "@",    "\"", "'", ": ", "- ",      "#",  "\t",     "---\n", "\xc3", "\xe2\x80\xa8",
        "<<: ", "? ", ";", "\\", "(((((((("};
    for (size_t n = 1 + below(4); n-- > 0;) {
        const char *sign = signs[below(sizeof signs / sizeof signs[0])];
        replace(text, below(text->length), 0, sign, strlen(sign));
    }
}

/* One line very often. */
static void repeat_line(struct text *text)
{
    char line[256];
    size_t at = line_start(text, below(text->length)), length = line_end(text, at) - at;
    if (length > sizeof line)
        return;
    memcpy(line, text->data + at, length);
    for (size_t n = 10 + below(400); n-- > 0;)
        replace(text, at, 0, line, length);
}

static void add(struct text *text, const char *string)
{
    replace(text, text->length, 0, string, strlen(string));
}

static void add_code(struct text *text)
{
    static const uint8_t likely[] = {0xf0, 0xf3, 0xf2, 0x66, 0x0f, 0x48, 0x41, 0x64, 0xae, 0xc7,
                                     0x87, 0x8b, 0x89, 0xeb, 0x74, 0xe8, 0xc3, 0xab, 0xa4, 0xb1,
                                     0xc1, 0xff, 0x38, 0xfe, 0x07, 0x06, 0x01, 0x00, 0x30, 0xa2};
    for (size_t n = 1 + below(40); n-- > 0;) {
        char hex[8];
        unsigned byte = below(3) ? likely[below(sizeof likely)] : (unsigned)below(256);
        snprintf(hex, sizeof hex, "%02x ", byte & 0xff);
        add(text, hex);
    }
}

/* Random code with registers that mostly point to memory. */
static void random_code(struct text *text)
{
    static const char *const registers[] = {"rax", "rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8"};
    text->length = 0;
    add(text, "trace: 1\nname: bytes\nmemory: {x: {size: 64}, y: {size: 64}}\ncpus:\n");
    for (size_t cpus = 1 + below(3); cpus-- > 0;) {
        add(text, "  - regs: {");
        for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
            add(text, registers[i]);
            add(text, below(4) ? below(2) ? ": x, " : ": y, " : ": 3, ");
        }
        add(text, "r9: 1}\n    code: \"");
        add_code(text);
        add(text, "\"\n");
    }
}

static void damage(struct text *text, size_t kind)
{
    static void (*const ways[])(struct text *) = {
        random_code, flip_bytes, drop_lines,   move_line,   change_numbers, random_code,
        mix_words,   mix_words,  insert_signs, repeat_line, truncate_text};
    ways[kind % (sizeof ways / sizeof ways[0])](text);
}

static bool load(struct text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    text->length = fread(text->data, 1, FILE_MAX, file);
    fclose(file);
    return text->length > 0;
}

static bool save(const struct text *text, const char *directory, size_t number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%04zu.yaml", directory, number);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(text->data, 1, text->length, file) == text->length;
    return fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    static struct text text;
    if (argc < 5) {
        fprintf(stderr, "usage: generate SEED COUNT DIRECTORY TRACE...\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 0);
    size_t count = strtoull(argv[2], NULL, 0);
    for (size_t n = 0; n < count; n++) {
        const char *path = argv[4 + below((size_t)argc - 4)];
        if (!load(&text, path)) {
            perror(path);
            return 1;
        }
        damage(&text, n);
        if (!save(&text, argv[3], n)) {
            perror(argv[3]);
            return 1;
        }
    }
    return 0;
}
