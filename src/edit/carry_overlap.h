/* SPDX-License-Identifier: MIT
 * Which nodes of a topology are made of which nodes of another that has the same material: the
 * bipartite graph of what they share, by fragments, and its connected groups. Within a group sums
 * over the old nodes and over the new ones mean the same material.
 */
#ifndef LIMBER_CARRY_OVERLAP_H
#define LIMBER_CARRY_OVERLAP_H

#include "edit/carry.h"

typedef struct carry_overlap {
    const topology *before, *after;
    int32_t* kept;     /* per new slot: the old slot that it is, else -1 */
    int32_t* becoming; /* per old slot: the new slot that it is, else -1 */
    int32_t* first;    /* new slots + 1: */
    int32_t* old;      /* the old slots that it shares material with */
    double* mass;    /* of what they share; 0: the old one is gone and this one stands in for it */
    int32_t* source; /* per new slot: the old slot that shares most, the lower of two; -1: a pad */
    /* connected groups of those that are not kept, by lowest new slot; -1: none */
    int32_t group_count;
    int32_t *old_group, *new_group;
    int32_t changed;   /* new slots that are not kept: */
    int32_t* new_slot; /* which, ascending */
    int32_t replaced;  /* old slots that are in a group: */
    int32_t* old_slot; /* which, ascending */
} carry_overlap;

/* All in `a`. O(slots + fragments). */
lim_result carry_overlap_make(arena* a, const topology* before, const topology* after,
                              const carry_map* map, carry_overlap* out);

static inline bool carry_is_within(const carry_overlap* o, int32_t slot) {
    return o->first[slot + 1] - o->first[slot] == 1;
}

#endif
