/* SPDX-License-Identifier: MIT
 * The inside of a lim_mesh: the caller's vertices as they came, and the welded surface that
 * geometry works on. Everything geometric happens in unit space: unit = (p - origin) / size, so
 * that the longest side of the bounds is 1 and meshes of any scale and place are equally exact.
 */
#ifndef LIMBER_SURFACE_H
#define LIMBER_SURFACE_H

#include "base/arena.h"
#include "math/vec3.h"
#include "mesh/attributes.h"

#include <limber/mesh.h>

struct lim_mesh {
    arena mem; /* owns every array below */
    /* the caller's vertices, original order and count */
    int32_t vertex_count;
    lim_point* position;
    float* normal;                /* 3 per vertex */
    float* tangent;               /* 4 per vertex, or null */
    float* uv;                    /* 2 per vertex, or null */
    float* colour;                /* 4 per vertex, or null */
    float* attribute[ATTRIBUTES]; /* 1 per vertex, or null */
    int32_t*
        vertex_point; /* welded point of each vertex, -1 for vertices that no kept triangle uses */
    /* kept triangles */
    int32_t triangle_count, submesh_count;
    uint32_t* triangle_vertex; /* 3 per triangle: original vertices */
    int32_t* triangle_point; /* 3 per triangle: welded points; flipped parts are turned here only */
    int32_t* triangle_submesh;
    int32_t* triangle_part; /* connected part of each triangle */
    /* parts, in unit space; report.parts of them */
    uint8_t* part_closed; /* 1: every edge is balanced by its triangles (after turning) */
    double* part_volume; /* by the divergence theorem, positive for solids, negative for cavities */
    double* part_area;   /* coincident triangles counted once */
    /* welded points in unit space */
    int32_t point_count;
    lim_vec3* point;
    lim_point origin; /* centre of the bounds of the used vertices */
    double size;      /* longest side of the bounds, > 0 */
    lim_mesh_report report;
};

#endif
