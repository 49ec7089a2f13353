/* SPDX-License-Identifier: MIT
 * Points on a surface between its corners, so that no spot of it is farther than a cell from a
 * point that can feel a contact: a box of twelve triangles needs more than its eight corners to
 * rest on.
 */
#ifndef LIMBER_SAMPLES_H
#define LIMBER_SAMPLES_H

#include "base/arena.h"
#include "math/vec3.h"

typedef struct surface_samples {
    int32_t count;
    lim_vec3 *point, *normal;
} surface_samples;

/* Samples of triangles whose sides are longer than `spacing`, at most `most` of them (else wider
 * apart). Corners are not repeated; a side that two triangles share in opposite directions is
 * sampled once. */
lim_result surface_samples_make(arena* a, const lim_vec3* points, const int32_t* triangles,
                                int32_t triangle_count, float spacing, int32_t most,
                                surface_samples* out);

#endif
