/* SPDX-License-Identifier: MIT
 * Job: the fragment that each point of the surface lies on. In: skin and material after a cut. Out:
 * homes. A point whose fragment is as it was, and not hidden by the blade, keeps it. Others look
 * from a little below the widest of their own triangles, which is on their side of every cut that
 * passes there, for the nearest sub-voxel of material that neither a blade triangle nor a face of
 * an earlier cut hides (algorithms B.2); first at what is left of their own fragment and its
 * neighbours.
 */
#include "edit/agree_work.h"

#include "edit/cut_scan.h"
#include "mesh/bvh.h"
#include "sample/matter_links.h"

#include <string.h>

enum { REACH = 3, OFFSETS = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };
/* A point looks from below a place of its triangle: as far on towards the middle of it, half the
 * way at most, and as deep as this, in sub-voxels; less deep, by quarters, where another face comes
 * between; but always deeper than what rounding may do to a point where blade and skin are nearly
 * parallel. */
static const double ASIDE = 0.5, DEEP = 0.05, LEAST_DEEP = 0x1p-12;
enum { DEPTHS = 4 };

/* Triangles that hide, in grid coordinates. */
typedef struct screen {
    grid_blade blade;
    bvh* tree; /* null: there are none */
} screen;

typedef struct seeker {
    agree_work* w;
    matter_cells cells;
    screen blade;
    screen faces; /* of earlier cuts near the blade */
    int32_t count;
    int8_t offset[OFFSETS][3]; /* by length */
    uint8_t* allowed; /* per part and component before the cut: material of it may be its home;
                         null: any may */
    int32_t* widest;  /* per point: the triangle of its surface that it looks from, -1: none */
    /* of one question */
    const screen* of;
    lim_point from, to;
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

static bool visit_hiding(void* user, int32_t triangle) {
    seeker* s = user;
    const grid_blade* b = &s->of->blade;
    lim_point c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = b->point[b->triangle[3 * (size_t)triangle + (size_t)k]];
    }
    s->hidden = grid_segment_crosses(c, s->from, s->to);
    return !s->hidden;
}

/* The tree holds floats: a box is asked for with what rounding to them can move. */
static bool hides(seeker* s, const screen* of) {
    if (of->tree == NULL) {
        return false;
    }
    lim_point low = p3_min(s->from, s->to), high = p3_max(s->from, s->to);
    lim_point far = p3_max(p3_scale(low, -1.0), high);
    double margin = 1e-6 * (fabs(far.x) + fabs(far.y) + fabs(far.z)) + 1e-3;
    const lim_point m = {margin, margin, margin};
    s->of = of;
    s->hidden = false;
    bvh_visit(of->tree, v3_of(p3_sub(low, m)), v3_of(p3_add(high, m)), visit_hiding, s);
    return s->hidden;
}

static bool sees(seeker* s, lim_point to) {
    s->to = to;
    return !hides(s, &s->blade) && !hides(s, &s->faces);
}

/* Corners of a triangle of the skin, or of what is felt. */
static void corners_of(const agree_work* w, bool felt, int32_t triangle, int32_t p[3]) {
    const surface_change* c = &w->skin->change;
    for (int k = 0; k < 3; ++k) {
        size_t i = 3 * (size_t)triangle + (size_t)k;
        p[k] = felt ? c->felt[i] : agree_vertex_point(w, c->indices[i]);
    }
}

/* Of the triangles about each point that seeks a home the one that is widest: its inner side is the
 * side of the point, of every cut that passes there. */
