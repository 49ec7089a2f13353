/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about trained detail (Seiler, Spillmann and Harders 2012).
 */
#ifndef LIMBER_PAPER_TRAINED_H
#define LIMBER_PAPER_TRAINED_H

#include "cli/paper_rows.h"

lim_result paper_trained_stretch(const lim_host* host, paper_rows* rows);  /* 004.fig3 */
lim_result paper_trained_between(const lim_host* host, paper_rows* rows);  /* 004.fig4 */
lim_result paper_trained_meniscus(const lim_host* host, paper_rows* rows); /* 004.fig6 */
lim_result paper_trained_wedge(const lim_host* host, paper_rows* rows);    /* 004.fig7 */
lim_result paper_trained_pillow(const lim_host* host, paper_rows* rows);   /* 004.fig8 */
lim_result paper_trained_table(const lim_host* host, paper_rows* rows);    /* 004.table1 */
lim_result paper_trained_examples(const lim_host* host, paper_rows* rows); /* 004.examples */

#endif
