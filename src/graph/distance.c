/* SPDX-License-Identifier: MIT
 * Job: all nodes nearer than a limit to a source. In: a graph with integer lengths. Out: nodes and
 * their exact distances in order of distance. Bucket-Moore: one bucket per distance modulo the
 * longest edge, epoch stamps instead of clearing, so a search costs only what it touches. A node
 * may wait in several buckets; it counts when it first comes out.
 */
#include "graph/distance.h"

lim_result distance_search_init(distance_search* s, arena* a, graph g) {
    *s = (distance_search){.g = g};
    int32_t edges = g.offset[g.node_count];
    for (int32_t e = 0; e < edges; ++e) {
        s->longest_edge = g.length[e] > s->longest_edge ? g.length[e] : s->longest_edge;
    }
    /* Each directed edge is relaxed at most once per search (its tail is done once), plus the
     * source. */
    s->entry_capacity = edges + 1;
    s->seen = ARENA_ARRAY(a, uint32_t, g.node_count);
    s->done = ARENA_ARRAY(a, uint32_t, g.node_count);
    s->distance = ARENA_ARRAY(a, int32_t, g.node_count);
    s->bucket_head = ARENA_ARRAY(a, int32_t, s->longest_edge + 1);
    s->entry_node = ARENA_ARRAY(a, int32_t, s->entry_capacity);
    s->entry_next = ARENA_ARRAY(a, int32_t, s->entry_capacity);
    s->found = ARENA_ARRAY(a, int32_t, g.node_count);
    s->found_distance = ARENA_ARRAY(a, int32_t, g.node_count);
    if (s->seen == NULL || s->done == NULL || s->distance == NULL || s->bucket_head == NULL ||
        s->entry_node == NULL || s->entry_next == NULL || s->found == NULL ||
        s->found_distance == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t b = 0; b <= s->longest_edge; ++b) {
        s->bucket_head[b] = -1;
    }
    return LIM_OK;
}

void distance_search_run(distance_search* s, int32_t source, int32_t limit) {
    const graph g = s->g;
    int32_t buckets = s->longest_edge + 1, used = 0, waiting = 1;
    s->epoch++;
    s->count = 0;
    if (limit <= 0) {
        return;
    }
    s->seen[source] = s->epoch;
    s->distance[source] = 0;
    s->entry_node[0] = source;
    s->entry_next[0] = -1;
    s->bucket_head[0] = 0;
    used = 1;
    for (int32_t k = 0; waiting > 0; ++k) {
        int32_t b = k % buckets;
        /* Take the bucket out; edges are longer than 0, so nothing is added to it meanwhile. */
        int32_t entry = s->bucket_head[b];
        s->bucket_head[b] = -1;
        for (; entry >= 0; entry = s->entry_next[entry]) {
            int32_t i = s->entry_node[entry];
            waiting--;
            if (s->done[i] == s->epoch) {
                continue;
            }
            s->done[i] = s->epoch;
            s->found[s->count] = i;
            s->found_distance[s->count++] = k;
            for (int32_t e = g.offset[i]; e < g.offset[i + 1]; ++e) {
                int32_t j = g.node[e], distance = k + g.length[e];
                if (distance >= limit || (s->seen[j] == s->epoch && s->distance[j] <= distance)) {
                    continue;
                }
                s->seen[j] = s->epoch;
                s->distance[j] = distance;
                s->entry_node[used] = j;
                s->entry_next[used] = s->bucket_head[distance % buckets];
                s->bucket_head[distance % buckets] = used++;
                waiting++;
            }
        }
    }
}
