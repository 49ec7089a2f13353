/* SPDX-License-Identifier: MIT
 * Faces of cuts: which vertices are theirs, and their shape.
 */
#ifndef LIMBER_CUT_FACES_H
#define LIMBER_CUT_FACES_H

#include "body/remake.h"

enum { FACE_EARLIER = 1, FACE_NEW = 2 };

/* Per vertex that edits have made (behind those of the mesh), then per new vertex of a change that
 * is planned (or null): whether it is of a face of a cut before the change, or of the change, else
 * 0. Those lie on a blade alone, or between such; and a face has vertices of its own. In `a`.
 * O(vertices). */
lim_result cut_faces_mark(arena* a, const topology* t, const surface_change* change, uint8_t** out);

/* A triangle as thin parts are told by it. */
typedef struct face_shape {
    lim_point at[3], middle;
    lim_point normal; /* unit, or 0 */
    double height;    /* the least */
} face_shape;

static inline face_shape face_shape_of(lim_point a, lim_point b, lim_point c) {
    face_shape f = {.at = {a, b, c}};
    lim_point u = p3_sub(b, a), v = p3_sub(c, a), w = p3_sub(u, v), n = p3_cross(u, v);
    double longest = sqrt(fmax(p3_dot(w, w), fmax(p3_dot(u, u), p3_dot(v, v))));
    double length = p3_length(n);
    f.middle = p3_scale(p3_add(p3_add(a, b), c), 1.0 / 3.0);
    f.normal = p3_scale(n, length > 0.0 ? 1.0 / length : 0.0);
    f.height = longest > 0.0 ? length / longest : 0.0;
    return f;
}

#endif
