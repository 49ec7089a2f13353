/* SPDX-License-Identifier: MIT
 * Job: the fragment that each point of the surface lies on. In: skin and material after a cut. Out:
 * homes. A point whose fragment is as it was keeps it. Others look from a place a little inside of
 * their own side of the blade for the nearest sub-voxel of material that no blade triangle hides
 * (algorithms B.2); points that were there look first at what is left of their own fragment and
 * its neighbours, so that they do not change sides of an earlier cut.
 */
#include "edit/agree_work.h"

#include "mesh/bvh.h"
#include "sample/matter_links.h"

#include <string.h>

enum { REACH = 3, OFFSETS = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };
static const double STEP = 0.05; /* inwards, in sub-voxels */

typedef struct seeker {
    agree_work* w;
    matter_cells cells;
    grid_blade blade;
    bvh* tree;        /* over the blade, grid coordinates */
    grid_blade faces; /* of earlier cuts near the blade */
    bvh* faces_tree;  /* null: not heeded, or none */
    int32_t count;
    int8_t offset[OFFSETS][3]; /* by length */
    uint8_t* allowed; /* per part and component before the cut: material of it may be its home;
                         null: any may */
    /* of one question */
    lim_point from, to, sum;
    bool hidden;
} seeker;

static void list_offsets(seeker* s) {
    for (int length = 0; length <= REACH * REACH; ++length) {
        for (int i = 0; i < OFFSETS; ++i) {
            int x = i % (2 * REACH + 1) - REACH, y = i / (2 * REACH + 1) % (2 * REACH + 1) - REACH;
            int z = i / (2 * REACH + 1) / (2 * REACH + 1) - REACH;
            if (x * x + y * y + z * z == length) {
                s->offset[s->count][0] = (int8_t)x;
                s->offset[s->count][1] = (int8_t)y;
                s->offset[s->count++][2] = (int8_t)z;
            }
        }
    }
}

static void corners_of(const seeker* s, int32_t triangle, lim_point c[3]) {
    for (int k = 0; k < 3; ++k) {
        c[k] = s->blade.point[s->blade.triangle[3 * (size_t)triangle + (size_t)k]];
    }
}

static bool visit_hiding(void* user, int32_t triangle) {
    seeker* s = user;
    lim_point c[3];
    corners_of(s, triangle, c);
    s->hidden = grid_segment_crosses(c, s->from, s->to);
    return !s->hidden;
}

static bool visit_face(void* user, int32_t triangle) {
    seeker* s = user;
    lim_point c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = s->faces.point[s->faces.triangle[3 * (size_t)triangle + (size_t)k]];
    }
    s->hidden = grid_segment_crosses(c, s->from, s->to);
    return !s->hidden;
}

static bool visit_normal(void* user, int32_t triangle) {
    seeker* s = user;
    lim_point c[3];
    corners_of(s, triangle, c);
    s->sum = p3_add(s->sum, p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0])));
    return true;
}

/* The tree holds floats: a box is asked for with what rounding to them can move. */
static void ask(seeker* s, const bvh* tree, lim_point low, lim_point high,
                bool (*visit)(void*, int32_t)) {
    lim_point far = p3_max(p3_scale(low, -1.0), high);
    double margin = 1e-6 * (fabs(far.x) + fabs(far.y) + fabs(far.z)) + 1e-3;
    const lim_point m = {margin, margin, margin};
    bvh_visit(tree, v3_of(p3_sub(low, m)), v3_of(p3_add(high, m)), visit, s);
}

static bool sees(seeker* s, lim_point to) {
    s->to = to;
    s->hidden = false;
    ask(s, s->tree, p3_min(s->from, to), p3_max(s->from, to), visit_hiding);
    if (!s->hidden && s->faces_tree != NULL) {
        ask(s, s->faces_tree, p3_min(s->from, to), p3_max(s->from, to), visit_face);
    }
    return !s->hidden;
}

/* A little inside of the material, on the point's own side of the blade. */
static lim_point look_from(seeker* s, int32_t point) {
    const surface_cut* skin = s->w->skin;
    lim_point at = grid_place(&s->w->change->after, agree_place(s->w, point));
    lim_point n = p3_of(skin->normal[point]);
    if (skin->side[point] != 0) {
        s->sum = p3(0, 0, 0);
        ask(s, s->tree, at, at, visit_normal);
        double length = p3_length(s->sum);
        if (length > 0.0) {
            lim_point b = p3_scale(s->sum, skin->side[point] / length);
            n = p3_sub(n, p3_scale(b, p3_dot(n, b)));
            at = p3_mad(at, b, STEP);
        }
    }
    return grid_round(p3_mad(at, n, -STEP));
}

