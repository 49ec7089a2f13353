/* SPDX-License-Identifier: MIT
 * Cutting a closed triangle surface along a blade surface, in rest space (unit space, double).
 *
 * Where the blade passes through the solid the two sides part: skin triangles are split along the
 * blade, the part of the blade inside becomes two faces, one for each side, and what lies on the
 * cut gets one point per side. Along the border of the blade inside the solid (the crack front)
 * there is one point for both, so that a cut that ends inside leaves a closed surface with a slit
 * of no width. Every edge of the result has exactly two triangles in opposite directions.
 *
 * The surface may hold slits and faces of earlier cuts that lie on each other. A stroke that grows
 * is cut anew from the surface before it, with the blade of the whole stroke: a blade that begins
 * exactly at the front of an earlier slit does not join it.
 */
#ifndef LIMBER_CUT_H
#define LIMBER_CUT_H

#include "base/arena.h"
#include "mesh/bvh.h"
#include "mesh/winding.h"

typedef struct cut_surface {
    int32_t point_count, triangle_count;
    const lim_point* point;
    const int32_t* triangle; /* 3 points each, outward counter-clockwise */
    const int32_t* submesh;  /* one per triangle, or null: 0 */
} cut_surface;

/* Oriented, each edge in one or two triangles; it must not cross itself. */
typedef struct cut_blade {
    int32_t point_count, triangle_count;
    const lim_point* point;
    const int32_t* triangle;
    const float* uv; /* 2 per point: places on the blade for its faces, or null; a cut does not read
                        them */
    bool sound;      /* it is known not to cross itself, as one that has cut before */
} cut_blade;

typedef struct cut_options {
    /* Triangles that may meet the blade, ascending: all whose box meets the blade's, or more. Null:
     * every triangle is looked at. */
    const int32_t* candidate;
    int32_t candidate_count;
    const winding* inside; /* of the surface, or null: a blade wholly off it costs O(triangles) */
    uint64_t stroke;       /* which way the blade moves aside where it hits edges exactly */
    int32_t inner_submesh; /* of the cut faces */
} cut_options;

typedef struct cut_point {
    int32_t source[3]; /* points of the skin triangle it lies in, -1 for inner points */
    int32_t blade;     /* inner points: the blade triangle, else -1 */
    double weight[3];  /* of the corners of either */
    int32_t side;      /* 1 on the side that the blade's normal looks to, -1, 0: crack front */
} cut_point;

/* What changes. New points are numbered on from those of the surface. */
typedef struct cut_result {
    int32_t point_count, triangle_count, removed_count;
    lim_point* point;
    cut_point* origin;
    int32_t* triangle;        /* 3 points each */
    int32_t* submesh;         /* of each */
    int32_t* triangle_origin; /* the skin triangle it is a part of, -1 for cut faces */
    int32_t* triangle_blade;  /* the blade triangle of cut faces, else -1 */
    int8_t* triangle_side;    /* cut faces: of which side's material, 1 or -1; else 0 */
    int32_t* removed;         /* skin triangles that the new ones replace, ascending */
    lim_point* blade_point;   /* points of the blade as it has cut, wherever they were moved to */
    int32_t tries;            /* 0: the blade as it came; else how often it was moved aside */
} cut_result;

/* Cuts; the result is in `a`. A blade that misses gives LIM_OK and no triangle.
 * LIM_ERROR_ARGUMENT: not finite, an index out of range, a blade triangle without area or a blade
 * edge with three triangles. LIM_ERROR_MESH: the surface is not closed near the blade.
 * LIM_ERROR_UNSUPPORTED: blade or surface cross themselves there, or no small move of the blade
 * gives a sound cut. Blade points move by at most 2^-18 (mostly 0 or 2^-34). O(touched). */
lim_result cut_surface_along(arena* a, const cut_surface* surface, const cut_blade* blade,
                             const cut_options* options, cut_result* out);

/* Whether a blade with sound triangles crosses itself, by exact signs; where two triangles only
 * touch it does not. where: per triangle, set to 1 for those that cross another; or null.
 * O(triangles log triangles). */
lim_result cut_blade_crosses(const cut_blade* blade, const lim_host* host, uint8_t* where,
                             bool* out);

/* Shares of the corners in p, which lies in the plane of a, b, c. */
void cut_weights(lim_point a, lim_point b, lim_point c, lim_point p, double weight[3]);

/* Connected parts (through points) of triangles; part[] per triangle in order of first appearance.
 */
lim_result cut_parts(arena* a, int32_t point_count, const int32_t* triangle, int32_t triangle_count,
                     int32_t* part, int32_t* out_count);

#endif
