/* SPDX-License-Identifier: MIT
 * Job: material that joins two parts of the skin which the cut has parted. In: homes of the points.
 * Out: links cut so that it no longer does. Fragments belong to the part most of whose points lie
 * on them, the others to the nearest of these along the graph; what joins fragments of two parts is
 * cut. Parts that were two before the cut (the outer and the inner skin of what is hollow) may
 * share their material.
 */
#include "base/disjoint_set.h"
#include "edit/agree_work.h"

#include <string.h>

typedef struct parting {
    agree_work* w;
    int32_t* origin; /* per part: the part of the skin before the cut that it is of, as its root */
    int32_t* label;  /* per fragment: part, -1 */
    ARRAY(matter_wall) wall;
} parting;

/* Is a component the home of two parts? */
static lim_result find_shared(agree_work* w, bool* out_shared) {
    const matter* m = &w->change->after;
    const int32_t* name = m->component;
    int32_t* part = ARENA_ARRAY(&w->mem, int32_t, m->component_count); /* 1 + first part of each */
    LIM_TRY_MEMORY(part);
    *out_shared = false;
    for (int32_t i = 0; i < w->skin_points && w->part_count > 1; ++i) {
        if (w->part[i] >= 0 && w->home[i] >= 0) {
            int32_t* first = &part[name[w->home[i]]];
            *first = *first == 0 ? w->part[i] + 1 : *first;
            *out_shared = *out_shared || *first != w->part[i] + 1;
        }
    }
    return LIM_OK;
}

/* Which parts were one before the cut. */
static lim_result find_origins(parting* p) {
    agree_work* w = p->w;
    const topology* t = w->t;
    int32_t* set = ARENA_ARRAY(&w->mem, int32_t, w->old_skin);
    p->origin = ARENA_ARRAY(&w->mem, int32_t, w->part_count);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(p->origin);
    disjoint_init(set, w->old_skin);
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        disjoint_join(set, t->vertex_point[t->indices[i]],
                      t->vertex_point[t->indices[3 * (i / 3)]]);
    }
    for (int32_t i = 0; i < w->part_count; ++i) {
        p->origin[i] = -1 - i; /* of faces of the cut alone: of no part before */
    }
    for (int32_t i = 0; i < w->skin->change.new_vertices; ++i) {
        const lim_vertex_source* from = &w->skin->change.source[i];
        int32_t part = w->part[w->skin->change.vertex_point[i]];
        if (from->vertex[0] >= 0 && part >= 0) {
            p->origin[part] = disjoint_root(set, t->vertex_point[from->vertex[0]]);
        }
    }
    for (int32_t i = 0; i < w->old_skin; ++i) {
        if (w->part[i] >= 0) {
            p->origin[w->part[i]] = disjoint_root(set, i);
        }
    }
    return LIM_OK;
}

/* Points by fragment and part, ascending. */
static lim_result sort_points(const agree_work* w, arena* mem, sort_item** out,
                              int32_t* out_count) {
    sort_item* item = ARENA_ARRAY(mem, sort_item, w->skin_points);
    sort_item* scratch = ARENA_ARRAY(mem, sort_item, w->skin_points);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(scratch);
    int32_t n = 0;
    for (int32_t i = 0; i < w->skin_points; ++i) {
        if (w->part[i] >= 0 && w->home[i] >= 0) {
            item[n++] =
                (sort_item){(uint64_t)w->home[i] << 32 | (uint32_t)w->part[i], w->part[i], 0};
        }
    }
    sort_items(item, scratch, n);
    *out = item;
    *out_count = n;
    return LIM_OK;
}

/* Per name an origin of which two parts lie on it, if any: the one that is to be parted there. */
static lim_result choose_origins(const parting* p, const sort_item* item, int32_t count,
                                 int32_t* chosen, bool* out_any) {
    const agree_work* w = p->w;
    const int32_t* name = agree_names(&w->change->after);
    sort_item* by = ARENA_ARRAY(&p->w->mem, sort_item, count);
    sort_item* scratch = ARENA_ARRAY(&p->w->mem, sort_item, count);
    LIM_TRY_MEMORY(by);
    LIM_TRY_MEMORY(scratch);
    *out_any = false;
    for (int32_t k = 0; k < w->change->after.count; ++k) {
        chosen[k] = INT32_MIN;
    }
    for (int32_t i = 0; i < count; ++i) {
        uint64_t n = (uint64_t)name[item[i].key >> 32];
        by[i] = (sort_item){n << 32 | (uint32_t)p->origin[item[i].value], item[i].value, 0};
    }
    sort_items(by, scratch, count);
    for (int32_t i = 1; i < count; ++i) {
        int32_t n = (int32_t)(by[i].key >> 32);
        if (by[i].key == by[i - 1].key && by[i].value != by[i - 1].value &&
            chosen[n] == INT32_MIN) {
            chosen[n] = p->origin[by[i].value];
            *out_any = true;
        }
    }
    return LIM_OK;
}

/* Labels of fragments that points of the chosen origin lie on: most of them, then the lowest part.
 */
static void put_labels(parting* p, const sort_item* item, int32_t count, const int32_t* chosen) {
    const int32_t* name = agree_names(&p->w->change->after);
    int32_t best = 0, run = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t f = (int32_t)(item[i].key >> 32);
        bool next = i == 0 || (int32_t)(item[i - 1].key >> 32) != f;
        best = next ? 0 : best;
        run = next || item[i - 1].key != item[i].key ? 1 : run + 1;
        if (p->origin[item[i].value] == chosen[name[f]] && run > best) {
            best = run;
            p->label[f] = item[i].value;
        }
    }
}

