/* SPDX-License-Identifier: MIT
 * Job: glue. In: a material, pairs of fragments to hold together. Out: the same material with an
 * edge for each pair that is of two components when its turn comes.
 */
#include "sample/linking.h"
#include "sample/matter_cut.h"

#include <string.h>

static int32_t root_of(int32_t* set, int32_t i) {
    while (set[i] != i) {
        i = set[i] = set[set[i]];
    }
    return i;
}

static lim_result glue(arena* a, arena* scratch, const matter* m, const int32_t* pair,
                       int32_t count, matter* out) {
    int32_t* set = ARENA_ARRAY(scratch, int32_t, m->component_count);
    link_pair* kept = ARENA_ARRAY(scratch, link_pair, count);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(kept);
    int32_t n = 0, edges = m->edge_offset[m->count], at = 0, *first, *item;
    for (int32_t i = 0; i < m->component_count; ++i) {
        set[i] = i;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = m->component[pair[2 * i]], y = m->component[pair[2 * i + 1]];
        if (root_of(set, x) != root_of(set, y)) {
            link_join(set, x, y);
            kept[n++] = (link_pair){pair[2 * i], pair[2 * i + 1]};
        }
    }
    LIM_TRY(linking_list(scratch, m->count, kept, n, &first, &item));
    out->edge_offset = ARENA_ARRAY(a, int32_t, m->count + 1);
    out->edge_node = ARENA_ARRAY(a, int32_t, edges + 2 * n);
    out->component = ARENA_ARRAY(a, int32_t, m->count);
    LIM_TRY_MEMORY(out->edge_offset);
    LIM_TRY_MEMORY(out->edge_node);
    LIM_TRY_MEMORY(out->component);
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t next = first[i];
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            while (next < first[i + 1] && item[next] < m->edge_node[e]) {
                out->edge_node[at++] = item[next++];
            }
            out->edge_node[at++] = m->edge_node[e];
        }
        while (next < first[i + 1]) {
            out->edge_node[at++] = item[next++];
        }
        out->edge_offset[i + 1] = at;
    }
    out->unglued = m->unglued != NULL ? m->unglued : m->component;
    out->glued_edges = m->glued_edges + n;
    out->component_count = link_name_sets(set, m->component_count);
    for (int32_t i = 0; i < m->count; ++i) {
        out->component[i] = set[m->component[i]];
    }
    return LIM_OK;
}

lim_result matter_glue(arena* a, const matter* m, const int32_t* pair, int32_t count, matter* out) {
    arena scratch;
    arena_init(&scratch, &a->host);
    matter after = *m;
    lim_result result = count > 0 ? glue(a, &scratch, m, pair, count, &after) : LIM_OK;
    arena_release(&scratch);
    if (result == LIM_OK) {
        after.unglued = after.glued_edges > 0 ? after.unglued : NULL;
        *out = after;
    }
    return result;
}
