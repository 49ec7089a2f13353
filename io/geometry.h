/* SPDX-License-Identifier: MIT
 * The meshes of a picture, seen from its camera and drawn into a band of samples.
 */
#ifndef LIMBER_GEOMETRY_H
#define LIMBER_GEOMETRY_H

#include "base/arena.h"
#include "io/raster.h"
#include "io/view.h"

enum { SAMPLES = 2 }; /* per pixel and direction */

typedef struct seen_vertex {
    lim_vec3 at; /* view space */
    int32_t x, y;
    float inverse; /* 1 / at.z */
    uint32_t code; /* which planes it lies beyond; see geometry.c */
} seen_vertex;

typedef struct geometry {
    const lim_picture* picture;
    view v;
    int32_t width, height;   /* samples */
    seen_vertex* vertices;   /* of all meshes */
    int32_t* first_vertex;   /* per mesh, and the end */
    int32_t* first_triangle; /* per mesh, and the end; numbers over all meshes are the sample ids */
    lim_vec3 lower, upper;   /* bounds of the finite vertices; lower > upper when there are none */
} geometry;

/* Checks the picture and transforms its vertices. */
lim_result geometry_make(arena* memory, const lim_picture* picture, geometry* out);
/* Draws the triangles of the veils, or those of the other meshes, into the grid: values are
 * 1 / distance, ids as above. */
void geometry_draw(const geometry* g, const raster_grid* grid, bool veils);
/* The mesh of a triangle id; `guess` is tried first. */
int32_t geometry_mesh_of(const geometry* g, int32_t id, int32_t guess);

#endif
