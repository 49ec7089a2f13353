/* SPDX-License-Identifier: MIT
 * Wishes: how large a cell may be, by the rules of a model's descriptor.
 */
#ifndef LIMBER_WISH_H
#define LIMBER_WISH_H

#include "sample/thickness.h"

#include <limber/model.h>

typedef struct wishes {
    const lim_model_desc* desc;
    const pieces* tree;
    thickness thick;
    double unit;                      /* metres per unit length */
    lim_point origin;                 /* of unit space, in metres in the mesh's frame times scale */
    float* vertex[OCTANT_LEVELS + 1]; /* per piece the least of desc->vertex_size in it, metres, or
                                         infinite; null without that rule */
} wishes;

/* Arrays in `a`, for the levels from `coarsest` on. */
lim_result wishes_build(arena* a, const lim_model_desc* desc, const voxels* v, const fragments* f,
                        const visibility* see, const pieces* tree, int32_t coarsest, wishes* out);

/* How many times too large the cell of a piece is, by the strictest rule: it should be split when
 * this is above 1. Infinite where it must be, budget or not. The level is not the finest. Calls
 * desc->size_at. */
double wishes_excess(const wishes* w, int32_t level, int32_t piece);

#endif
