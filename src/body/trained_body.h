/* SPDX-License-Identifier: MIT
 * What trained detail needs to know of a body: its nodes as one deformed shape, its skin at rest,
 * where a collider touches it, and a number that tells models apart. Used when detail is applied
 * (world/trained.h) and when it is trained.
 */
#ifndef LIMBER_TRAINED_BODY_H
#define LIMBER_TRAINED_BODY_H

#include "body/body.h"
#include "detail/detail_skin.h"
#include "detail/displacement.h"

/* Nodes in the order of keys, at rest and displaced in the axes of the first component. */
typedef struct trained_nodes {
    displaced_nodes nodes;
    float *x0[3], *d[3];
} trained_nodes;
lim_result trained_nodes_create(arena* a, const topology* t, trained_nodes* out);
void trained_nodes_update(const body* b, trained_nodes* n);

/* The skin of the topology at rest, in unit lengths. */
lim_result trained_skin_build(arena* a, const topology* t, detail_skin* out);

/* A hash of what detail depends on: nodes, their masses, the points of the skin and its triangles.
 * The scale, the material and the regions do not count. */
uint64_t trained_model(const topology* t);

/* Scratch of trained_contact: one entry per point of the skin, rounded up to a multiple of 8, and 8
 * more. */
typedef struct trained_search {
    int32_t* order;
    float* place[3];
} trained_search;
lim_result trained_search_create(arena* a, const topology* t, trained_search* out);

typedef struct trained_spot {
    lim_vec3 point, normal; /* in the rest shape, unit lengths; normal: unit */
} trained_spot;
/* Where a collider touches the body: the mean of the points of the skin within `reach` (unit) of
 * `about` at rest, each weighted by how near the deformed skin comes to the collider: 1 at no
 * distance, 0 at a quarter of `reach`, smooth between. So the place moves smoothly with the
 * collider, not from vertex to vertex. False where none is so near: out is then `about` and the
 * normal of the nearest point. O(points of the skin). */
bool trained_contact(const body* b, const detail_skin* skin, const collider* c, lim_vec3 about,
                     float reach, isa set, const trained_search* room, trained_spot* out);
/* A collider that touches in one place: no plane and no height field, and smaller than the body. */
bool trained_is_tool(const body* b, const collider* c);

#endif
