/* SPDX-License-Identifier: MIT
 * Which batch every triangle goes to (skin/batches.h).
 */
#ifndef LIMBER_BATCH_GROWTH_H
#define LIMBER_BATCH_GROWTH_H

#include "skin/batches.h"

/* The nodes of triangles and the triangles of nodes and points, as lists behind offsets. */
typedef struct batch_lists {
    int32_t *triangle_offset, *triangle_node; /* distinct, ascending */
    int32_t *node_offset, *node_triangle;
    int32_t *point_offset, *point_triangle;
} batch_lists;

lim_result batch_lists_make(arena* a, const batch_source* in, batch_lists* out);
/* Numbers the batches; batch: one per triangle. Batches of one submesh come one after the other. */
lim_result batches_grow(arena* scratch, const batch_source* in, const batch_lists* lists,
                        int32_t max_nodes, int32_t* batch, int32_t* out_count);

#endif
