/* SPDX-License-Identifier: MIT
 * Skin: the deformed surface, positions relative to a double origin in world axes, normals and
 * tangents transported by the cofactor and the gradient of the field that moves them: blended
 * affine maps, or over a lattice what lies between the corners of a cell (skin/trilinear.h). At
 * rest the surface comes out exactly as it went in (displacement form).
 */
#ifndef LIMBER_DEFORM_H
#define LIMBER_DEFORM_H

#include "base/isa.h"
#include "skin/binding.h"

/* The surface that is deformed: vertices share points (seams are welded inside, split in the
 * output). */
typedef struct skin_surface {
    int32_t vertex_count, triangle_count;
    const int32_t* vertex_point; /* per vertex, index into the bindings */
    const float* normal;         /* 3 per vertex, rest */
    const float* tangent;        /* 4 per vertex, rest, or null */
    const uint32_t* indices;     /* 3 per triangle, original vertices */
} skin_surface;

typedef struct skin_output {
    lim_point origin;      /* chosen by the caller, near the body */
    float* positions;      /* 3 per vertex, world axes, metres */
    float* normals;        /* 3 per vertex */
    float* tangents;       /* 4 per vertex or null */
    lim_vec3 lower, upper; /* bounds of positions */
} skin_output;

/* Completes nodes->affine from d, x0 and B: entries 9..11 = d - B x0. Call after positions changed.
 */
void skin_prepare(node_state* nodes, isa set, workers* pool);
/* The same of some slots, from a multiple of 8 to another. */
void skin_prepare_some(node_state* nodes, isa set, int32_t begin, int32_t end);
/* Where all points of `b` are, frame coordinates, up to a multiple of 8. After skin_prepare. */
void skin_place(const bindings* b, const node_state* nodes, isa set, float* const place[3]);
/* Those of order[begin] to order[end - 1], at [begin, end); up to 7 places behind the last are
 * overwritten. */
void skin_place_some(const bindings* b, const node_state* nodes, isa set, const int32_t* order,
                     int32_t begin, int32_t end, float* const place[3]);
/* Deforms every vertex. */
void skin_deform(const bindings* b, const skin_surface* s, const node_state* nodes, double scale,
                 isa set, workers* pool, skin_output* out);
/* Its bounds, after positions were changed. */
void skin_bound(isa set, skin_output* out, int32_t vertex_count);

#endif
