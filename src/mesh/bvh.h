/* SPDX-License-Identifier: MIT
 * A bounding volume hierarchy over the triangles of a surface in unit space: closest point and
 * boxes.
 */
#ifndef LIMBER_BVH_H
#define LIMBER_BVH_H

#include "mesh/surface.h"

typedef struct bvh bvh;

typedef struct bvh_hit {
    int32_t triangle; /* -1: none */
    float distance;   /* unit space */
    lim_vec3 point;
    float weights[3]; /* barycentric */
} bvh_hit;

/* Built in `a`, which also owns it. points: 3 per triangle indices into point[]. */
lim_result bvh_build(arena* a, const lim_vec3* point, const int32_t* triangle_point,
                     int32_t triangle_count, bvh** out);
/* Nearest triangle within max_distance. */
bvh_hit bvh_closest(const bvh* tree, lim_vec3 at, float max_distance);
/* Calls visit for each triangle whose box meets [lower, upper]; stops when it returns false. */
void bvh_visit(const bvh* tree, lim_vec3 lower, lim_vec3 upper,
               bool (*visit)(void* user, int32_t triangle), void* user);

#endif
