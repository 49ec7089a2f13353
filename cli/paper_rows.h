/* SPDX-License-Identifier: MIT
 * Rows of `limber paper`: a number of a paper beside ours.
 */
#ifndef LIMBER_PAPER_ROWS_H
#define LIMBER_PAPER_ROWS_H

#include <limber/io.h>

#include <stdint.h>

typedef struct paper_row {
    char name[96];
    double paper; /* NaN: the paper gives none */
    double here;
    const char* unit; /* a constant */
} paper_row;

enum { PAPER_ROWS_MOST = 160, PAPER_NOTES_MOST = 16 };

typedef struct paper_rows {
    /* asked for */
    bool quick;         /* few steps and small bodies: to see that it works, not to compare */
    lim_image* picture; /* for entries that draw what they measure; null: none is wanted */
    /* found */
    paper_row items[PAPER_ROWS_MOST];
    int32_t count;
    const char* notes[PAPER_NOTES_MOST]; /* constants: how it was measured */
    int32_t note_count;
} paper_rows;

/* The name is copied. */
void paper_rows_add(paper_rows* rows, const char* name, double paper, double here,
                    const char* unit);
/* The same with a name "about: name". */
void paper_rows_of(paper_rows* rows, const char* about, const char* name, double paper, double here,
                   const char* unit);
void paper_rows_note(paper_rows* rows, const char* note);

#endif
