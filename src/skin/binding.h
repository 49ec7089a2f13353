/* SPDX-License-Identifier: MIT
 * Bindings: the one way anything is anchored to a body. A point of material at rest position X is
 *     x(X) = X + sum_k weight_k (d_k + B_k (X - x0_k)),  k over up to 8 nodes, weights sum to 1,
 * with B_k = L_k - 1 the node's own affine part (algorithms B.3). Weights are products over the
 * axes of a smooth step K(t) = 1 - t^2 (3 - 2 t), t = |X - cell centre| / cell edge, K(t) + K(1 -
 * t) = 1: on a uniform grid they are a partition of unity over 8 cells with continuous first
 * derivatives. Only nodes that see the point count (no finger pulls its neighbour's skin):
 * candidates are taken from the graph neighbourhood of the point's own fragment.
 */
#ifndef LIMBER_BINDING_H
#define LIMBER_BINDING_H

#include "graph/distance.h"
#include "node/node.h"

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
} bindings;

/* Rest geometry that binding needs, over padded slots. */
typedef struct bind_nodes {
    int32_t padded;
    const float* x0[3];     /* centroids */
    const float* centre[3]; /* cell centres */
    const float* side;      /* cell edges; 0 for pads */
    const int32_t* slot_component;
    graph g; /* over slots */
} bind_nodes;

/* Binds `count` rest points. `normal` (3 per point, outward, or null) helps to find the fragment on
 * the inner side of a surface point. */
lim_result bindings_build(arena* a, arena* scratch, const bind_nodes* nodes, const lim_vec3* points,
                          const lim_vec3* normals, int32_t count, bindings* out);

/* Current position (frame coordinates) and velocity of a bound point. */
lim_vec3 binding_position(const binding* b, lim_vec3 rest, const node_state* n);
lim_vec3 binding_velocity(const binding* b, const node_state* n);
/* Moves the nodes alike: v_k += weight_k dv, but those with inverse mass 0. Its impulse is dv times
 * binding_mass, shared in proportion to mass, so that a light node is not thrown. */
void binding_push(const binding* b, node_state* n, lim_vec3 dv);
/* sum weight_k m_k, pinned nodes included. */
float binding_mass(const binding* b, const node_state* n);
/* What the point's own velocity takes of a push: sum weight_k^2. */
float binding_response(const binding* b);

#endif
