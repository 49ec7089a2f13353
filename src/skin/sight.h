/* SPDX-License-Identifier: MIT
 * Sight: which of the nodes about a point count there, and how far. A node counts when it is joined
 * to the point's own node by the graph, through nodes about the point only: as much as the widest
 * way to it lets through, the way being as wide as the lightest node on it. So a finger does not
 * pull its neighbour's skin, however near, and where both grow from one palm the palm's own weight
 * says how much they share: nothing jumps where a way opens.
 */
#ifndef LIMBER_SIGHT_H
#define LIMBER_SIGHT_H

#include "graph/distance.h"

typedef struct sight_node {
    int32_t slot;
    double weight; /* > 0: of its cell */
    double seen;   /* 0 to weight: what the widest way lets through */
} sight_node;

typedef struct sight {
    graph g;
    int32_t* mark;  /* per node: 1 + the own node that it is a neighbour of */
    int32_t marked; /* the own node of the last marks */
} sight;

lim_result sight_init(sight* s, arena* a, graph g);
/* Fills `seen`. Ways start at `own`, which need not be among the nodes. O(count^2 log(degree)) at
 * worst, O(count) where all are neighbours of the own one. */
void sight_look(sight* s, int32_t own, sight_node* nodes, int32_t count);

#endif