static lim_result find_widest(seeker* s) {
    agree_work* w = s->w;
    const surface_change* c = &w->skin->change;
    double* width = ARENA_ARRAY(&w->mem, double, w->points);
    s->widest = ARENA_ARRAY(&w->mem, int32_t, w->points);
    LIM_TRY_MEMORY(width);
    LIM_TRY_MEMORY(s->widest);
    memset(s->widest, 0xFF, (size_t)w->points * sizeof(int32_t));
    for (int felt = 0; felt < 2; ++felt) {
        int32_t count = felt ? c->felt_count : c->triangle_count;
        for (int32_t t = 0; t < count; ++t) {
            int32_t p[3];
            corners_of(w, felt, t, p);
            if (!w->renew[p[0]] && !w->renew[p[1]] && !w->renew[p[2]]) {
                continue;
            }
            lim_point a = agree_place(w, p[0]), u = p3_sub(agree_place(w, p[1]), a),
                      v = p3_sub(agree_place(w, p[2]), a), x = p3_sub(u, v);
            double longest = fmax(p3_dot(x, x), fmax(p3_dot(u, u), p3_dot(v, v)));
            lim_point n = p3_cross(u, v);
            double square = longest > 0.0 ? p3_dot(n, n) / longest : 0.0;
            for (int k = 0; k < 3; ++k) {
                if (square > width[p[k]] && (p[k] >= w->skin_points) == felt) {
                    width[p[k]] = square;
                    s->widest[p[k]] = t;
                }
            }
        }
    }
    return LIM_OK;
}

/* A little below a place of its widest triangle, where nothing comes between. */
static lim_point look_from(seeker* s, int32_t point) {
    agree_work* w = s->w;
    const matter* m = &w->change->after;
    lim_point at = grid_place(m, agree_place(w, point));
    int32_t p[3];
    if (s->widest[point] < 0) {
        return grid_round(at);
    }
    corners_of(w, point >= w->skin_points, s->widest[point], p);
    lim_point c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = grid_place(m, agree_place(w, p[k]));
    }
    lim_point middle = p3_scale(p3_add(p3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
    lim_point in = p3_sub(middle, at), n = p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0]));
    double away = p3_length(in), length = p3_length(n);
    in = p3_mad(at, in, away > 2.0 * ASIDE ? ASIDE / away : 0.5);
    n = p3_scale(n, length > 0.0 ? 1.0 / length : 0.0);
    s->from = grid_round(p3_mad(in, n, -LEAST_DEEP));
    lim_point from = s->from;
    double deep = DEEP;
    for (int i = 0; i < DEPTHS; ++i, deep *= 0.25) {
        lim_point to = grid_round(p3_mad(in, n, -deep));
        if (sees(s, to)) {
            from = to;
            break;
        }
    }
    return from;
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

/* Is all of a fragment hidden by the blade? */
static bool is_hidden(seeker* s, int32_t fragment) {
    const matter* m = &s->w->change->after;
    octant o = octant_of(m->key[fragment]);
    for (uint64_t left = m->mask[fragment]; left != 0; left &= left - 1) {
        int bit = mask_lowest(left);
        s->to = p3(4 * o.x + (bit & 3), 4 * o.y + (bit >> 2 & 3), 4 * o.z + (bit >> 4));
        if (!hides(s, &s->blade)) {
            return false;
        }
    }
    return true;
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

/* A tree over triangles that hide. */
static lim_result make_screen(agree_work* w, const cut_blade* of, screen* out) {
    LIM_TRY(grid_blade_make(&w->mem, &w->change->after, of, &out->blade));
    lim_vec3* point = ARENA_ARRAY(&w->mem, lim_vec3, of->point_count);
    LIM_TRY_MEMORY(point);
    for (int32_t i = 0; i < of->point_count; ++i) {
        point[i] = v3_of(out->blade.point[i]);
    }
    return bvh_build(&w->mem, point, out->blade.triangle, out->blade.triangle_count, &out->tree);
}

/* Which vertices that edits have made are of faces: those that lie on a blade alone, or between
 * such. */
static lim_result mark_faces(agree_work* w, uint8_t** out) {
    const topology* t = w->t;
    int32_t first = t->vertex_count - t->source_count;
    uint8_t* face = *out = ARENA_ARRAY(&w->mem, uint8_t, t->source_count);
    LIM_TRY_MEMORY(face);
    for (int32_t i = 0; i < t->source_count; ++i) {
        const lim_vertex_source* s = &t->source[i];
        int k = s->weight[1] > s->weight[0] ? 1 : 0;
        k = s->weight[2] > s->weight[k] ? 2 : k;
        bool made = s->vertex[k] >= first && s->vertex[k] < first + i;
        face[i] = s->weight[k] > 0.0f ? made && face[s->vertex[k] - first] : 1;
    }
    return LIM_OK;
}

/* The faces of earlier cuts within two cells of the blade. */
static lim_result find_faces(seeker* s) {
    agree_work* w = s->w;
    const topology* t = w->t;
    cut_slabs about = cut_slabs_about(&w->skin->blade, 2.0 * (double)t->cell);
    uint8_t* beyond = ARENA_ARRAY(&w->mem, uint8_t, w->old_skin);
    int32_t* triangle = ARENA_ARRAY(&w->mem, int32_t, 3 * (size_t)t->triangle_count);
    LIM_TRY_MEMORY(beyond);
    LIM_TRY_MEMORY(triangle);
    uint8_t* face;
    LIM_TRY(mark_faces(w, &face));
    cut_slabs_beyond(&about, t->skin_point, w->old_skin, beyond);
    int32_t count = 0;
    uint32_t first = (uint32_t)(t->vertex_count - t->source_count);
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const uint32_t* vertex = t->indices + 3 * (size_t)i;
        if (vertex[0] < first || !face[vertex[0] - first]) {
            continue;
        }
        int32_t p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = t->vertex_point[vertex[k]];
        }
        if ((beyond[p[0]] & beyond[p[1]] & beyond[p[2]]) == 0) {
            memcpy(triangle + 3 * (size_t)count++, p, sizeof(p));
        }
    }
    cut_blade faces = {w->old_skin, count, t->skin_point, triangle, NULL, true};
    return count > 0 ? make_screen(w, &faces, &s->faces) : LIM_OK;
}

