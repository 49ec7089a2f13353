/* SPDX-License-Identifier: MIT
 * A surface fine enough to feel contacts: a box of twelve triangles needs more than its eight
 * corners to rest on, and others lean on the middle of its sides. Sides of triangles longer than a
 * spacing are halved, again and again; both triangles at a side get the same middle, so no cracks
 * open when the points move apart.
 */
#ifndef LIMBER_SAMPLES_H
#define LIMBER_SAMPLES_H

#include "base/arena.h"
#include "math/vec3.h"

typedef struct surface_samples {
    int32_t count;
    lim_vec3 *point, *normal; /* of the middles */
    int32_t triangle_count;   /* of the finer surface; 0: no triangle was halved */
    int32_t* corner;          /* 3 per triangle: points as they were given, then `first` + sample */
} surface_samples;

/* Halves sides longer than `spacing`, at most `most` new points (else they are wider apart); they
 * are numbered from `first` on. */
lim_result surface_samples_make(arena* a, const lim_vec3* points, const int32_t* triangles,
                                int32_t triangle_count, float spacing, int32_t first, int32_t most,
                                surface_samples* out);

#endif