static int32_t fragment_at(const seeker* s, int32_t x, int32_t y, int32_t z, int32_t* cell_key,
                           int32_t* cell) {
    if (x < 0 || y < 0 || z < 0) {
        return -1;
    }
    if (cell_key[0] != x >> 2 || cell_key[1] != y >> 2 || cell_key[2] != z >> 2) {
        cell_key[0] = x >> 2;
        cell_key[1] = y >> 2;
        cell_key[2] = z >> 2;
        *cell = matter_cells_at(&s->cells, x >> 2, y >> 2, z >> 2);
    }
    uint64_t bit = (uint64_t)1 << ((x & 3) + 4 * (y & 3) + 16 * (z & 3));
    for (int32_t i = *cell >= 0 ? s->cells.first[*cell] : 0;
         *cell >= 0 && i < s->cells.first[*cell + 1]; ++i) {
        if ((s->w->change->after.mask[i] & bit) != 0) {
            return i;
        }
    }
    return -1;
}

/* Is a fragment what is left of one before the cut, or of a neighbour of it? */
static bool is_near(const agree_work* w, int32_t fragment, int32_t old) {
    const matter* b = &w->t->matter;
    int32_t s = w->change->source[fragment];
    bool near = s == old;
    for (int32_t e = b->edge_offset[old]; e < b->edge_offset[old + 1] && !near; ++e) {
        near = b->edge_node[e] == s;
    }
    return near;
}

static int32_t floor_of(double x) {
    int32_t i = (int32_t)x;
    return (double)i > x ? i - 1 : i;
}

static bool may_live(const seeker* s, int32_t part, int32_t fragment) {
    const matter* b = &s->w->t->matter;
    return s->allowed == NULL || part < 0 ||
           s->allowed[(size_t)part * (size_t)b->component_count +
                      (size_t)b->component[s->w->change->source[fragment]]];
}

/* old: the fragment before the cut, -1: any will do. */
static int32_t seek(seeker* s, int32_t part, int32_t old) {
    int32_t base[3] = {floor_of(s->from.x + 0.5), floor_of(s->from.y + 0.5),
                       floor_of(s->from.z + 0.5)};
    int32_t key[3] = {-1, -1, -1}, cell = -1;
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t x = base[0] + s->offset[i][0], y = base[1] + s->offset[i][1],
                z = base[2] + s->offset[i][2];
        int32_t found = fragment_at(s, x, y, z, key, &cell);
        if (found >= 0 && may_live(s, part, found) && (old < 0 || is_near(s->w, found, old)) &&
            sees(s, p3(x, y, z))) {
            return found;
        }
    }
    return -1;
}

/* The fragment before the cut; -1 for new points. */
static int32_t old_home(const agree_work* w, int32_t point) {
    int32_t felt = point - w->skin_points, olds = w->t->bind.count - w->t->point_count;
    if (w->t->point_home == NULL) {
        return -1;
    }
    if (point < w->old_skin) {
        return w->t->point_home[point];
    }
    return felt >= 0 && felt < olds ? w->t->point_home[w->t->point_count + felt] : -1;
}

/* The point before the cut that a new one is nearest to on the skin, -1: it lies inside. */
static lim_result find_nearest_old(agree_work* w, int32_t** out) {
    const surface_change* c = &w->skin->change;
    int32_t* from = ARENA_ARRAY(&w->mem, int32_t, c->new_points);
    LIM_TRY_MEMORY(from);
    for (int32_t i = 0; i < c->new_points; ++i) {
        from[i] = -1;
    }
    for (int32_t i = 0; i < c->new_vertices; ++i) {
        const lim_vertex_source* s = &c->source[i];
        int32_t point = c->vertex_point[i] - w->old_skin, best = 0;
        for (int k = 1; k < 3; ++k) {
            best = s->weight[k] > s->weight[best] ? k : best;
        }
        if (s->vertex[best] >= 0 && point >= 0) {
            from[point] = w->t->vertex_point[s->vertex[best]];
        }
    }
    *out = from;
    return LIM_OK;
}

/* What lies beyond an earlier cut is no home, however near it is. */
static lim_result find_allowed(seeker* s, const int32_t* from) {
    agree_work* w = s->w;
    const matter* b = &w->t->matter;
    size_t n = (size_t)b->component_count;
    if (n < 2 || w->t->point_home == NULL) {
        return LIM_OK;
    }
    s->allowed = arena_alloc(&w->mem, (size_t)w->part_count, n);
    LIM_TRY_MEMORY(s->allowed);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        int32_t old = i < w->old_skin ? i : from[i - w->old_skin];
        if (w->part[i] >= 0 && old >= 0 && old < w->old_skin) {
            s->allowed[(size_t)w->part[i] * n + (size_t)b->component[w->t->point_home[old]]] = 1;
        }
    }
    for (int32_t i = 0; i < w->part_count; ++i) {
        uint8_t* row = s->allowed + (size_t)i * n;
        if (memchr(row, 1, n) == NULL) {
            memset(row, 1, n); /* of faces of the cut alone: nothing is known */
        }
    }
    return LIM_OK;
}

