/* SPDX-License-Identifier: MIT
 * Job: transposed lists after an edit. In: forward lists, the network before, which records are the
 * same. Out: the lists that net_transpose makes. A record that only records use that were there
 * takes its list over, numbers moved: records that are the same are in the same order.
 */
#include "region/past.h"

#include <string.h>

/* Touched at first: the users of the record are not those that it had. */
static void mark_users(const region_past* past, const net* n, record_map* map) {
    const net* old = past->n;
    for (int32_t i = 0; i < n->record_count; ++i) {
        map->touched[i] = map->before[i] < 0;
        for (int32_t e = n->forward_offset[i]; map->before[i] < 0 && e < n->forward_offset[i + 1];
             ++e) {
            map->touched[n->forward[e]] = 1;
        }
    }
    for (int32_t i = 0; i < old->record_count; ++i) {
        for (int32_t e = old->forward_offset[i]; map->now[i] < 0 && e < old->forward_offset[i + 1];
             ++e) {
            int32_t now = map->now[old->forward[e]];
            if (now >= 0) {
                map->touched[now] = 1;
            }
        }
    }
}

/* What is below a touched record is touched. */
static void spread_down(const net* n, uint8_t* touched) {
    for (int32_t i = n->first[n->layers - 1] - 1; i >= n->first[1]; --i) {
        for (int32_t e = n->forward_offset[i]; touched[i] && e < n->forward_offset[i + 1]; ++e) {
            touched[n->forward[e]] = 1;
        }
    }
}

/* The lists of records in a row that were in a row, and of which none is touched. Returns how many.
 */
static int32_t take_row(const region_past* past, const record_map* map, int32_t record, net* n,
                        int32_t at) {
    const net* old = past->n;
    int32_t was = map->before[record], count = 0;
    while (record + count < n->record_count && map->before[record + count] == was + count &&
           !map->touched[record + count]) {
        n->back_offset[record + count] = at + old->back_offset[was + count] - old->back_offset[was];
        count++;
    }
    int32_t begin = old->back_offset[was], entries = old->back_offset[was + count] - begin;
    for (int32_t e = 0; e < entries; ++e) {
        n->back[at + e] = map->now[old->back[begin + e]];
    }
    memcpy(n->back_weight + at, old->back_weight + begin, (size_t)entries * sizeof(float));
    return count;
}

/* The users that a record had and that are still there. Returns where the list ends. */
static int32_t take_list(const region_past* past, const record_map* map, int32_t record, net* n,
                         int32_t at) {
    const net* old = past->n;
    int32_t was = map->before[record];
    if (was < 0) {
        return at;
    }
    for (int32_t e = old->back_offset[was]; e < old->back_offset[was + 1]; ++e) {
        int32_t now = map->now[old->back[e]];
        if (now >= 0) {
            n->back[at] = now;
            n->back_weight[at++] = old->back_weight[e];
        }
    }
    return at;
}

/* Users that are new, in ascending order, each into its place among the others. fill: per record
 * the entries of its list so far. */
static void add_new_users(const record_map* map, net* n, int32_t* fill) {
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; map->before[i] < 0 && e < n->forward_offset[i + 1];
             ++e) {
            int32_t to = n->forward[e], at = n->back_offset[to] + fill[to]++;
            for (; at > n->back_offset[to] && n->back[at - 1] > i; --at) {
                n->back[at] = n->back[at - 1];
                n->back_weight[at] = n->back_weight[at - 1];
            }
            n->back[at] = i;
            n->back_weight[at] = n->forward_weight[e];
        }
    }
}

lim_result past_transpose(arena* a, arena* scratch, const region_past* past, record_map* map,
                          net* n) {
    int32_t total = n->forward_offset[n->record_count], at = 0;
    int32_t* fill = ARENA_ROOM(scratch, int32_t, n->record_count);
    int32_t* more = ARENA_ARRAY(scratch, int32_t, n->record_count);
    map->touched = ARENA_ROOM(scratch, uint8_t, n->record_count);
    n->back_offset = ARENA_ROOM(a, int32_t, n->record_count + 1);
    n->back = ARENA_ROOM(a, int32_t, total);
    n->back_weight = ARENA_ROOM(a, float, total);
    LIM_TRY_MEMORY(fill);
    LIM_TRY_MEMORY(more);
    LIM_TRY_MEMORY(map->touched);
    LIM_TRY_MEMORY(n->back_offset);
    LIM_TRY_MEMORY(n->back);
    LIM_TRY_MEMORY(n->back_weight);
    mark_users(past, n, map);
    for (int32_t i = n->first[1]; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; map->before[i] < 0 && e < n->forward_offset[i + 1];
             ++e) {
            more[n->forward[e]]++;
        }
    }
    for (int32_t i = 0; i < n->record_count;) {
        if (!map->touched[i]) {
            int32_t was = map->before[i], count = take_row(past, map, i, n, at);
            at += past->n->back_offset[was + count] - past->n->back_offset[was];
            i += count;
        } else {
            n->back_offset[i] = at;
            fill[i] = take_list(past, map, i, n, at) - at;
            at += fill[i] + more[i];
            i++;
        }
    }
    n->back_offset[n->record_count] = at;
    add_new_users(map, n, fill);
    spread_down(n, map->touched);
    return LIM_OK;
}
