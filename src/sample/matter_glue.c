/* SPDX-License-Identifier: MIT
 * Job: glue. In: a material, pairs of fragments to hold together. Out: the same material with an
 * edge for each pair, and no other glue.
 */
#include "sample/linking.h"
#include "sample/matter_cut.h"

static lim_result glue(arena* a, arena* scratch, const matter* m, const int32_t* pair,
                       int32_t count, matter* out) {
    int32_t* name = m->unglued != NULL ? m->unglued : m->component;
    int32_t names = 0, n = 0, at = 0, *first, *item;
    for (int32_t i = 0; i < m->count; ++i) {
        names = name[i] >= names ? name[i] + 1 : names;
    }
    int32_t* set = ARENA_ARRAY(scratch, int32_t, names);
    link_pair* kept = ARENA_ARRAY(scratch, link_pair, count);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(kept);
    for (int32_t i = 0; i < names; ++i) {
        set[i] = i;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = pair[2 * i], y = pair[2 * i + 1];
        if (name[x] != name[y]) {
            link_join(set, name[x], name[y]);
            kept[n++] = (link_pair){x, y};
        }
    }
    LIM_TRY(linking_list(scratch, m->count, kept, n, &first, &item));
    out->edge_offset = ARENA_ARRAY(a, int32_t, m->count + 1);
    out->edge_node = ARENA_ARRAY(a, int32_t, m->edge_offset[m->count] + 2 * n);
    out->component = ARENA_ARRAY(a, int32_t, m->count);
    LIM_TRY_MEMORY(out->edge_offset);
    LIM_TRY_MEMORY(out->edge_node);
    LIM_TRY_MEMORY(out->component);
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t next = first[i];
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            if (name[m->edge_node[e]] != name[i]) {
                continue;
            }
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
    out->unglued = n > 0 ? name : NULL;
    out->glued_edges = n;
    out->component_count = link_name_sets(set, names);
    for (int32_t i = 0; i < m->count; ++i) {
        out->component[i] = set[name[i]];
    }
    return LIM_OK;
}

lim_result matter_glue(arena* a, const matter* m, const int32_t* pair, int32_t count, matter* out) {
    arena scratch;
    arena_init(&scratch, &a->host);
    matter after = *m;
    lim_result result = glue(a, &scratch, m, pair, count, &after);
    arena_release(&scratch);
    if (result == LIM_OK) {
        *out = after;
    }
    return result;
}