/* The faces of earlier cuts within a cell of the blade's box. */
static lim_result prepare_faces(seeker* s) {
    agree_work* w = s->w;
    const topology* t = w->t;
    const cut_blade* blade = &w->skin->blade;
    lim_point low = blade->point[0], high = low;
    lim_point margin = p3((double)t->cell, (double)t->cell, (double)t->cell);
    for (int32_t i = 1; i < blade->point_count; ++i) {
        low = p3_min(low, blade->point[i]);
        high = p3_max(high, blade->point[i]);
    }
    low = p3_sub(low, margin);
    high = p3_add(high, margin);
    int32_t* triangle = ARENA_ARRAY(&w->mem, int32_t, 3 * (size_t)t->triangle_count);
    lim_point* point = ARENA_ARRAY(&w->mem, lim_point, 3 * (size_t)t->triangle_count);
    LIM_TRY_MEMORY(triangle);
    LIM_TRY_MEMORY(point);
    int32_t count = 0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        if (t->submesh[i] < t->own_submeshes) {
            continue;
        }
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = t->skin_point[t->vertex_point[t->indices[3 * (size_t)i + (size_t)k]]];
        }
        lim_point from = p3_min(p[0], p3_min(p[1], p[2])), to = p3_max(p[0], p3_max(p[1], p[2]));
        if (to.x < low.x || to.y < low.y || to.z < low.z || from.x > high.x || from.y > high.y ||
            from.z > high.z) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            point[3 * (size_t)count + (size_t)k] = p[k];
            triangle[3 * (size_t)count + (size_t)k] = 3 * count + k;
        }
        count++;
    }
    if (count == 0) {
        return LIM_OK;
    }
    cut_blade faces = {3 * count, count, point, triangle, NULL, true};
    LIM_TRY(grid_blade_make(&w->mem, &w->change->after, &faces, &s->faces));
    lim_vec3* place = ARENA_ARRAY(&w->mem, lim_vec3, 3 * (size_t)count);
    LIM_TRY_MEMORY(place);
    for (int32_t i = 0; i < 3 * count; ++i) {
        place[i] = v3_of(s->faces.point[i]);
    }
    return bvh_build(&w->mem, place, s->faces.triangle, count, &s->faces_tree);
}

static lim_result prepare(seeker* s) {
    agree_work* w = s->w;
    list_offsets(s);
    LIM_TRY(grid_blade_make(&w->mem, &w->change->after, &w->skin->blade, &s->blade));
    LIM_TRY(matter_cells_make(&w->mem, &w->change->after, &s->cells));
    lim_vec3* point = ARENA_ARRAY(&w->mem, lim_vec3, w->skin->blade.point_count);
    LIM_TRY_MEMORY(point);
    for (int32_t i = 0; i < w->skin->blade.point_count; ++i) {
        point[i] = v3_of(s->blade.point[i]);
    }
    return bvh_build(&w->mem, point, s->blade.triangle, s->blade.triangle_count, &s->tree);
}

lim_result agree_homes(agree_work* w) {
    const matter *b = &w->t->matter, *m = &w->change->after;
    int32_t* whole = ARENA_ARRAY(&w->mem, int32_t, b->count); /* 1 + what it is now, 0: pieces */
    LIM_TRY_MEMORY(whole);
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t s = w->change->source[i];
        whole[s] = m->mask[i] == b->mask[s] ? i + 1 : 0;
    }
    seeker s = {.w = w};
    LIM_TRY(prepare(&s));
    LIM_TRY(w->skin->heeds_faces ? prepare_faces(&s) : LIM_OK);
    int32_t* from;
    LIM_TRY(find_nearest_old(w, &from));
    LIM_TRY(find_allowed(&s, from));
    for (int32_t i = 0; i < w->points; ++i) {
        int32_t old = old_home(w, i), now = old >= 0 ? whole[old] - 1 : -1;
        w->renew[i] = now < 0 || w->change->touched[now];
        w->home[i] = now;
        if (w->renew[i]) {
            bool fresh = i >= w->old_skin && i < w->skin_points && w->t->point_home != NULL;
            int32_t near = fresh ? from[i - w->old_skin] : -1;
            near = old >= 0 ? old : near >= 0 ? w->t->point_home[near] : -1;
            s.from = look_from(&s, i);
            int32_t found = near >= 0 ? seek(&s, w->part[i], near) : -1;
            w->home[i] = found >= 0 ? found : seek(&s, w->part[i], -1);
        }
    }
    return LIM_OK;
}
