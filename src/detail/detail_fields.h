/* SPDX-License-Identifier: MIT
 * Fields of detail: one vector per point of the skin, or per texel of a stamp, in blocks of 8 (8 x,
 * 8 y, 8 z) of which only those are there that are not zero.
 */
#ifndef LIMBER_DETAIL_FIELDS_H
#define LIMBER_DETAIL_FIELDS_H

#include "base/arena.h"
#include "detail/detail_kernel.h"
#include "math/vec3.h"

typedef struct detail_field {
    int32_t count;        /* blocks that are there */
    const int32_t* block; /* ascending */
    const float* value;   /* DETAIL_BLOCK floats for each */
} detail_field;

static inline int32_t detail_blocks(int32_t vectors) {
    return (vectors + DETAIL_LANES - 1) / DETAIL_LANES;
}
static inline lim_vec3 detail_get(const float* dense, int32_t i) {
    const float* block = dense + (size_t)(i / DETAIL_LANES) * DETAIL_BLOCK + i % DETAIL_LANES;
    return v3(block[0], block[DETAIL_LANES], block[2 * DETAIL_LANES]);
}
static inline void detail_set(float* dense, int32_t i, lim_vec3 v) {
    float* block = dense + (size_t)(i / DETAIL_LANES) * DETAIL_BLOCK + i % DETAIL_LANES;
    block[0] = v.x;
    block[DETAIL_LANES] = v.y;
    block[2 * DETAIL_LANES] = v.z;
}

/* The blocks of a dense field (blocks * DETAIL_BLOCK floats) in which something is longer than
 * `least`. */
lim_result detail_field_of(arena* a, const float* dense, int32_t blocks, float least,
                           detail_field* out);
/* dense = sum of weight[i] field[i], in their order; blocks that no field of weight has are 0. */
void detail_blend(isa set, const detail_field* fields, const float* weight, int32_t count,
                  int32_t blocks, float* dense);

#endif
