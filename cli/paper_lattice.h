/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about the lattice body, Rivers and James 2007.
 */
#ifndef LIMBER_PAPER_LATTICE_H
#define LIMBER_PAPER_LATTICE_H

#include "cli/paper_rows.h"

/* 001.polar */
lim_result paper_polar(const lim_host* host, paper_rows* rows);
/* 001.fig4; draws the plot */
lim_result paper_sums(const lim_host* host, paper_rows* rows);

#endif
