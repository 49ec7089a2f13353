/* SPDX-License-Identifier: MIT
 * Inside of edit/levels.h: choices of nodes as sets of split pieces. A set is sound when with a
 * piece it holds its parent (the tree) and the parents of its neighbours (balance); its nodes are
 * the pieces that are not split while their parents are. A sound set has a node for every piece of
 * level 0 and, for each piece that it holds, one less than that has children. Sets are bits of one
 * byte per piece.
 */
#ifndef LIMBER_LEVEL_SETS_H
#define LIMBER_LEVEL_SETS_H

#include "base/sort.h"
#include "edit/levels.h"

enum {
    LEVEL_NOW = 1,    /* what is split now */
    LEVEL_FULL = 2,   /* what would be without limits */
    LEVEL_AIM = 4,    /* what shall be within the limit of nodes */
    LEVEL_COARSE = 8, /* not a set: whoever is content wishes it to be joined */
    LEVEL_PLANNED = 16
};

typedef struct level_place {
    int32_t level, piece;
} level_place;

typedef struct level_plan {
    level_place* at; /* in an order in which each step is sound */
    int32_t count;
    int64_t more; /* nodes that splits add */
} level_plan;

/* Arrays per piece of the levels above the finest, whose pieces are never split. */
typedef struct level_sets {
    arena* mem;
    const pieces* tree;
    const level_wish* wish;
    level_limits limits;
    int32_t total; /* pieces of these levels */
    uint8_t* state[OCTANT_LEVELS + 1];
    int8_t* need[OCTANT_LEVELS + 1];  /* finest of the wishes' coarsest levels */
    int8_t* allow[OCTANT_LEVELS + 1]; /* coarsest of the wishes' finest levels */
    int8_t* deep[OCTANT_LEVELS + 1];  /* finest level now */
    float* asked[OCTANT_LEVELS + 1];  /* largest weight of those who wish it split; 0: none */
    float* weight[OCTANT_LEVELS + 1]; /* largest weight */
    int64_t count;                    /* nodes of LEVEL_NOW */
    int32_t refined, joined;
} level_sets;

static inline int32_t level_children(const level_sets* s, level_place at) {
    const int32_t* first = s->tree->level[at.level].child_first;
    return first[at.piece + 1] - first[at.piece];
}

/* Adds a piece to the plan, after all that must be in a set before it. False: more than `room`
 * nodes would be added; what is planned stays marked until level_plan_drop. */
bool level_plan_split(level_sets* s, level_plan* plan, level_place at, uint8_t set, int64_t room);
void level_plan_drop(level_sets* s, level_plan* plan);

/* Who comes first: what is asked for by weight, then what is only kept, by weight. */
lim_result level_weigh(level_sets* s);
uint64_t level_order(const level_sets* s, level_place at);

/* LEVEL_AIM as a part of LEVEL_FULL that fits into the limit of nodes. */
lim_result level_fit(level_sets* s);
/* Moves LEVEL_NOW towards LEVEL_AIM within the limit of work; never above the limit of nodes, when
 * it was not. */
lim_result level_move(level_sets* s);

#endif
