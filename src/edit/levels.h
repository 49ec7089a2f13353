/* SPDX-License-Identifier: MIT
 * Level of detail: which pieces of the material are to be nodes, from which ones are now and what
 * is wished for. The result is an antichain of the hierarchy that covers every fragment once, and
 * along every edge of the graph levels differ by at most one: finer wishes win, and coarser ones
 * wait.
 *
 * A node is split when one of its fragments wishes for a finer level than its own, and where
 * balance asks for it. Nodes are joined to one of the next coarser level when a fragment wishes for
 * a coarser level, all fragments of the joined node are content with it, and balance allows it.
 * What nobody wishes to change stays.
 */
#ifndef LIMBER_LEVELS_H
#define LIMBER_LEVELS_H

#include "sample/pieces.h"

/* What a fragment wishes, and how much it matters. Hysteresis is the caller's: a wish may be a
 * range. Levels beyond the finest one there is mean the finest. */
typedef struct level_wish {
    int8_t coarsest, finest; /* coarsest <= finest: it is content with any level in between */
    float weight;            /* who comes first when there is not room for all: more; >= 0 */
} level_wish;

typedef struct level_limits {
    int32_t coarsest; /* least level that a node may have, whatever is wished */
    int32_t nodes;    /* most nodes in all; 0: no limit. With less room than the wishes ask for,
                         the splits that the largest weights ask for come first, of these the
                         coarsest; those that do not fit with all that balance asks for are left
                         out, and undone. Nodes of level `coarsest` are always there */
    int32_t work;     /* most nodes that may be made by splits or taken by joins in this call (one
                         split or join is always done); 0: no limit. In units of work, never of
                         time: the result is the same on every machine */
} level_limits;

typedef struct level_report {
    int32_t nodes;           /* after it */
    int32_t refined, joined; /* nodes that were split, nodes that were made by joining */
    int32_t waiting;         /* splits and joins that did not fit into the limits */
} level_report;

/* now: per fragment the level of its node; wish: per fragment; out: per fragment the level after;
 * it may be `now`. Called again with the same wishes and what came out it goes on to where a call
 * without a limit of work would have come to, and then changes nothing. Where `now` is not valid
 * it is made so first, by splits beyond all limits. Cuts forbid joining by themselves: pieces of a
 * level are what hangs together. A pure function. O(fragments), and O(edges) of split pieces.
 * LIM_ERROR_ARGUMENT: a level out of range, an empty range, a weight that is not finite or below
 * 0; `out` is unchanged then and when memory is out. */
lim_result levels_choose(arena* scratch, const pieces* all, const int8_t* now,
                         const level_wish* wish, const level_limits* limits, int8_t* out,
                         level_report* report);
/* Whether levels are an antichain that covers all, with steps of at most one along every edge. */
bool levels_are_valid(const pieces* all, const int8_t* level);

#endif
