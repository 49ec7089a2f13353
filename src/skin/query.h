/* SPDX-License-Identifier: MIT
 * Picking on a deformed skin: the nearest triangle along a ray, the nearest point of the surface.
 * Plain passes over all triangles in double, O(triangles): a deformed surface has no tree, and one
 * query costs less than making one. Of equal triangles the lowest index wins.
 */
#ifndef LIMBER_QUERY_H
#define LIMBER_QUERY_H

#include "math/vec3.h"

typedef struct skin_hit {
    int32_t triangle; /* -1: none */
    float weights[3]; /* barycentric, of the triangle's corners */
    double distance;  /* ray: parameter t, in lengths of direction; closest: distance */
} skin_hit;

/* Both sides count; no ray slips through an edge that two triangles share. `from` is relative to
 * the skin's origin. Finds 0 <= t <= max_t; nothing for a zero or non-finite direction. */
skin_hit skin_ray(const float* positions, const uint32_t* indices, int32_t triangle_count,
                  lim_point from, lim_vec3 direction, double max_t);
/* Nearest point within max_distance (may be infinite). */
skin_hit skin_closest(const float* positions, const uint32_t* indices, int32_t triangle_count,
                      lim_point to, double max_distance);
/* Unit normal of a triangle by the order of its corners; zero when it has no area. */
lim_vec3 skin_triangle_normal(const float* positions, const uint32_t* indices, int32_t triangle);

#endif
