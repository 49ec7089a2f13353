/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about bodies of points, Mueller, Heidelberger, Teschner and Gross 2005.
 * Each draws what it measures.
 */
#ifndef LIMBER_PAPER_POINTS_H
#define LIMBER_PAPER_POINTS_H

#include "cli/paper_rows.h"

lim_result paper_points_euler(const lim_host* host, paper_rows* rows);    /* 002.euler */
lim_result paper_points_alpha(const lim_host* host, paper_rows* rows);    /* 002.alpha */
lim_result paper_points_modes(const lim_host* host, paper_rows* rows);    /* 002.modes */
lim_result paper_points_clusters(const lim_host* host, paper_rows* rows); /* 002.clusters */
lim_result paper_points_recover(const lim_host* host, paper_rows* rows);  /* 002.recover */

#endif
