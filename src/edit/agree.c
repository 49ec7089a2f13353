/* SPDX-License-Identifier: MIT
 * Job: skin and material that fall apart alike. In: both after a cut by the same blade. Out: the
 * material mended, and the fragment of each point whose binding must change. Where every part of
 * the skin has its own component, which is nearly always, nothing is mended.
 */
#include "edit/agree.h"
#include "base/disjoint_set.h"

#include "edit/agree_work.h"

lim_result agree_cut(agree_work* w, const matter_wall* wall, int32_t count, int32_t** out_new) {
    matter_change* c = w->change;
    matter_change more;
    LIM_TRY(matter_cut_links(w->a, &c->after, wall, count, &more));
    int32_t* largest = ARENA_ARRAY(&w->mem, int32_t, c->after.count); /* 1 + piece of each */
    int32_t* source = ARENA_ARRAY(w->a, int32_t, more.after.count);
    LIM_TRY_MEMORY(largest);
    LIM_TRY_MEMORY(source);
    for (int32_t i = 0; i < more.after.count; ++i) {
        int32_t from = more.source[i], *best = &largest[from];
        if (*best == 0 || mask_count(more.after.mask[i]) > mask_count(more.after.mask[*best - 1])) {
            *best = i + 1;
        }
        source[i] = c->source[from];
        more.touched[i] |= c->touched[from];
    }
    for (int32_t i = 0; i < w->points; ++i) {
        w->home[i] = w->home[i] >= 0 ? largest[w->home[i]] - 1 : -1;
        w->renew[i] = w->renew[i] || w->home[i] < 0 || more.touched[w->home[i]];
    }
    if (out_new != NULL) {
        *out_new = more.source;
    }
    *c = (matter_change){more.after, source, more.touched, c->cut_edges + more.cut_edges,
                         c->new_fragments + more.new_fragments};
    return LIM_OK;
}

lim_result agree_list_glue(const agree_work* w, agree_pairs* pair) {
    const matter* m = &w->change->after;
    for (int32_t i = 0; i < 2 * m->glued_edges; ++i) {
        if (!ARRAY_PUSH(&w->mem.host, pair, m->glue[i])) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

lim_result agree_list_near(agree_work* w) {
    const surface_change* s = &w->skin->change;
    int32_t told = 0;
    for (int32_t i = 0; i < w->skin_points; ++i) {
        told += w->renew[i];
    }
    if (w->near != NULL && told == w->near_told) {
        return LIM_OK; /* none is ever taken back: they are the same */
    }
    uint8_t* about = ARENA_ROOM(&w->mem, uint8_t, w->skin_points);
    uint8_t* near = ARENA_ROOM(&w->mem, uint8_t, s->vertex_count);
    LIM_TRY_MEMORY(about);
    LIM_TRY_MEMORY(near);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        lim_vec3 n = w->skin->normal[i];
        about[i] = (uint8_t)(w->renew[i] | (n.x != 0.0f) | (n.y != 0.0f) | (n.z != 0.0f));
    }
    for (int32_t i = 0; i < s->vertex_count; ++i) {
        near[i] = about[agree_vertex_point(w, (uint32_t)i)];
    }
    w->near = ARENA_ROOM(&w->mem, int32_t, 3 * (size_t)s->triangle_count);
    w->near_name = ARENA_ROOM(&w->mem, int32_t, s->triangle_count);
    LIM_TRY_MEMORY(w->near);
    LIM_TRY_MEMORY(w->near_name);
    w->near_told = told;
    w->near_count = 0;
    for (int32_t i = 0; i < s->triangle_count; ++i) {
        const uint32_t* vertex = s->indices + 3 * (size_t)i;
        if ((near[vertex[0]] | near[vertex[1]] | near[vertex[2]]) != 0) {
            for (int k = 0; k < 3; ++k) {
                w->near[3 * w->near_count + k] = agree_vertex_point(w, vertex[k]);
            }
            w->near_name[w->near_count++] = i;
        }
    }
    return LIM_OK;
}

/* Along the triangles until nothing changes: few points are without a home, and triangles about
 * them are near. */
lim_result agree_spread(agree_work* w) {
    int32_t missing = 0;
    for (int32_t i = 0; i < w->skin_points; ++i) {
        missing += (w->home[i] < 0) & (w->part[i] >= 0);
    }
    if (missing == 0) {
        return LIM_OK;
    }
    LIM_TRY(agree_list_near(w));
    for (bool going = true; going;) {
        going = false;
        for (int32_t t = 0; t < w->near_count; ++t) {
            const int32_t* p = w->near + 3 * (size_t)t;
            int32_t known = -1;
            for (int k = 0; k < 3; ++k) {
                known = known < 0 && w->home[p[k]] >= 0 ? w->home[p[k]] : known;
            }
            for (int k = 0; k < 3 && known >= 0; ++k) {
                if (w->home[p[k]] < 0) {
                    w->home[p[k]] = known;
                    w->renew[p[k]] = 1;
                    going = true;
                }
            }
        }
    }
    return LIM_OK;
}

lim_result agree_felt_parts(agree_work* w) {
    const surface_change* c = &w->skin->change;
    if (w->points == w->skin_points || w->part != w->skin->point_part) {
        return LIM_OK;
    }
    int32_t* set = ARENA_ROOM(&w->mem, int32_t, w->points);
    int32_t* part = ARENA_ROOM(&w->mem, int32_t, w->points);
    int32_t* first = ARENA_ARRAY(&w->mem, int32_t, w->points); /* 1 + part of each set */
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(part);
    LIM_TRY_MEMORY(first);
    disjoint_init(set, w->points);
    for (int32_t i = 0; i < 3 * c->felt_count; i += 3) {
        for (int k = 1; k < 3; ++k) {
            if (set[c->felt[i + k]] != set[c->felt[i]]) { /* joined already, mostly */
                disjoint_join(set, c->felt[i + k], c->felt[i]);
            }
        }
    }
    disjoint_name(set, w->points);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        part[i] = w->skin->point_part[i];
        first[set[i]] = part[i] >= 0 && first[set[i]] == 0 ? part[i] + 1 : first[set[i]];
    }
    for (int32_t i = w->skin_points; i < w->points; ++i) {
        part[i] = first[set[i]] - 1;
    }
    w->part = part;
    return LIM_OK;
}

