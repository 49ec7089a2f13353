/* SPDX-License-Identifier: MIT
 * Job: sums over members, directly. In: a network, whose lists give the members once, or a graph
 * and a distance. Out: sums per region, in ascending order of slot.
 */
#include "bench/naive_sums.h"

#include "base/sort.h"
#include "bench/lattice_array.h"

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

static lim_result sorted_members(arena* scratch, distance_search* search, int32_t* out) {
    sort_item* items = ARENA_ARRAY(scratch, sort_item, search->count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, search->count);
    if (items == NULL || spare == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < search->count; ++k) {
        items[k] = (sort_item){(uint64_t)search->found[k], search->found[k], 0};
    }
    sort_items(items, spare, search->count);
    for (int32_t k = 0; k < search->count; ++k) {
        out[k] = items[k].value;
    }
    return LIM_OK;
}

lim_result naive_sums_within(arena* a, arena* scratch, graph g, int32_t limit, const int32_t* seed,
                             int32_t seed_count, naive_sums* out) {
    *out = (naive_sums){.region_count = seed_count};
    out->offset = ARENA_ARRAY(a, int64_t, seed_count + 1);
    LIM_TRY_MEMORY(out->offset);
    distance_search search;
    LIM_TRY(distance_search_init(&search, scratch, g));
    for (int32_t r = 0; r < seed_count; ++r) {
        distance_search_run(&search, seed[r], limit + 1);
        out->offset[r + 1] = out->offset[r] + search.count;
    }
    out->member = ARENA_ARRAY(a, int32_t, out->offset[seed_count]);
    LIM_TRY_MEMORY(out->member);
    for (int32_t r = 0; r < seed_count; ++r) {
        distance_search_run(&search, seed[r], limit + 1);
        arena items;
        arena_init(&items, &scratch->host);
        lim_result result = sorted_members(&items, &search, out->member + out->offset[r]);
        arena_release(&items);
        LIM_TRY(result);
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

void naive_sums_wide(const naive_sums* s, const float* records, int32_t strips, isa set,
                     float* out) {
    lattice_kernels_for(set)->lists(s->offset, s->member, s->region_count, strips, records, out);
}
