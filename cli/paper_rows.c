/* SPDX-License-Identifier: MIT
 * Job: collect rows. In: names and numbers. Out: a list of at most PAPER_ROWS_MOST.
 */
#include "cli/paper_rows.h"

void paper_rows_add(paper_rows* rows, const char* name, double paper, double here,
                    const char* unit) {
    if (rows->count < PAPER_ROWS_MOST) {
        rows->items[rows->count++] = (paper_row){name, paper, here, unit};
    }
}
