/* SPDX-License-Identifier: MIT
 * Job: sub-voxels beside a cut. In: cells with cut links. Out: per cell the ends of its own links
 * and of those that lead into it; a cell that only such links lead into counts as changed too. Ends
 * are soft: they hold on to what is beside them over edges and corners, unless that is cut as well.
 */
#include "sample/matter_work.h"

/* The upper ends, in the cell `f` away, of links along d from sub-voxels of a cell; each coordinate
 * of f is 0 or that of d. */
static uint64_t ends_in(uint64_t from, const int d[3], const int f[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        from = f[axis] != 0 ? mask_shift(0, axis, -d[axis], from)
                            : mask_shift(from, axis, -d[axis], 0);
    }
    return from;
}

/* Of fragments of a cell: what is soft already. */
static uint64_t soft_in(const matter_work* w, int32_t cell) {
    uint64_t soft = 0;
    for (int32_t i = w->cells.first[cell]; i < w->cells.first[cell + 1]; ++i) {
        soft |= w->m->soft[i];
    }
    return soft;
}

/* near.data may move. */
static lim_result add_ends(matter_work* w, int32_t cell, uint64_t ends) {
    if ((ends & ~soft_in(w, cell)) == 0) {
        return LIM_OK;
    }
    near_cell* to = matter_links_near(&w->links, cell);
    LIM_TRY_MEMORY(to);
    to->ends |= ends;
    w->links.changed += !to->changed;
    to->changed = true;
    return LIM_OK;
}

static lim_result soften_along(matter_work* w, int32_t at, int way) {
    int d[3];
    link_way(way, d);
    uint64_t cut = w->links.near.data[at].wall.cut[way];
    for (int k = 0; k < 8 && cut != 0; ++k) {
        const int f[3] = {(k & 1) * d[0], (k >> 1 & 1) * d[1], (k >> 2) * d[2]};
        bool twice = ((k & 1) && d[0] == 0) || ((k & 2) && d[1] == 0) || ((k & 4) && d[2] == 0);
        uint64_t ends = twice ? 0 : ends_in(cut, d, f);
        int32_t cell = w->links.near.data[at].near[13 + f[0] + 3 * f[1] + 9 * f[2]];
        LIM_TRY(ends != 0 && cell >= 0 ? add_ends(w, cell, ends) : LIM_OK);
    }
    return LIM_OK;
}

lim_result matter_soften(matter_work* w) {
    int32_t count = w->links.near.count;
    for (int32_t i = 0; i < count; ++i) {
        if (!w->links.near.data[i].changed) {
            continue;
        }
        for (int k = 0; k < MATTER_WAYS; ++k) {
            w->links.near.data[i].ends |= w->links.near.data[i].wall.cut[k];
            LIM_TRY(soften_along(w, i, k));
        }
    }
    return LIM_OK;
}
