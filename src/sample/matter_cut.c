/* SPDX-License-Identifier: MIT
 * Job: a material cut by a blade. In: a material, blade triangles. Out: the material after it, and
 * what has changed. First the links of sub-voxels (matter_links.c), then what lies beside them
 * (matter_soften.c), fragments (matter_split.c), and the graph (matter_relink.c). All that does not
 * change is shared.
 */
#include "sample/matter_work.h"

#include <string.h>

/* Cells with cut links, ascending. */
static lim_result list_walls(matter_work* w) {
    const matter* b = w->m;
    matter* m = &w->out->after;
    m->wall = ARENA_ROOM(w->a, matter_wall, b->wall_count + w->changed_count);
    LIM_TRY_MEMORY(m->wall);
    m->wall_count = 0;
    for (int32_t i = 0, k = 0; i < w->changed_count || k < b->wall_count;) {
        uint64_t now = i < w->changed_count ? w->cells.key[w->changed[i]] : UINT64_MAX;
        uint64_t then = k < b->wall_count ? b->wall[k].key : UINT64_MAX;
        const uint64_t* cut = now <= then ? matter_links_of(&w->links, w->changed[i]) : NULL;
        if (cut != NULL) {
            m->wall[m->wall_count].key = now;
            memcpy(m->wall[m->wall_count++].cut, cut, sizeof m->wall->cut);
        } else if (then < now) {
            m->wall[m->wall_count++] = b->wall[k];
        }
        i += now <= then;
        k += then <= now;
    }
    return LIM_OK;
}

/* Nothing is cut. */
static lim_result keep_all(matter_work* w) {
    w->out->source = ARENA_ARRAY(w->a, int32_t, w->m->count);
    w->out->touched = ARENA_ARRAY(w->a, uint8_t, w->m->count);
    LIM_TRY_MEMORY(w->out->source);
    LIM_TRY_MEMORY(w->out->touched);
    for (int32_t i = 0; i < w->m->count; ++i) {
        w->out->source[i] = i;
    }
    return LIM_OK;
}

static lim_result finish(matter_work* w) {
    if (w->links.changed == 0 && (w->m->unglued == NULL || w->blade.triangle_count == 0)) {
        return keep_all(w);
    }
    LIM_TRY(matter_soften(w));
    LIM_TRY(matter_split(w));
    LIM_TRY(matter_relink(w));
    return w->links.changed > 0 ? list_walls(w) : LIM_OK;
}

/* Takes back what the blade has cut of other components: pieces that lie elsewhere by now may be
 * beside this one at rest. */
static void spare_others(matter_work* w, int32_t component) {
    w->links.changed = 0;
    for (int32_t i = 0; i < w->links.near.count; ++i) {
        near_cell* near = &w->links.near.data[i];
        const matter_wall* before = matter_wall_of(w->m, near->wall.key);
        uint64_t own = 0;
        for (int32_t f = w->cells.first[near->cell]; f < w->cells.first[near->cell + 1]; ++f) {
            own |= w->m->component[f] == component ? w->m->mask[f] : 0;
        }
        near->changed = false;
        for (int k = 0; k < MATTER_WAYS; ++k) {
            uint64_t was = before != NULL ? before->cut[k] : 0;
            near->wall.cut[k] = was | (near->wall.cut[k] & own);
            near->changed = near->changed || near->wall.cut[k] != was;
        }
        w->links.changed += near->changed;
    }
}

static lim_result run_blade(matter_work* w, const cut_blade* blade, int32_t component) {
    LIM_TRY(grid_blade_make(&w->mem, w->m, blade, &w->blade));
    LIM_TRY(matter_cells_make(&w->mem, w->m, &w->cells));
    LIM_TRY(matter_links_cut(&w->mem, w->m, &w->cells, &w->blade, &w->links));
    if (component >= 0 && w->m->component_count > 1) {
        spare_others(w, component);
    }
    return finish(w);
}

static lim_result run_links(matter_work* w, const matter_wall* wall, int32_t count) {
    LIM_TRY(matter_cells_make(&w->mem, w->m, &w->cells));
    LIM_TRY(matter_links_take(&w->mem, w->m, &w->cells, wall, count, &w->links));
    return finish(w);
}

static matter_work work_begin(arena* a, const matter* before, matter_change* out) {
    *out = (matter_change){.after = *before};
    matter_work w = {.a = a, .m = before, .out = out};
    arena_init(&w.mem, &a->host);
    w.links.host = a->host;
    return w;
}

static lim_result work_end(matter_work* w, lim_result result) {
    matter_links_release(&w->links);
    ARRAY_FREE(&w->mem.host, &w->piece);
    ARRAY_FREE(&w->mem.host, &w->gift);
    arena_release(&w->mem);
    if (result != LIM_OK) {
        *w->out = (matter_change){0};
    }
    return result;
}

lim_result matter_cut(arena* a, const matter* before, const cut_blade* blade, int32_t component,
                      matter_change* out) {
    matter_work w = work_begin(a, before, out);
    return work_end(&w, run_blade(&w, blade, component));
}

lim_result matter_cut_links(arena* a, const matter* before, const matter_wall* wall, int32_t count,
                            matter_change* out) {
    matter_work w = work_begin(a, before, out);
    return work_end(&w, run_links(&w, wall, count));
}
