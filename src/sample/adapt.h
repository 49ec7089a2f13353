/* SPDX-License-Identifier: MIT
 * Adaptive sampling: which pieces of which levels become nodes. The nodes are an antichain of the
 * hierarchy that covers every fragment once, and along every edge of the graph the levels of its
 * ends differ by at most one.
 */
#ifndef LIMBER_ADAPT_H
#define LIMBER_ADAPT_H

#include "sample/wish.h"

typedef struct adaptation {
    int32_t count; /* nodes, in order of (level, piece), which is that of their keys */
    int32_t* level;
    int32_t* piece;
} adaptation;

/* Splits the pieces of level `coarsest` until no rule asks for smaller cells. budget: most nodes,
 * or 0; cells are split the largest first, of these the one that a rule exceeds most, and those
 * that would not fit with all that balance asks for are left out. Without a budget the order does
 * not matter. Arrays in `a`. */
lim_result adapt_choose(arena* a, const wishes* w, int32_t coarsest, int32_t budget,
                        adaptation* out);

#endif
