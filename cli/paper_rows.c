/* SPDX-License-Identifier: MIT
 * Job: collect rows. In: names and numbers. Out: a list of at most PAPER_ROWS_MOST, and notes.
 */
#include "cli/paper_rows.h"

#include <stdio.h>

void paper_rows_add(paper_rows* rows, const char* name, double paper, double here,
                    const char* unit) {
    if (rows->count < PAPER_ROWS_MOST) {
        paper_row* row = &rows->items[rows->count++];
        *row = (paper_row){.paper = paper, .here = here, .unit = unit};
        snprintf(row->name, sizeof row->name, "%s", name);
    }
}

void paper_rows_of(paper_rows* rows, const char* about, const char* name, double paper, double here,
                   const char* unit) {
    char whole[96];
    snprintf(whole, sizeof whole, "%s: %s", about, name);
    paper_rows_add(rows, whole, paper, here, unit);
}

void paper_rows_note(paper_rows* rows, const char* note) {
    if (rows->note_count < PAPER_NOTES_MOST) {
        rows->notes[rows->note_count++] = note;
    }
}
