/* SPDX-License-Identifier: MIT
 * Figures of the papers as pictures.
 */
#ifndef LIMBER_PAPER_FIGURE_H
#define LIMBER_PAPER_FIGURE_H

#include <limber/io.h>

/* Figure 2 of Steinemann, Otaduy and Gross 2008 (bench/figure_intervals.h): on the left the blocks
 * with their intervals, on the right the nodes with the summation nodes in red. The image is the
 * caller's to destroy. */
lim_result paper_figure_intervals(const lim_host* host, lim_image* out_image);

#endif
