/* SPDX-License-Identifier: MIT
 * Bounded shortest paths over integer edge lengths (bucket-Moore): all nodes nearer than a limit to
 * one source, in order of distance.
 */
#ifndef LIMBER_DISTANCE_H
#define LIMBER_DISTANCE_H

#include "base/arena.h"

typedef struct graph {
    int32_t node_count;
    const int32_t* offset;  /* node_count + 1 */
    const int32_t* node;    /* neighbours, ascending */
    const uint16_t* length; /* > 0 */
} graph;

/* Scratch for searches from many sources: one per thread. */
typedef struct distance_search {
    graph g;
    int32_t longest_edge;
    uint32_t epoch;
    uint32_t *seen, *done; /* epoch stamps per node */
    int32_t* distance;     /* valid where seen == epoch */
    int32_t* bucket_head;  /* longest_edge + 1 circular buckets, linked through entries */
    int32_t *entry_node, *entry_next;
    int32_t entry_capacity;
    /* result of the last search, in order of (distance, order of discovery) */
    int32_t count;
    int32_t* found;
    int32_t* found_distance;
} distance_search;

lim_result distance_search_init(distance_search* s, arena* a, graph g);
/* Finds every node with distance < limit from source; results in s->found. O(nodes found * degree).
 */
void distance_search_run(distance_search* s, int32_t source, int32_t limit);

#endif
