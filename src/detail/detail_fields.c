/* SPDX-License-Identifier: MIT
 * Job: sparse fields and their weighted sums. In: fields, weights. Out: a dense field.
 */
#include "detail/detail_fields.h"

#include <string.h>

static bool block_counts(const float* block, float least) {
    for (int k = 0; k < DETAIL_LANES; ++k) {
        if (v3_length(detail_get(block, k)) > least) {
            return true;
        }
    }
    return false;
}

lim_result detail_field_of(arena* a, const float* dense, int32_t blocks, float least,
                           detail_field* out) {
    int32_t count = 0;
    for (int32_t i = 0; i < blocks; ++i) {
        count += block_counts(dense + (size_t)i * DETAIL_BLOCK, least);
    }
    int32_t* block = ARENA_ARRAY(a, int32_t, count);
    float* value = ARENA_ARRAY(a, float, (size_t)count* DETAIL_BLOCK);
    LIM_TRY_MEMORY(block);
    LIM_TRY_MEMORY(value);
    *out = (detail_field){.block = block, .value = value};
    for (int32_t i = 0; i < blocks; ++i) {
        const float* from = dense + (size_t)i * DETAIL_BLOCK;
        if (block_counts(from, least)) {
            memcpy(value + (size_t)out->count * DETAIL_BLOCK, from, DETAIL_BLOCK * sizeof *from);
            block[out->count++] = i;
        }
    }
    return LIM_OK;
}

void detail_blend(isa set, const detail_field* fields, const float* weight, int32_t count,
                  int32_t blocks, float* dense) {
    memset(dense, 0, (size_t)blocks * DETAIL_BLOCK * sizeof *dense);
    for (int32_t i = 0; i < count; ++i) {
        if (weight[i] != 0.0f) {
            const detail_field* f = &fields[i];
            detail_kernels_for(set)->add(f->block, f->value, f->count, weight[i], dense);
        }
    }
}