static lim_result prepare(seeker* s) {
    list_offsets(s);
    LIM_TRY(make_screen(s->w, &s->w->skin->blade, &s->blade));
    LIM_TRY(find_faces(s));
    return matter_cells_make(&s->w->mem, &s->w->change->after, &s->cells);
}

/* May the blade have come between a point and the fragment it lay on? */
static bool may_hide(const agree_work* w, int32_t point, int32_t old) {
    lim_vec3 n = w->skin->normal[point];
    bool near = n.x != 0.0f || n.y != 0.0f || n.z != 0.0f;
    return near && (w->component < 0 || w->t->matter.component[old] == w->component);
}

/* Which points keep their home: those whose fragment is as it was, and not hidden by the blade. */
static lim_result keep_homes(seeker* s) {
    agree_work* w = s->w;
    const matter *b = &w->t->matter, *m = &w->change->after;
    int32_t* whole = ARENA_ARRAY(&w->mem, int32_t, b->count); /* 1 + what it is now, 0: pieces */
    LIM_TRY_MEMORY(whole);
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t from = w->change->source[i];
        whole[from] = m->mask[i] == b->mask[from] ? i + 1 : 0;
    }
    for (int32_t i = 0; i < w->points; ++i) {
        int32_t old = old_home(w, i), now = old >= 0 ? whole[old] - 1 : -1;
        w->home[i] = now;
        w->renew[i] = now < 0 || w->change->touched[now];
        if (!w->renew[i] && may_hide(w, i, old)) {
            s->from = grid_round(grid_place(m, agree_place(w, i)));
            w->renew[i] = is_hidden(s, now);
        }
    }
    return LIM_OK;
}

lim_result agree_homes(agree_work* w) {
    seeker s = {.w = w};
    int32_t* from;
    LIM_TRY(prepare(&s));
    LIM_TRY(keep_homes(&s));
    LIM_TRY(find_widest(&s));
    LIM_TRY(find_nearest_old(w, &from));
    LIM_TRY(find_allowed(&s, from));
    for (int32_t i = 0; i < w->points; ++i) {
        if (w->renew[i]) {
            bool fresh = i >= w->old_skin && i < w->skin_points && w->t->point_home != NULL;
            int32_t old = old_home(w, i), near = fresh ? from[i - w->old_skin] : -1;
            near = old >= 0 ? old : near >= 0 ? w->t->point_home[near] : -1;
            s.from = look_from(&s, i);
            int32_t found = near >= 0 ? seek(&s, w->part[i], near) : -1;
            w->home[i] = found >= 0 ? found : seek(&s, w->part[i], -1);
        }
    }
    return LIM_OK;
}
