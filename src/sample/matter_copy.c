/* SPDX-License-Identifier: MIT
 * Job: copy material. In: arrays of any owner. Out: the same in one arena, where some may be
 * already.
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

/* An array that `made` has, and that was not there before, is in its place already. */
static lim_result settle(arena* a, const void* before, const void* made, int64_t count, size_t size,
                         void* array) {
    void* now;
    memcpy(&now, array, sizeof now);
    return now == made && now != before ? LIM_OK : copy(a, now, count, size, array);
}

lim_result matter_settle(arena* a, const matter* before, const matter* made, matter* m) {
    const matter *b = before, *d = made;
    int64_t n = m->count;
    LIM_TRY(settle(a, b->key, d->key, n, sizeof *m->key, &m->key));
    LIM_TRY(settle(a, b->mask, d->mask, n, sizeof *m->mask, &m->mask));
    LIM_TRY(settle(a, b->soft, d->soft, n, sizeof *m->soft, &m->soft));
    LIM_TRY(settle(a, b->volume, d->volume, n, sizeof *m->volume, &m->volume));
    LIM_TRY(settle(a, b->centroid, d->centroid, n, sizeof *m->centroid, &m->centroid));
    LIM_TRY(settle(a, b->moment, d->moment, n, sizeof *m->moment, &m->moment));
    int64_t edges = m->edge_offset[n], glue = 2 * (int64_t)m->glued_edges;
    LIM_TRY(settle(a, b->edge_offset, d->edge_offset, n + 1, sizeof(int32_t), &m->edge_offset));
    LIM_TRY(settle(a, b->edge_node, d->edge_node, edges, sizeof *m->edge_node, &m->edge_node));
    LIM_TRY(settle(a, b->component, d->component, n, sizeof *m->component, &m->component));
    if (m->unglued != NULL) {
        LIM_TRY(settle(a, b->unglued, d->unglued, n, sizeof *m->unglued, &m->unglued));
        LIM_TRY(settle(a, b->glue, d->glue, glue, sizeof *m->glue, &m->glue));
    }
    return settle(a, b->wall, d->wall, m->wall_count, sizeof *m->wall, &m->wall);
}

lim_result matter_copy(arena* a, const matter* m, matter* out) {
    const matter none = {0};
    matter to = *m;
    LIM_TRY(matter_settle(a, &none, &none, &to));
    *out = to;
    return LIM_OK;
}
