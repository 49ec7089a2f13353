/* SPDX-License-Identifier: MIT
 * Sums over regions without a network: every region adds up its members one by one. The cost that
 * hierarchical sums save.
 */
#ifndef LIMBER_NAIVE_SUMS_H
#define LIMBER_NAIVE_SUMS_H

#include "net/net.h"

typedef struct naive_sums {
    int32_t region_count; /* padded */
    int64_t* offset;      /* region_count + 1 */
    int32_t* member;      /* node slots, ascending within a region */
} naive_sums;

lim_result naive_sums_make(arena* a, const net* n, naive_sums* out);
/* out[r] = sum of values[i] over the members i of r; `floats` floats each. O(members). */
void naive_sums_apply(const naive_sums* s, const float* values, int32_t floats, float* out);

#endif
