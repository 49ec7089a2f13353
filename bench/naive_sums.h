/* SPDX-License-Identifier: MIT
 * Sums over regions without a network: every region adds up its members one by one. The cost that
 * hierarchical sums save.
 */
#ifndef LIMBER_NAIVE_SUMS_H
#define LIMBER_NAIVE_SUMS_H

#include "graph/distance.h"
#include "net/net.h"

typedef struct naive_sums {
    int32_t region_count; /* of a network: padded */
    int64_t* offset;      /* region_count + 1 */
    int32_t* member;      /* node slots, ascending within a region */
} naive_sums;

/* The regions of a network. */
lim_result naive_sums_make(arena* a, const net* n, naive_sums* out);
/* Region r = every node within `limit` of seed[r] along the graph, for the seeds given: with edges
 * of length 1 and a limit of w the regions of Rivers and James 2007, section 2. `scratch` may be
 * released afterwards. */
lim_result naive_sums_within(arena* a, arena* scratch, graph g, int32_t limit, const int32_t* seed,
                             int32_t seed_count, naive_sums* out);
/* out[r] = sum of values[i] over the members i of r; `floats` floats each. O(members). */
void naive_sums_apply(const naive_sums* s, const float* values, int32_t floats, float* out);
/* The same of records of 2 or 3 strips, aligned to 32 bytes, with the library's instructions. */
void naive_sums_wide(const naive_sums* s, const float* records, int32_t strips, isa set,
                     float* out);

#endif