/* The home of the nearest new point of the skin that is of the same part and side, -1: none. */
static int32_t nearest_home(const agree_work* w, int32_t point) {
    double best = INFINITY;
    int32_t nearest = -1;
    for (int32_t k = w->old_skin; k < w->skin_points; ++k) {
        lim_point d = p3_sub(agree_place(w, k), agree_place(w, point));
        double distance = p3_dot(d, d);
        if (w->home[k] >= 0 && distance < best && w->skin->side[k] * w->skin->side[point] >= 0 &&
            (w->part[point] < 0 || w->part[k] == w->part[point])) {
            best = distance;
            nearest = w->home[k];
        }
    }
    return nearest;
}

/* Felt points that see nothing, or material of another part than their own. Where all material is
 * one piece there is no other. */
static lim_result mend_felt(agree_work* w) {
    const int32_t* name = w->change->after.component;
    bool any = w->change->after.component_count > 1;
    for (int32_t i = w->skin_points; i < w->points && !any; ++i) {
        any = w->home[i] < 0;
    }
    if (!any) {
        return LIM_OK;
    }
    LIM_TRY(agree_felt_parts(w));
    int32_t* own = ARENA_ARRAY(&w->mem, int32_t, w->part_count); /* 1 + component, -1: several */
    LIM_TRY_MEMORY(own);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        if (w->part[i] >= 0 && w->home[i] >= 0) {
            int32_t *of = &own[w->part[i]], c = name[w->home[i]] + 1;
            *of = *of == 0 || *of == c ? c : -1;
        }
    }
    for (int32_t i = w->skin_points; i < w->points; ++i) {
        int32_t of = w->part[i] >= 0 ? own[w->part[i]] : -1;
        bool astray = w->home[i] < 0 || (of > 0 && name[w->home[i]] != of - 1);
        int32_t nearest = astray ? nearest_home(w, i) : -1;
        w->home[i] = nearest >= 0 ? nearest : w->home[i];
        w->renew[i] = w->renew[i] || nearest >= 0;
    }
    return LIM_OK;
}

/* A point farther from its home than this, in finest cells, has the nearest of the same piece. */
static const double FAR = 2.0;

/* Felt points that see nothing have got the home of another point, which may be far: slivers are
 * long. Pushed there, a node would swing such a point by a lever of several cells. */
static void bring_near(agree_work* w) {
    const matter* m = &w->change->after;
    for (int32_t i = w->skin_points; i < w->points; ++i) {
        if (!w->renew[i] || w->home[i] < 0) {
            continue;
        }
        lim_point at = agree_place(w, i);
        int32_t piece = m->component[w->home[i]];
        double best = p3_length(p3_sub(at, m->centroid[w->home[i]]));
        for (int32_t k = 0; k < m->count && best > FAR * m->side; ++k) {
            double away = m->component[k] == piece ? p3_length(p3_sub(at, m->centroid[k])) : best;
            w->home[i] = away < best ? k : w->home[i];
            best = away < best ? away : best;
        }
    }
}

static lim_result run(agree_work* w) {
    w->part = w->skin->point_part;
    LIM_TRY(agree_homes(w));
    LIM_TRY(agree_spread(w));
    LIM_TRY(w->skin->tears ? agree_flaps(w) : LIM_OK);
    LIM_TRY(agree_part(w));
    LIM_TRY(agree_fill(w));
    LIM_TRY(agree_join(w));
    LIM_TRY(mend_felt(w));
    bring_near(w);
    return LIM_OK;
}

lim_result edit_agree(arena* a, const topology* before, const surface_cut* skin, int32_t piece,
                      matter_change* change, int32_t** out_home) {
    matter_change mended = *change;
    agree_work w = {.a = a,
                    .t = before,
                    .skin = skin,
                    .component = piece,
                    .change = &mended,
                    .old_skin = before->point_count - 1,
                    .part_count = skin->part_count};
    w.skin_points = w.old_skin + skin->change.new_points;
    w.points = w.skin_points + skin->change.felt_points;
    w.home = ARENA_ARRAY(a, int32_t, w.points);
    LIM_TRY_MEMORY(w.home);
    arena_init(&w.mem, &a->host);
    w.renew = ARENA_ARRAY(&w.mem, uint8_t, w.points);
    lim_result result = w.renew == NULL            ? LIM_ERROR_MEMORY
                        : skin->point_part == NULL ? LIM_OK
                                                   : run(&w);
    for (int32_t i = 0; i < w.points && result == LIM_OK; ++i) {
        w.home[i] = w.renew[i] ? w.home[i] : -1;
    }
    arena_release(&w.mem);
    if (result == LIM_OK) {
        *change = mended;
        *out_home = w.home;
    }
    return result;
}
