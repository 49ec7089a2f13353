/* SPDX-License-Identifier: MIT
 * Rows of `limber paper`: a number of a paper beside ours.
 */
#ifndef LIMBER_PAPER_ROWS_H
#define LIMBER_PAPER_ROWS_H

#include <stdint.h>

typedef struct paper_row {
    const char* name; /* a constant */
    double paper;     /* NaN: the paper gives none */
    double here;
    const char* unit;
} paper_row;

enum { PAPER_ROWS_MOST = 64 };

typedef struct paper_rows {
    paper_row items[PAPER_ROWS_MOST];
    int32_t count;
} paper_rows;

void paper_rows_add(paper_rows* rows, const char* name, double paper, double here,
                    const char* unit);

#endif
