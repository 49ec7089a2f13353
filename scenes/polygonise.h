/* SPDX-License-Identifier: MIT
 * From a field to a closed triangle mesh with even triangles.
 */
#ifndef LIMBER_POLYGONISE_H
#define LIMBER_POLYGONISE_H

#include "base/arena.h"
#include "implicit.h"

typedef struct polygon_mesh {
    int32_t vertex_count, triangle_count;
    lim_point* position;
    float* normal;     /* 3 per vertex, from the gradient */
    float* colour;     /* 4 per vertex, linear RGBA */
    uint32_t* indices; /* 3 per triangle, counter-clockwise from outside */
} polygon_mesh;

enum { POLYGONISE_TRIANGLES_LEAST = 100, POLYGONISE_TRIANGLES_MOST = 400000 };

/* About `triangle_target` triangles (within a factor of about 1.2) of the surface where the field
 * is zero. The arrays live in `a`, the scratch goes to `scratch`. Every edge has exactly two
 * triangles, which run through it in opposite directions. LIM_ERROR_MESH when the shape has parts
 * so thin for the target that no such surface was found. */
lim_result polygonise(const implicit_shape* shape, int32_t triangle_target, arena* a,
                      arena* scratch, polygon_mesh* out);

#endif
