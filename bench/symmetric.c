/* SPDX-License-Identifier: MIT
 * Job: symmetric regions. In: a network with one region per node, and the seeds. Out: the union of
 * the relation and its transpose. For each node i the regions that hold it are found by walking
 * from i to its virtual nodes and on to the regions that list one of them; the seeds among these
 * that are not members of i's own region are added to it.
 */
#include "bench/symmetric.h"

#include <string.h>

/* Seeds of the regions that hold node i and that i's own region lacks (stamp[j] == i: member).
 * Written to out when it is not null; returns how many. */
static int32_t missing_of(const net* n, int32_t i, const int32_t* seed, const int32_t* stamp,
                          int32_t* out) {
    int32_t first_region = n->first[n->layers - 1], count = 0;
    for (int32_t record = i; record >= 0;) {
        int32_t above = -1;
        for (int32_t e = n->back_offset[record]; e < n->back_offset[record + 1]; ++e) {
            int32_t user = n->back[e];
            if (user < first_region) {
                above = user; /* a record has one parent */
            } else if (stamp[seed[user - first_region]] != i) {
                if (out != NULL) {
                    out[count] = seed[user - first_region];
                }
                count++;
            }
        }
        record = above;
    }
    return count;
}

static void stamp_members(const net* n, int32_t region, int32_t* members, int32_t mark,
                          int32_t* stamp) {
    int32_t count = net_members(n, region, members, n->node_count);
    for (int32_t k = 0; k < count; ++k) {
        stamp[members[k]] = mark;
    }
}

lim_result regions_symmetrise(arena* a, arena* scratch, const net* n, const regions* r, net* out,
                              int64_t* out_added) {
    int32_t* seed = ARENA_ARRAY(scratch, int32_t, n->region_count);
    int32_t* members = ARENA_ARRAY(scratch, int32_t, n->node_count);
    int32_t* stamp = ARENA_ARRAY(scratch, int32_t, n->node_count);
    if (seed == NULL || members == NULL || stamp == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < n->node_count; ++i) {
        stamp[i] = -1;
        if (r->seed_region[i] >= 0) {
            seed[r->seed_region[i]] = i;
        }
    }
    int64_t added = 0;
    for (int32_t k = 0; k < r->count; ++k) {
        stamp_members(n, k, members, seed[k], stamp);
        added += missing_of(n, seed[k], seed, stamp, NULL);
    }
    int32_t total = n->forward_offset[n->record_count], first = n->first[n->layers - 1];
    if (total + added > INT32_MAX) {
        return LIM_ERROR_TOO_LARGE;
    }
    *out = *n;
    out->forward_offset = ARENA_ARRAY(a, int32_t, n->record_count + 1);
    out->forward = ARENA_ARRAY(a, int32_t, total + added);
    LIM_TRY_MEMORY(out->forward_offset);
    LIM_TRY_MEMORY(out->forward);
    memcpy(out->forward_offset, n->forward_offset, (size_t)(first + 1) * sizeof(int32_t));
    memcpy(out->forward, n->forward, (size_t)n->forward_offset[first] * sizeof(int32_t));
    int32_t at = n->forward_offset[first];
    for (int32_t k = 0; k < n->region_count; ++k) {
        int32_t begin = n->forward_offset[first + k], end = n->forward_offset[first + k + 1];
        memcpy(out->forward + at, n->forward + begin, (size_t)(end - begin) * sizeof(int32_t));
        at += end - begin;
        if (k < r->count) {
            stamp_members(n, k, members, seed[k], stamp);
            at += missing_of(n, seed[k], seed, stamp, out->forward + at);
        }
        out->forward_offset[first + k + 1] = at;
    }
    *out_added = added;
    return net_transpose(out, a);
}
