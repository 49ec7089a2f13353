/* SPDX-License-Identifier: MIT
 * Job: glue. In: a material, pairs of fragments to hold together. Out: the same material with an
 * edge for each pair, and no other glue.
 */
#include "base/disjoint_set.h"
#include "base/sort.h"
#include "sample/matter_work.h"

lim_result matter_list_glue(arena* a, const link_pair* pair, matter* m) {
    int32_t n = m->glued_edges;
    arena scratch;
    arena_init(&scratch, &a->host);
    sort_item* item = ARENA_ARRAY(&scratch, sort_item, n);
    sort_item* other = ARENA_ARRAY(&scratch, sort_item, n);
    m->glue = ARENA_ARRAY(a, int32_t, 2 * (size_t)n);
    bool ok = item != NULL && other != NULL && m->glue != NULL;
    for (int32_t i = 0; i < n && ok; ++i) {
        uint64_t low = (uint64_t)(pair[i].a < pair[i].b ? pair[i].a : pair[i].b);
        uint64_t high = (uint64_t)(pair[i].a < pair[i].b ? pair[i].b : pair[i].a);
        item[i] = (sort_item){.key = low << 32 | high};
    }
    if (ok) {
        sort_items(item, other, n);
    }
    for (int32_t i = 0; i < n && ok; ++i) {
        m->glue[2 * i] = (int32_t)(item[i].key >> 32);
        m->glue[2 * i + 1] = (int32_t)(uint32_t)item[i].key;
    }
    arena_release(&scratch);
    return ok ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result glue(arena* a, arena* scratch, const matter* m, const int32_t* pair,
                       int32_t count, matter* out) {
    int32_t* name = m->unglued != NULL ? m->unglued : m->component;
    int32_t names = 0, at = 0, *first, *item;
    for (int32_t i = 0; i < m->count; ++i) {
        names = name[i] >= names ? name[i] + 1 : names;
    }
    int32_t* set = ARENA_ARRAY(scratch, int32_t, names);
    link_pair* kept = ARENA_ARRAY(scratch, link_pair, count);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(kept);
    disjoint_init(set, names);
    for (int32_t i = 0; i < count; ++i) {
        kept[i] = (link_pair){pair[2 * i], pair[2 * i + 1]};
        disjoint_join(set, name[kept[i].a], name[kept[i].b]);
    }
    LIM_TRY(linking_list(scratch, m->count, kept, count, &first, &item));
    out->edge_offset = ARENA_ARRAY(a, int32_t, m->count + 1);
    out->edge_node = ARENA_ARRAY(a, int32_t, m->edge_offset[m->count] + 2 * count);
    out->component = ARENA_ARRAY(a, int32_t, m->count);
    LIM_TRY_MEMORY(out->edge_offset);
    LIM_TRY_MEMORY(out->edge_node);
    LIM_TRY_MEMORY(out->component);
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t next = first[i];
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            if (matter_is_glued(m, i, m->edge_node[e])) {
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
    out->unglued = count > 0 ? name : NULL;
    out->glued_edges = count;
    out->glue = NULL;
    LIM_TRY(count > 0 ? matter_list_glue(a, kept, out) : LIM_OK);
    out->component_count = disjoint_name(set, names);
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
