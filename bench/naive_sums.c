/* SPDX-License-Identifier: MIT
 * Job: sums over members, directly. In: a network, whose lists give the members once. Out: sums per
 * region, in ascending order of slot.
 */
#include "bench/naive_sums.h"

lim_result naive_sums_make(arena* a, const net* n, naive_sums* out) {
    *out = (naive_sums){.region_count = n->region_count};
    out->offset = ARENA_ARRAY(a, int64_t, n->region_count + 1);
    LIM_TRY_MEMORY(out->offset);
    for (int32_t r = 0; r < n->region_count; ++r) {
        out->offset[r + 1] = out->offset[r] + net_members(n, r, NULL, 0);
    }
    out->member = ARENA_ARRAY(a, int32_t, out->offset[n->region_count]);
    LIM_TRY_MEMORY(out->member);
    for (int32_t r = 0; r < n->region_count; ++r) {
        net_members(n, r, out->member + out->offset[r], n->node_count);
    }
    return LIM_OK;
}

void naive_sums_apply(const naive_sums* s, const float* values, int32_t floats, float* out) {
    for (int32_t r = 0; r < s->region_count; ++r) {
        float* sum = out + (size_t)r * (size_t)floats;
        for (int32_t k = 0; k < floats; ++k) {
            sum[k] = 0.0f;
        }
        for (int64_t e = s->offset[r]; e < s->offset[r + 1]; ++e) {
            const float* value = values + (size_t)s->member[e] * (size_t)floats;
            for (int32_t k = 0; k < floats; ++k) {
                sum[k] += value[k];
            }
        }
    }
}
