/* SPDX-License-Identifier: MIT
 * Job: copy material. In: arrays of any owner. Out: the same in one arena.
 */
#include "sample/matter_copy.h"

#include <string.h>

static lim_result copy(arena* a, const void* from, int64_t count, size_t size, void* out) {
    void* to = arena_room(a, (size_t)count, size);
    LIM_TRY_MEMORY(to);
    if (from != NULL && count > 0) {
        memcpy(to, from, (size_t)count * size);
    } else {
        memset(to, 0, (size_t)count * size);
    }
    memcpy(out, &to, sizeof to);
    return LIM_OK;
}

lim_result matter_copy(arena* a, const matter* m, matter* out) {
    matter to = *m;
    int64_t n = m->count;
    LIM_TRY(copy(a, m->key, n, sizeof *m->key, &to.key));
    LIM_TRY(copy(a, m->mask, n, sizeof *m->mask, &to.mask));
    LIM_TRY(copy(a, m->soft, n, sizeof *m->soft, &to.soft));
    LIM_TRY(copy(a, m->volume, n, sizeof *m->volume, &to.volume));
    LIM_TRY(copy(a, m->centroid, n, sizeof *m->centroid, &to.centroid));
    LIM_TRY(copy(a, m->moment, n, sizeof *m->moment, &to.moment));
    LIM_TRY(copy(a, m->edge_offset, n + 1, sizeof *m->edge_offset, &to.edge_offset));
    LIM_TRY(copy(a, m->edge_node, m->edge_offset[n], sizeof *m->edge_node, &to.edge_node));
    LIM_TRY(copy(a, m->component, n, sizeof *m->component, &to.component));
    if (m->unglued != NULL) {
        LIM_TRY(copy(a, m->unglued, n, sizeof *m->unglued, &to.unglued));
        LIM_TRY(copy(a, m->glue, 2 * (int64_t)m->glued_edges, sizeof *m->glue, &to.glue));
    }
    LIM_TRY(copy(a, m->wall, m->wall_count, sizeof *m->wall, &to.wall));
    *out = to;
    return LIM_OK;
}
