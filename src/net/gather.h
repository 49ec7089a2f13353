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

/* weight[e] * records[list[e]]; weight null: 1. */
KERNEL_PASS void gather_entry(const int32_t* list, const float* weight, int32_t e,
                              const float* records, int32_t strips, fw* part) {
    const float* input = records + (size_t)list[e] * (size_t)(strips * 8);
    for (int32_t s = 0; s < strips; ++s) {
        part[s] = fw_load(input + 8 * s);
    }
    for (int32_t s = 0; s < strips && weight != NULL; ++s) {
        part[s] = fw_mul(fw_set1(weight[e]), part[s]);
    }
}

KERNEL_PASS void gather_add(const int32_t* list, const float* weight, int32_t e,
                            const float* records, int32_t strips, fw* sum) {
    fw part[NET_FORWARD_STRIPS];
    gather_entry(list, weight, e, records, strips, part);
    for (int32_t s = 0; s < strips; ++s) {
        sum[s] = fw_add(sum[s], part[s]);
    }
}

/* sum = sum of weight[e] * records[list[e]], e = 0 .. count - 1; weight null: all 1. */
KERNEL_PASS void gather_list(const int32_t* list, const float* weight, int32_t count,
                             const float* records, int32_t strips, fw* sum) {
    for (int32_t s = 0; s < strips; ++s) {
        sum[s] = fw_zero();
    }
    if (count > 0) {
        gather_entry(list, weight, 0, records, strips, sum);
    }
    int32_t e = 1;
    for (; e + 1 < count; e += 2) {
        gather_add(list, weight, e, records, strips, sum);
        gather_add(list, weight, e + 1, records, strips, sum);
    }
    if (e < count) {
        gather_add(list, weight, e, records, strips, sum);
    }
}

#endif
