/* SPDX-License-Identifier: MIT
 * Job: tell whether a surface is closed, and its volume. In: a topology. Out: flags; cubic metres.
 * Directed welded edges are sorted as (lower point, higher point); in a closed surface each pair
 * comes with as many passes up as down.
 */
#include "world/surface_closed.h"

#include "base/sort.h"
#include "body/filled.h"

static bool edges_balance(const topology* t, sort_item* items, sort_item* scratch) {
    int32_t count = 0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const uint32_t* corner = t->indices + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            int32_t a = t->vertex_point[corner[k]], b = t->vertex_point[corner[(k + 1) % 3]];
            uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
            items[count++] = (sort_item){.key = high << 32 | low, .value = a < b ? 1 : -1};
        }
    }
    sort_items(items, scratch, count);
    int32_t balance = 0;
    for (int32_t i = 0; i < count; ++i) {
        balance += items[i].value;
        bool last = i + 1 == count || items[i + 1].key != items[i].key;
        if (last && balance != 0) {
            return false;
        }
    }
    return true;
}

double surface_volume(const topology* t, const float* positions) {
    double sum = 0.0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            const float* at = positions + 3 * (size_t)t->indices[3 * (size_t)i + (size_t)k];
            p[k] = p3((double)at[0], (double)at[1], (double)at[2]);
        }
        sum += p3_dot(p[0], p3_cross(p[1], p[2]));
    }
    return sum / 6.0;
}

lim_result surface_closed(const topology* t, const lim_host* host, surface_seal* out) {
    *out = (surface_seal){false, false};
    size_t count = 3 * (size_t)t->triangle_count;
    if (count == 0) {
        return LIM_OK;
    }
    sort_item* items = mem_alloc(host, 2 * count, sizeof *items);
    LIM_TRY_MEMORY(items);
    out->sealed = edges_balance(t, items, items + count);
    out->filled = out->sealed && topology_is_filled(t);
    mem_free(host, items, 2 * count, sizeof *items);
    return LIM_OK;
}
