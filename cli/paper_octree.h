/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about the octree body.
 */
#ifndef LIMBER_PAPER_OCTREE_H
#define LIMBER_PAPER_OCTREE_H

#include "cli/paper_rows.h"

#include <limber/base.h>

/* 000.fig1 */
lim_result paper_fingers(const lim_host* host, paper_rows* rows);

/* 000.fig4; draws the fingers */
lim_result paper_stiffness(const lim_host* host, paper_rows* rows);
/* 000.fig5; draws the block */
lim_result paper_dents(const lim_host* host, paper_rows* rows);

/* 000.patch */
lim_result paper_patch(const lim_host* host, paper_rows* rows);

#endif
