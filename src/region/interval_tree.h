/* SPDX-License-Identifier: MIT
 * The tree of virtual nodes over a body's nodes, and the distance intervals of its virtual nodes as
 * one node sees them (Steinemann et al. 2008, section 4.2). A virtual node stands for all nodes
 * below a piece of material; a piece with a single child is that child.
 *
 * One space of numbers: below slot_count a number is a node's slot, from there on a virtual node.
 * Virtual nodes are in order of (level, piece), the finest level first, so children come before
 * their parents.
 */
#ifndef LIMBER_INTERVAL_TREE_H
#define LIMBER_INTERVAL_TREE_H

#include "base/sort.h"
#include "region/region.h"

enum { INTERVAL_FAR = INT32_MAX }; /* the distance of what a search has not reached */

typedef struct interval_tree {
    int32_t slot_count, count;        /* slots with pads; all numbers, virtual nodes included */
    int32_t finest;                   /* level of the finest nodes */
    int32_t first[OCTANT_LEVELS + 2]; /* virtual nodes of level l: [first[l + 1], first[l]) */
    int32_t* parent;                  /* per number; -1 for roots and pads */
    uint64_t* order;                  /* per number: level << 32 | piece, the canonical order */
    int32_t* leaves;                  /* per number: how many nodes */
    int32_t* child_first;             /* CSR over numbers less slot_count */
    int32_t* child;                   /* at least two each, in canonical order */
} interval_tree;

lim_result interval_tree_build(arena* a, const region_nodes* nodes, region_tree tree,
                               interval_tree* out);

/* Scratch and result of searches from many nodes: one per thread. */
typedef struct interval_search {
    const interval_tree* tree;
    distance_search distances;
    uint32_t* seen;   /* per number: the search that reached it */
    int32_t *a, *b;   /* per number: least and largest distance, valid where seen is this search */
    int32_t* arrived; /* per number: children that were reached */
    int32_t* reached; /* the virtual nodes reached, of level l from first[l + 1] - slot_count */
    int32_t* waiting; /* stack of the descent */
    sort_item *item, *spare;
    int32_t count; /* the summation nodes of the last search, in canonical order */
    int32_t* chosen;
} interval_search;

lim_result interval_search_init(interval_search* s, arena* a, const interval_tree* tree, graph g);

/* The least distance that is too far for a region of this width: a whole number d is below
 * (1 + eps) width exactly when it is below this; never below width + 1, so that a node at width
 * itself belongs also when eps = 0. */
int32_t interval_limit(int32_t width, int32_t eps_num, int32_t eps_den);

/* Distances and intervals from `slot`, then the summation nodes: from the roots down, what is
 * farther than width everywhere (a > width) is left out, what is nearer than limit everywhere (b <
 * limit) is taken, anything else is opened. */
void interval_search_run(interval_search* s, int32_t slot, int32_t width, int32_t limit);

/* [a, b] of a number as the last search left it: both INTERVAL_FAR where it did not come. */
static inline int32_t interval_least(const interval_search* s, int32_t number) {
    return s->seen[number] == s->distances.epoch ? s->a[number] : INTERVAL_FAR;
}
static inline int32_t interval_most(const interval_search* s, int32_t number) {
    return s->seen[number] == s->distances.epoch ? s->b[number] : INTERVAL_FAR;
}

#endif
