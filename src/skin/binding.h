/* SPDX-License-Identifier: MIT
 * Bindings: the one way anything is anchored to a body. A point of material at rest position X is
 *     x(X) = X + sum_k weight_k (d_k + B_k (X - x0_k)),  k over up to 8 nodes, weights sum to 1,
 * with B_k = L_k - 1 the node's own affine part. A node's weight is the share of a soft window
 * about the point that its cell covers (skin/cell_kernel.h): over cells of one size the tensor
 * product of smooth steps, over a tree of cells a partition of unity with continuous first
 * derivatives across every jump of size. Only nodes that see the point count (skin/sight.h): no
 * finger pulls its neighbour's skin.
 */
#ifndef LIMBER_BINDING_H
#define LIMBER_BINDING_H

#include "base/workers.h"
#include "graph/distance.h"
#include "node/node.h"
#include "skin/cell_grid.h"

enum { BINDING_NODES = 8 };

/* One anchored point, weights in descending order. Unused entries come last, have weight 0 and
 * repeat node[0]. */
typedef struct binding {
    int32_t node[BINDING_NODES]; /* slots, all of one component */
    float weight[BINDING_NODES];
} binding;

typedef struct bindings {
    int32_t count;
    binding* bind;
    float* rest[3]; /* X, unit space relative to the body's centre of mass */
    int32_t* component;
    bool plain; /* all nodes have B = 0 */
    /* Only over a lattice (skin/trilinear.h), else 0 and null: the cell that a point is in. There
     * nodes have B = 0, and the slopes of the field come from the corners of the cell. */
    int32_t cell_count;
    float cell_edge;
    int32_t* corner; /* 8 slots per cell; bit k of the corner: the far side along axis k */
    int32_t* cell;   /* per point */
    float* local[3]; /* per point: its place in the cell, 0..1 */
} bindings;

/* The material in more detail than nodes have: pieces at least as small as the nodes' own, such as
 * the fragments of the finest cells below coarse nodes. They say which node a point belongs to. */
typedef struct bind_material {
    int32_t count;
    const float* x0[3];     /* centroids */
    const float* centre[3]; /* of the cells they lie in */
    const float* side;      /* cell edges, > 0 */
    const int32_t* slot;    /* the node each is part of */
    const cell_grid* grid;  /* of these, where it is there already; null: made */
} bind_material;

/* Rest geometry that binding needs, over padded slots. Cells may be of several sizes (an octree's),
 * and several nodes may lie in one cell (fragments). */
typedef struct bind_nodes {
    int32_t padded;
    const float* x0[3];     /* centroids */
    const float* centre[3]; /* cell centres */
    const float* side;      /* cell edges; 0 for pads */
    const int32_t* slot_component;
    graph g;                       /* over slots */
    const bind_material* material; /* null: nodes are all there is to know */
    const cell_frame* frame;       /* null: cells lie anyhow; else the root of their tree */
    const cell_grid* grid;         /* of the cells, where it is there already; null: made */
} bind_nodes;

/* Binds `count` rest points. `normal` (3 per point, outward, or null) helps to find the fragment on
 * the inner side of a surface point. out_home, or null: per point the piece of material that it
 * belongs to; the slot where there is no material. */
lim_result bindings_build(arena* a, arena* scratch, const bind_nodes* nodes, const lim_vec3* points,
                          const lim_vec3* normals, int32_t count, int32_t* out_home, bindings* out);

/* Binds some of the points of `b` anew: the point which[i], which belongs to the slot own[i]. */
lim_result bindings_renew(arena* scratch, const bind_nodes* nodes, const int32_t* which,
                          const int32_t* own, int32_t count, workers* pool, bindings* b);
/* The pieces of material that points belong to, as bindings_build finds them. */
lim_result bindings_homes(arena* scratch, const bind_material* m, const lim_vec3* points,
                          const lim_vec3* normals, int32_t count, int32_t* out_home);

static inline lim_vec3 bindings_rest(const bindings* b, int32_t point) {
    return v3(b->rest[0][point], b->rest[1][point], b->rest[2][point]);
}

/* Current position (frame coordinates) and velocity of a bound point. */
lim_vec3 binding_position(const binding* b, lim_vec3 rest, const node_state* n);
lim_vec3 binding_velocity(const binding* b, const node_state* n);
/* sum weight_k m_k, pinned nodes included. */
float binding_mass(const binding* b, const node_state* n);

#endif
