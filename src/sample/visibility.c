/* SPDX-License-Identifier: MIT
 * Job: the graph. In: voxels, fragments. Out: symmetric lists of neighbours and connected
 * components. Who is linked is up to sample/linking.h.
 * Glue: pieces that nothing joins and that are of different parts of the mesh are linked where
 * they share a cell or their cells touch.
 */
#include "sample/visibility.h"
#include "base/disjoint_set.h"

#include "sample/linking.h"

#include <string.h>

typedef struct work {
    const voxels* v;
    const fragments* f;
    arena* scratch;
    linking l;
    int32_t* component; /* before gluing */
} work;

static lim_result list_cells(work* w) {
    const voxels* v = w->v;
    const int32_t* first = w->f->cell_first;
    size_t n = (size_t)v->cell.count;
    int32_t(*place)[3] = arena_room(w->scratch, n, sizeof *place);
    uint64_t* soft = ARENA_ROOM(w->scratch, uint64_t, w->f->count);
    LIM_TRY_MEMORY(place);
    LIM_TRY_MEMORY(soft);
    for (int32_t cell = 0; cell < v->cell.count; ++cell) {
        const voxel_cell* c = &v->cell.data[cell];
        place[cell][0] = c->x;
        place[cell][1] = c->y;
        place[cell][2] = c->z;
        for (int32_t p = first[cell]; p < first[cell + 1]; ++p) {
            soft[p] = w->f->mask[p] & voxels_soft(c);
        }
    }
    w->l = (linking){.host = v->host,
                     .scratch = w->scratch,
                     .cell_count = v->cell.count,
                     .place = (const int32_t(*)[3])place,
                     .near = &v->near[0][0],
                     .cell_first = first,
                     .cell = w->f->cell,
                     .mask = w->f->mask,
                     .soft = soft};
    return LIM_OK;
}

/* Makes one set of what links join. Those between diagonal cells join nothing more than the direct
 * ones do. */
static void join_links(const work* w, int32_t begin, int32_t end, int32_t* set) {
    for (int32_t i = begin; i < end; ++i) {
        disjoint_join(set, w->l.link.data[i].a, w->l.link.data[i].b);
    }
}

static lim_result glue(work* w, int32_t* out_glued) {
    const fragments* f = w->f;
    int32_t before = w->l.link.count;
    for (int32_t cell = 0; cell < w->v->cell.count; ++cell) {
        for (int i = -1; i < LINK_WAYS; ++i) {
            int32_t other = w->v->near[cell][14 + i];
            if (other < 0) {
                continue;
            }
            for (int32_t p = f->cell_first[cell]; p < f->cell_first[cell + 1]; ++p) {
                int32_t q = other == cell ? p + 1 : f->cell_first[other];
                for (; q < f->cell_first[other + 1]; ++q) {
                    link_pair pair = {p, q};
                    if (w->component[p] != w->component[q] && f->part[p] != f->part[q] &&
                        !ARRAY_PUSH(&w->l.host, &w->l.link, pair)) {
                        return LIM_ERROR_MEMORY;
                    }
                }
            }
        }
    }
    *out_glued = w->l.link.count - before;
    return LIM_OK;
}

static lim_result build(work* w, arena* a, bool glue_parts, visibility* out) {
    int32_t n = w->f->count;
    out->component = ARENA_ROOM(a, int32_t, n);
    LIM_TRY_MEMORY(out->component);
    LIM_TRY(list_cells(w));
    LIM_TRY(linking_find(&w->l));
    disjoint_init(out->component, n);
    join_links(w, 0, w->l.direct, out->component);
    if (glue_parts && w->v->mesh->report.parts > 1) {
        int32_t links = w->l.link.count;
        w->component = ARENA_ROOM(a, int32_t, n);
        LIM_TRY_MEMORY(w->component);
        memcpy(w->component, out->component, (size_t)n * sizeof(int32_t));
        disjoint_name(w->component, n);
        LIM_TRY(glue(w, &out->glued_edges));
        join_links(w, links, w->l.link.count, out->component);
        out->unglued = out->glued_edges > 0 ? w->component : NULL;
    }
    out->component_count = disjoint_name(out->component, n);
    return linking_list(a, n, w->l.link.data, w->l.link.count, &out->edge_offset, &out->edge_node);
}

lim_result visibility_build(arena* a, const voxels* v, const fragments* f, bool glue_parts,
                            visibility* out) {
    *out = (visibility){0};
    arena scratch;
    arena_init(&scratch, &a->host);
    work w = {.v = v, .f = f, .scratch = &scratch, .l = {.host = v->host}};
    lim_result result = build(&w, a, glue_parts, out);
    linking_release(&w.l);
    arena_release(&scratch);
    return result;
}