static lim_result spread_labels(parting* p) {
    const matter* m = &p->w->change->after;
    const int32_t* name = agree_names(m);
    int32_t* queue = ARENA_ARRAY(&p->w->mem, int32_t, m->count);
    LIM_TRY_MEMORY(queue);
    int32_t tail = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        if (p->label[i] >= 0) {
            queue[tail++] = i;
        }
    }
    for (int32_t head = 0; head < tail; ++head) {
        int32_t i = queue[head];
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t k = m->edge_node[e];
            if (p->label[k] < 0 && name[k] == name[i]) {
                p->label[k] = p->label[i];
                queue[tail++] = k;
            }
        }
    }
    return LIM_OK;
}

static lim_result cut_between(parting* p, int32_t a, int32_t b) {
    const matter* m = &p->w->change->after;
    octant from = octant_of(m->key[a]), to = octant_of(m->key[b]);
    const int d[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
    matter_wall wall = {.key = m->key[a]};
    linking_between(m->mask[a], m->mask[b], d, wall.cut);
    return ARRAY_PUSH(&p->w->mem.host, &p->wall, wall) ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result cut_labels(parting* p) {
    const matter* m = &p->w->change->after;
    const int32_t* name = agree_names(m);
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t k = m->edge_node[e];
            if (name[i] == name[k] && p->label[i] >= 0 && p->label[k] >= 0 &&
                p->label[i] != p->label[k]) {
                LIM_TRY(cut_between(p, i, k));
            }
        }
    }
    return LIM_OK;
}

/* Points of a part on a fragment of another have no home. */
static void drop_homes(parting* p) {
    agree_work* w = p->w;
    for (int32_t i = 0; i < w->skin_points; ++i) {
        int32_t label = w->part[i] >= 0 && w->home[i] >= 0 ? p->label[w->home[i]] : -1;
        if (label >= 0 && label != w->part[i] && p->origin[label] == p->origin[w->part[i]]) {
            w->home[i] = -1;
            w->renew[i] = 1;
        }
    }
}

static lim_result part_once(parting* p, bool* out_any) {
    agree_work* w = p->w;
    sort_item* item;
    int32_t count, n = w->change->after.count;
    p->label = ARENA_ARRAY(&w->mem, int32_t, n);
    int32_t* chosen = ARENA_ARRAY(&w->mem, int32_t, n);
    LIM_TRY_MEMORY(p->label);
    LIM_TRY_MEMORY(chosen);
    memset(p->label, 0xFF, (size_t)n * sizeof(int32_t));
    LIM_TRY(sort_points(w, &w->mem, &item, &count));
    LIM_TRY(choose_origins(p, item, count, chosen, out_any));
    if (!*out_any) {
        return LIM_OK;
    }
    put_labels(p, item, count, chosen);
    LIM_TRY(spread_labels(p));
    p->wall.count = 0;
    LIM_TRY(cut_labels(p));
    drop_homes(p);
    LIM_TRY(agree_cut(w, p->wall.data, p->wall.count, NULL));
    return agree_spread(w);
}

/* Per name (component but for glue) a part whose points lie on it, or to which glue leads from it,
 * -1: none. */
static void label_names(const parting* p, const agree_pairs* glue, int32_t* part) {
    agree_work* w = p->w;
    const int32_t* name = agree_names(&w->change->after);
    for (int32_t i = 0; i < w->change->after.count; ++i) {
        part[i] = -1;
    }
    for (int32_t i = 0; i < w->skin_points; ++i) {
        if (w->part[i] >= 0 && w->home[i] >= 0 && part[name[w->home[i]]] < 0) {
            part[name[w->home[i]]] = w->part[i];
        }
    }
    for (bool going = true; going;) {
        going = false;
        for (int32_t i = 0; i < glue->count; i += 2) {
            int32_t *a = &part[name[glue->data[i]]], *b = &part[name[glue->data[i + 1]]];
            going = going || (*a < 0) != (*b < 0);
            *a = *a < 0 ? *b : *a;
            *b = *b < 0 ? *a : *b;
        }
    }
}

/* Glue of a hinge goes where the skin has parted there: where it holds two parts that were one. */
static lim_result part_glue(parting* p, agree_pairs* glue) {
    agree_work* w = p->w;
    const matter* m = &w->change->after;
    int32_t* part = ARENA_ARRAY(&w->mem, int32_t, m->count);
    LIM_TRY_MEMORY(part);
    LIM_TRY(agree_list_glue(w, glue));
    label_names(p, glue, part);
    const int32_t* name = agree_names(m);
    int32_t kept = 0;
    for (int32_t i = 0; i < glue->count; i += 2) {
        int32_t a = glue->data[i], b = glue->data[i + 1], x = part[name[a]], y = part[name[b]];
        if (x != y && x >= 0 && y >= 0 && p->origin[x] == p->origin[y]) {
            w->change->touched[a] = w->change->touched[b] = 1;
            w->change->cut_edges++;
        } else {
            glue->data[kept++] = a;
            glue->data[kept++] = b;
        }
    }
    if (kept == glue->count) {
        return LIM_OK;
    }
    return matter_glue(w->a, m, glue->data, kept / 2, &w->change->after);
}

lim_result agree_part(agree_work* w) {
    enum { ROUNDS = 8 };
    bool shared = false;
    LIM_TRY(find_shared(w, &shared));
    if (!shared) {
        return LIM_OK;
    }
    parting p = {.w = w};
    lim_result result = find_origins(&p);
    for (int i = 0; i < ROUNDS && shared && result == LIM_OK; ++i) {
        result = part_once(&p, &shared);
    }
    agree_pairs glue = {0};
    if (result == LIM_OK && w->change->after.unglued != NULL) {
        result = part_glue(&p, &glue);
    }
    ARRAY_FREE(&w->mem.host, &glue);
    ARRAY_FREE(&w->mem.host, &p.wall);
    return result;
}
