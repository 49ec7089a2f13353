/* SPDX-License-Identifier: MIT
 * Detail onto the deformed skin. Displacements are given in the axes of the rest shape; each point
 * of the skin turns its own along with its surface: by the frame of its normal and the direction to
 * a neighbour, at rest and now. So a rigid motion of the scene turns detail with it, and a bend
 * carries it along. Normals and tangents then turn as the area-weighted normals of the triangles
 * about their point do. A point without detail keeps its position to the bit; so do normals where
 * nothing about them moves.
 */
#ifndef LIMBER_DETAIL_SKIN_H
#define LIMBER_DETAIL_SKIN_H

#include "detail/stamp.h"

/* The skin at rest. Several vertices may be one point (seams). */
typedef struct detail_skin {
    int32_t point_count, vertex_count, triangle_count;
    float* rest[3];    /* per point */
    lim_vec3* normal;  /* per point, at rest: of its first vertex */
    lim_vec3* tangent; /* per point, at rest: to the neighbour, across the normal; 0: it has none */
    int32_t* toward;   /* per point: that neighbour */
    int32_t* point_vertex;    /* per point: its first vertex; -1: none */
    int32_t* vertex_point;    /* per vertex */
    int32_t* triangle;        /* 3 points per triangle */
    int32_t *fan_start, *fan; /* per point: its triangles, by ascending index */
} detail_skin;

/* positions (3 per point), vertex_point per vertex, normals (3 per vertex, unit), triangles (3
 * points each, in range). Arrays are copied. */
lim_result detail_skin_build(arena* a, const float* positions, int32_t point_count,
                             const int32_t* vertex_point, const float* normals,
                             int32_t vertex_count, const int32_t* triangles, int32_t triangle_count,
                             detail_skin* out);

/* What one tool adds. */
typedef struct detail_layer {
    const float* window; /* per point; null: 1 */
    const float* vector; /* blended examples, a dense field of the points */
    const stamp_grid* grid;
    const float* texels; /* blended stamps; null: the vector alone */
    stamp_place place;
} detail_layer;

/* sum (a dense field of the points) += window (near stamp + (1 - near) vector). */
void detail_add(const detail_skin* s, const detail_layer* layer, float* sum);

/* What detail_move works in. */
typedef struct detail_room {
    lim_vec3* move;   /* per point */
    lim_vec3* before; /* per triangle: its normal times twice its area, without and with detail */
    lim_vec3* after;
} detail_room;
lim_result detail_room_create(arena* a, const detail_skin* s, detail_room* out);

/* A vector at a point of the deformed skin (positions and normals: 3 per vertex), in the axes of
 * the rest shape: what detail_move turns back. */
lim_vec3 detail_to_rest(const detail_skin* s, int32_t point, lim_vec3 v, const float* positions,
                        const float* normals);

/* Adds scale times sum to positions (3 per vertex, any axes) and turns normals (3 per vertex) and
 * tangents (4 per vertex, or null) where it makes a difference. */
void detail_move(const detail_skin* s, const float* sum, float scale, const detail_room* room,
                 float* positions, float* normals, float* tangents);

#endif
