/* SPDX-License-Identifier: MIT
 * Options of a command: a table in, values at the table's targets out. Unknown options are errors
 * with the nearest known name.
 */
#ifndef LIMBER_OPTIONS_H
#define LIMBER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,   /* bool*: becomes true */
    OPTION_TEXT,   /* const char**: the last one given */
    OPTION_TEXTS,  /* option_texts*: all of them */
    OPTION_COUNT,  /* int32_t* */
    OPTION_COUNTS, /* option_counts*: a list with commas */
    OPTION_NUMBER, /* double* */
    OPTION_SIZE    /* int32_t[2]: 640x480 */
} option_kind;

enum { OPTION_LIST_MOST = 16 };

typedef struct option_texts {
    const char* items[OPTION_LIST_MOST];
    int32_t count;
} option_texts;

typedef struct option_counts {
    int32_t items[OPTION_LIST_MOST];
    int32_t count;
} option_counts;

typedef struct option {
    const char* name;  /* "--frames" or "-o" */
    const char* value; /* what the help calls its value; null for a flag */
    const char* about; /* one line of help */
    option_kind kind;
    void* target;
    double least, most; /* of counts, numbers and both sides of a size */
} option;

typedef struct option_table {
    const char* usage; /* "limber run SCENE|MESH [options]" */
    const char* about; /* a paragraph of help, with its line ends */
    const option* options;
    int32_t option_count;
    int32_t words_least, words_most; /* arguments that are not options */
    const char* words_name;          /* what they are, for the message when one is missing */
} option_table;

typedef enum option_result {
    OPTIONS_OK,
    OPTIONS_HELP, /* --help was given and has been printed */
    OPTIONS_BAD   /* a message has been printed */
} option_result;

/* Reads argv[0..argc) (without program and command). Options may stand anywhere, as `--name value`
 * or `--name=value`; `--` ends them. */
option_result options_read(const option_table* table, int argc, char** argv,
                           option_texts* out_words);

/* The candidate nearest to `word` when it is near enough to be a slip of the keyboard, else null.
 */
const char* options_nearest(const char* word, const char* const* candidates, int32_t count);

#endif
