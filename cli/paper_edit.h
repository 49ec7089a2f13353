/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about bodies that change while they run.
 */
#ifndef LIMBER_PAPER_EDIT_H
#define LIMBER_PAPER_EDIT_H

#include "cli/paper_rows.h"

/* 000.fig3: a liver that is cut. */
lim_result paper_cuts(const lim_host* host, paper_rows* rows);
/* 000.fig6: forty flowers, one of which is refined. */
lim_result paper_flowers(const lim_host* host, paper_rows* rows);

#endif
