/* SPDX-License-Identifier: MIT
 * The inner loop of every sum: one list of records, added in list order, starting from its first
 * entry. For kernels that are compiled per instruction set. A constant `strips`, and a weight that
 * is null or not as far as the compiler can see, unroll into straight loads, products and
 * additions.
 */
#ifndef LIMBER_GATHER_H
#define LIMBER_GATHER_H

#include "base/simd.h"
#include "net/net.h"

/* sum = sum of weight[e] * records[list[e]], e = 0 .. count - 1; weight null: all 1. */
static inline void gather_list(const int32_t* list, const float* weight, int32_t count,
                               const float* records, int32_t strips, fw* sum) {
    for (int32_t s = 0; s < strips; ++s) {
        sum[s] = fw_zero();
    }
    for (int32_t e = 0; e < count; ++e) {
        const float* input = records + (size_t)list[e] * (size_t)(strips * 8);
        if (weight != NULL) {
            fw w = fw_set1(weight[e]);
            for (int32_t s = 0; s < strips; ++s) {
                fw part = fw_mul(w, fw_load(input + 8 * s));
                sum[s] = e == 0 ? part : fw_add(sum[s], part);
            }
        } else {
            for (int32_t s = 0; s < strips; ++s) {
                fw part = fw_load(input + 8 * s);
                sum[s] = e == 0 ? part : fw_add(sum[s], part);
            }
        }
    }
}

#endif
