/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about the lattice body, Rivers and James 2007.
 */
#ifndef LIMBER_PAPER_LATTICE_H
#define LIMBER_PAPER_LATTICE_H

#include "cli/paper_rows.h"

/* 001.polar */
lim_result paper_polar(const lim_host* host, paper_rows* rows);
/* 001.fig1; draws the penguins and their lattices */
lim_result paper_penguins(const lim_host* host, paper_rows* rows);
/* 001.fig2; draws the lattices */
lim_result paper_smoothing(const lim_host* host, paper_rows* rows);
/* 001.fig3; draws the bars */
lim_result paper_bars(const lim_host* host, paper_rows* rows);
/* 001.fig4; draws the plot */
lim_result paper_sums(const lim_host* host, paper_rows* rows);
/* 001.fig5; draws the parts of a region */
lim_result paper_decomposition(const lim_host* host, paper_rows* rows);
/* 001.fig6; draws the infant */
lim_result paper_detailed(const lim_host* host, paper_rows* rows);
/* 001.fracture; draws the duck that tears */
lim_result paper_fracture(const lim_host* host, paper_rows* rows);
/* 001.table1 */
lim_result paper_table(const lim_host* host, paper_rows* rows);

#endif
