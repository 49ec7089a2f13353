/* SPDX-License-Identifier: MIT
 * Level of detail: which pieces of the material are to be nodes, from which ones are now and what
 * is wished for. The result is an antichain of the hierarchy that covers every fragment once, and
 * along every edge of the graph levels differ by at most one: finer wishes win, and coarser ones
 * wait.
 */
#ifndef LIMBER_LEVELS_H
#define LIMBER_LEVELS_H

#include "sample/pieces.h"

/* What a node wishes: a level (the wish of a piece is the finest of its fragments' wishes) and how
 * much it matters. Hysteresis is the caller's: a wish may be a range. */
typedef struct level_wish {
    int8_t coarsest, finest; /* coarsest <= finest: it is content with any level in between */
    float weight;            /* who comes first when there is not room for all: more, then finer */
} level_wish;

typedef struct level_limits {
    int32_t nodes; /* most nodes in all; 0: no limit */
    int32_t work;  /* most nodes that may be made or joined in this call; 0: no limit. In units of
                      work, never of time: the result is the same on every machine */
} level_limits;

typedef struct level_report {
    int32_t nodes;           /* after it */
    int32_t refined, joined; /* nodes that were split, nodes that were made by joining */
    int32_t waiting;         /* splits and joins that did not fit into the limits */
} level_report;

/* now: per fragment the level of its node; wish: per fragment; out: per fragment the level after.
 * Cuts forbid joining by themselves: pieces of a level are what hangs together. A pure function. */
lim_result levels_choose(arena* scratch, const pieces* all, const int8_t* now,
                         const level_wish* wish, const level_limits* limits, int8_t* out,
                         level_report* report);
/* Whether levels are an antichain that covers all, with steps of at most one along every edge. */
bool levels_are_valid(const pieces* all, const int8_t* level);

#endif
