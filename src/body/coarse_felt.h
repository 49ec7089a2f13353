/* SPDX-License-Identifier: MIT
 * A surface no finer than others need to feel it: contact acts on nodes, so what a skin does within
 * a small part of a cell only costs time. Points are drawn onto neighbours, shortest sides first
 * (half-edge collapses, Hoppe 1996, as Kobbelt et al. 1998 restrict them), so that those that are
 * left keep their places and bindings. What was closed stays closed.
 */
#ifndef LIMBER_COARSE_FELT_H
#define LIMBER_COARSE_FELT_H

#include "skin/deform.h"

/* Sides shorter than this are drawn together, none becomes longer than that: in cells of the nodes
 * that their ends follow most. */
#define COARSE_SHORT 0.333f
#define COARSE_LONG  0.5f
/* No point that is gone is farther than this from the triangles in its place: finest cells. */
#define COARSE_AWAY 0.02f

/* Nor does the volume change by more than this share of it. */
#define COARSE_VOLUME 0.004

typedef struct coarse_source {
    const bindings* points;
    const int32_t* corner; /* 3 points per triangle */
    int32_t triangle_count;
    const lim_vec3* normal; /* of the points (surface_normals) */
    const float* side;      /* per slot: of its cell; 0: the finest */
    int32_t slot_count;
    float cell; /* the finest */
} coarse_source;

/* Writes the triangles that are left, in the arena; those given where hardly any would go. */
lim_result coarse_felt_make(arena* scratch, const coarse_source* from, const int32_t** out_corner,
                            int32_t* out_count);

#endif
