/* SPDX-License-Identifier: MIT
 * Batches: a surface cut into runs of triangles whose vertices together follow a limited number of
 * nodes, so that a host which skins on its GPU needs only that many node transforms per draw call.
 */
#ifndef LIMBER_BATCHES_H
#define LIMBER_BATCHES_H

#include "base/arena.h"

#include <limber/model.h>

/* A triangle of three vertices with eight nodes each always fits into a batch of this many. */
enum { BATCH_LEAST = 24, BATCH_VERTEX_NODES = 8 };

typedef struct batch_source {
    int32_t vertex_count, triangle_count, node_count, point_count;
    const uint32_t* indices;     /* 3 vertices per triangle */
    const int32_t* submesh;      /* per triangle, not below 0 */
    const int32_t* vertex_point; /* per vertex: vertices of one point are joined */
    const float* positions;      /* 3 per vertex, at rest */
    const int32_t* nodes;        /* 8 per vertex; the same one may come again */
} batch_source;

/* Cuts the surface; max_nodes from BATCH_LEAST on. Arrays are the arena's. A pure function. About
 * O(triangles log triangles). */
lim_result batches_build(arena* a, arena* scratch, const batch_source* in, int32_t max_nodes,
                         lim_batches_view* out);

#endif
