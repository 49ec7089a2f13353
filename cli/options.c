/* SPDX-License-Identifier: MIT
 * Job: read the options of a command. In: a table of options and the arguments. Out: the values,
 * the other words, or a message that names the mistake and its cure. Suggestions come from the edit
 * distance between names.
 */
#include "cli/options.h"

#include "cli/say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 63 };

/* Levenshtein distance; names longer than NAME_MOST count as far away. */
static int32_t edit_distance(const char* a, const char* b) {
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > NAME_MOST || length_b > NAME_MOST) {
        return NAME_MOST;
    }
    int32_t row[NAME_MOST + 1];
    for (size_t j = 0; j <= length_b; ++j) {
        row[j] = (int32_t)j;
    }
    for (size_t i = 1; i <= length_a; ++i) {
        int32_t diagonal = row[0];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= length_b; ++j) {
            int32_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int32_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < least ? change : least;
        }
    }
    return row[length_b];
}

const char* options_nearest(const char* word, const char* const* candidates, int32_t count) {
    const char* nearest = NULL;
    /* a third of the word may be wrong, but at least one letter */
    int32_t least = (int32_t)strlen(word) / 3 + 2;
    for (int32_t i = 0; i < count; ++i) {
        int32_t distance = edit_distance(word, candidates[i]);
        if (distance < least) {
            least = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

static void print_help(const option_table* table) {
    printf("usage: %s\n\n%s\n", table->usage, table->about);
    for (int32_t i = 0; i < table->option_count; ++i) {
        const option* o = &table->options[i];
        int width = printf("  %s%s%s", o->name, o->value != NULL ? " " : "",
                           o->value != NULL ? o->value : "");
        printf("%*s %s\n", width < 24 ? 24 - width : 1, "", o->about);
    }
    printf("  %-22s this text\n", "--help");
}

static bool read_number(const option* o, const char* text, double* out) {
    char* end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) {
        say_error("%s takes a number, not '%s'", o->name, text);
        return false;
    }
    if (value < o->least || value > o->most) {
        say_error("%s %s is out of range; it takes %.10g to %.10g", o->name, text, o->least,
                  o->most);
        return false;
    }
    *out = value;
    return true;
}

static bool read_count(const option* o, const char* text, int32_t* out) {
    double value;
    if (!read_number(o, text, &value)) {
        return false;
    }
    if (value != floor(value)) {
        say_error("%s takes a whole number, not '%s'", o->name, text);
        return false;
    }
    *out = (int32_t)value;
    return true;
}

/* 1000,8000 */
static bool read_counts(const option* o, const char* text, option_counts* out) {
    out->count = 0;
    while (true) {
        char part[32];
        size_t length = strcspn(text, ",");
        if (length >= sizeof part || out->count == OPTION_LIST_MOST) {
            say_error("%s takes at most %d whole numbers with commas between", o->name,
                      OPTION_LIST_MOST);
            return false;
        }
        memcpy(part, text, length);
        part[length] = '\0';
        if (!read_count(o, part, &out->items[out->count++])) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

/* 640x480 */
static bool read_size(const option* o, const char* text, int32_t* out) {
    char* end = NULL;
    long width = strtol(text, &end, 10);
    if (end == text || *end != 'x') {
        say_error("%s takes WIDTHxHEIGHT, such as 640x480, not '%s'", o->name, text);
        return false;
    }
    char* last = NULL;
    long height = strtol(end + 1, &last, 10);
    if (last == end + 1 || *last != '\0') {
        say_error("%s takes WIDTHxHEIGHT, such as 640x480, not '%s'", o->name, text);
        return false;
    }
    double least = o->least, most = o->most;
    if ((double)width < least || (double)width > most || (double)height < least ||
        (double)height > most) {
        say_error("%s %s is out of range; each side takes %.10g to %.10g", o->name, text, least,
                  most);
        return false;
    }
    out[0] = (int32_t)width;
    out[1] = (int32_t)height;
    return true;
}

static bool read_value(const option* o, const char* text) {
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool*)o->target = true;
        return true;
    case OPTION_TEXT:
        *(const char**)o->target = text;
        return true;
    case OPTION_TEXTS: {
        option_texts* texts = o->target;
        if (texts->count == OPTION_LIST_MOST) {
            say_error("%s was given more than %d times", o->name, OPTION_LIST_MOST);
            return false;
        }
        texts->items[texts->count++] = text;
        return true;
    }
    case OPTION_COUNT:
        return read_count(o, text, o->target);
    case OPTION_COUNTS:
        return read_counts(o, text, o->target);
    case OPTION_NUMBER:
        return read_number(o, text, o->target);
    case OPTION_SIZE:
        return read_size(o, text, o->target);
    }
    return false;
}

static bool unknown_option(const option_table* table, const char* name) {
    const char* names[64];
    int32_t count = 0;
    for (int32_t i = 0; i < table->option_count && count < 63; ++i) {
        names[count++] = table->options[i].name;
    }
    names[count++] = "--help";
    const char* nearest = options_nearest(name, names, count);
    if (nearest != NULL) {
        say_error("no option '%s'; did you mean %s?", name, nearest);
    } else {
        say_error("no option '%s'; --help lists them", name);
    }
    return false;
}

static bool is_option(const option_table* table, const char* word) {
    for (int32_t i = 0; i < table->option_count; ++i) {
        if (strcmp(word, table->options[i].name) == 0) {
            return true;
        }
    }
    return strcmp(word, "--help") == 0;
}

/* Reads the option at argv[*at] and moves *at past what it used. */
static bool read_option(const option_table* table, int argc, char** argv, int* at) {
    const char* argument = argv[(*at)++];
    char name[NAME_MOST + 1];
    const char* equals = argument[1] == '-' ? strchr(argument, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    if (length > NAME_MOST) {
        return unknown_option(table, argument);
    }
    memcpy(name, argument, length);
    name[length] = '\0';
    for (int32_t i = 0; i < table->option_count; ++i) {
        const option* o = &table->options[i];
        if (strcmp(name, o->name) != 0) {
            continue;
        }
        if (o->kind == OPTION_FLAG) {
            if (equals != NULL) {
                say_error("%s takes no value", o->name);
                return false;
            }
            return read_value(o, NULL);
        }
        if (equals == NULL && *at == argc) {
            say_error("%s needs a value: %s %s", o->name, o->name, o->value);
            return false;
        }
        const char* value = equals != NULL ? equals + 1 : argv[(*at)++];
        if (value[0] == '\0' || (equals == NULL && is_option(table, value))) {
            say_error("%s needs a value: %s %s", o->name, o->name, o->value);
            return false;
        }
        return read_value(o, value);
    }
    return unknown_option(table, name);
}

option_result options_read(const option_table* table, int argc, char** argv,
                           option_texts* out_words) {
    out_words->count = 0;
    bool only_words = false;
    for (int at = 0; at < argc;) {
        const char* argument = argv[at];
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
            ++at;
        } else if (!only_words &&
                   (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)) {
            print_help(table);
            return OPTIONS_HELP;
        } else if (!only_words && argument[0] == '-' && argument[1] != '\0') {
            if (!read_option(table, argc, argv, &at)) {
                return OPTIONS_BAD;
            }
        } else {
            if (out_words->count >= table->words_most || out_words->count == OPTION_LIST_MOST) {
                say_error("'%s' is one word too many; usage: %s", argument, table->usage);
                return OPTIONS_BAD;
            }
            out_words->items[out_words->count++] = argument;
            ++at;
        }
    }
    if (out_words->count < table->words_least) {
        say_error("%s is missing; usage: %s", table->words_name, table->usage);
        return OPTIONS_BAD;
    }
    return OPTIONS_OK;
}
