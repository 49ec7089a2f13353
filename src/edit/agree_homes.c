/* SPDX-License-Identifier: MIT
 * Job: the fragment that each point of the surface lies on. In: skin and material after a cut. Out:
 * homes. A point whose fragment is as it was, and not hidden by the blade, keeps it. Others look
 * from a little below the widest of their own triangles, which is on their side of every cut that
 * passes there, for the nearest sub-voxel of material that neither a blade triangle nor a face of
 * an earlier cut hides; first at what is left of their own fragment and its neighbours.
 */
#include "edit/agree_work.h"

#include "edit/agree_see.h"
#include "edit/cut_faces.h"
#include "edit/cut_scan.h"

#include <string.h>

enum { REACH = 3, CLOSE = 27, OFFSETS = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };
/* A point looks from below a place of its triangle: as far on towards the middle of it, half the
 * way at most, and as deep as this, in sub-voxels; less deep, by quarters, where another face comes
 * between; but always deeper than what rounding may do to a point where blade and skin are nearly
 * parallel. */
static const double ASIDE = 0.5, DEEP = 0.05, LEAST_DEEP = 0x1p-12;
enum { DEPTHS = 4 };

/* What is known of a cell. */
typedef struct seeker_cell {
    int32_t x, y, z;
    int32_t first; /* where its fragments begin, -1: it has none */
    bool gathered;
    see_list hiders; /* what may hide something about a point in it */
} seeker_cell;

typedef struct seeker {
    agree_work* w;
    see_screen blade, all; /* with the faces of earlier cuts near it */
    see_place sight;
    bool wide; /* it has gathered what hides as far as it may look; else about it alone */
    int32_t count;
    int8_t offset[OFFSETS][3]; /* by length: the first CLOSE are those to where it is and about */
    uint8_t* allowed; /* per part and component before the cut: material of it may be its home;
                         null: any may */
    int32_t* widest;  /* per point that seeks: the triangle that it looks from, of those near or of
                         those felt; -1: none */
    uint8_t* blind;   /* per point of the skin: it lies on what is too thin to look into; null: none
                         does */
    seeker_cell* known; /* 8 x 8 x 8, by the low bits of a cell's place: the last of them */
} seeker;

static void list_offsets(seeker* s) {
    for (int length = 0; length <= REACH * REACH; ++length) {
        for (int z = -REACH; z <= REACH; ++z) {
            for (int y = -REACH; y <= REACH; ++y) {
                for (int x = -REACH; x <= REACH; ++x) {
                    if (x * x + y * y + z * z == length) {
                        s->offset[s->count][0] = (int8_t)x;
                        s->offset[s->count][1] = (int8_t)y;
                        s->offset[s->count++][2] = (int8_t)z;
                    }
                }
            }
        }
    }
}

/* Of the triangles about each point that seeks a home the one that is widest: its inner side is the
 * side of the point, of every cut that passes there. Points of the skin ask the skin, the others
 * what is felt. */
static void widen(seeker* s, const int32_t* triangle, int32_t count, bool felt,
                  const uint8_t* thickness, double* width) {
    const agree_work* w = s->w;
    for (int32_t t = 0; t < count; ++t) {
        const int32_t* p = triangle + 3 * (size_t)t;
        if ((w->renew[p[0]] | w->renew[p[1]] | w->renew[p[2]]) == 0 ||
            (thickness != NULL && thickness[t] == AGREE_THIN)) {
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

/* Points that have a thin triangle and no thick one see nothing: what is about them on the skin
 * tells them their home, whatever they had. Only where there are faces of earlier cuts; blades of a
 * crack are bent away from those before, and have flaps of their own (edit/agree_flaps.c). */
static lim_result find_blind(seeker* s, uint8_t** out_thickness) {
    enum { HAS_THICK = 1, HAS_THIN = 2 };
    agree_work* w = s->w;
    *out_thickness = NULL;
    if (w->t->source_count == 0 || w->skin->tears) {
        return LIM_OK;
    }
    uint8_t* thickness = *out_thickness = ARENA_ROOM(&w->mem, uint8_t, w->near_count);
    s->blind = ARENA_ARRAY(&w->mem, uint8_t, w->skin_points);
    LIM_TRY_MEMORY(thickness);
    LIM_TRY_MEMORY(s->blind);
    LIM_TRY(agree_thin(w, 2.0 * LEAST_DEEP * w->t->matter.sub, thickness));
    for (int32_t i = 0; i < 3 * w->near_count; ++i) {
        uint8_t of = thickness[i / 3];
        s->blind[w->near[i]] |= of == AGREE_THICK ? HAS_THICK : of == AGREE_THIN ? HAS_THIN : 0;
    }
    for (int32_t i = 0; i < w->skin_points; ++i) {
        s->blind[i] = s->blind[i] == HAS_THIN;
        w->renew[i] |= s->blind[i];
        w->home[i] = s->blind[i] ? -1 : w->home[i];
    }
    return LIM_OK;
}

static lim_result find_widest(seeker* s) {
    agree_work* w = s->w;
    uint8_t* thickness;
    const surface_change* c = &w->skin->change;
    double* width = ARENA_ARRAY(&w->mem, double, w->points);
    s->widest = ARENA_ROOM(&w->mem, int32_t, w->points);
    LIM_TRY_MEMORY(width);
    LIM_TRY_MEMORY(s->widest);
    memset(s->widest, 0xFF, (size_t)w->points * sizeof(int32_t));
    LIM_TRY(agree_list_near(w));
    LIM_TRY(find_blind(s, &thickness));
    widen(s, w->near, w->near_count, false, thickness, width);
    if (w->points > w->skin_points) {
        widen(s, c->felt, c->felt_count, true, NULL, width);
    }
    return LIM_OK;
}

static int32_t first_in_cell(const matter* m, int32_t x, int32_t y, int32_t z) {
    int32_t extent = (int32_t)1 << m->level;
    if (x < 0 || y < 0 || z < 0 || x >= extent || y >= extent || z >= extent) {
        return -1;
    }
    uint64_t key = octant_key((octant){m->level, x, y, z});
    int32_t low = matter_first_of(m, key);
    return low < m->count && m->key[low] == key ? low : -1;
}

static seeker_cell* cell_of(seeker* s, int32_t x, int32_t y, int32_t z) {
    seeker_cell* cell = &s->known[(z & 7) << 6 | (y & 7) << 3 | (x & 7)];
    if (cell->x != x || cell->y != y || cell->z != z) {
        *cell = (seeker_cell){
            .x = x, .y = y, .z = z, .first = first_in_cell(&s->w->change->after, x, y, z)};
    }
    return cell;
}

static int32_t fragment_at(seeker* s, int32_t x, int32_t y, int32_t z) {
    const matter* m = &s->w->change->after;
    if (x < 0 || y < 0 || z < 0) {
        return -1;
    }
    int32_t first = cell_of(s, x >> 2, y >> 2, z >> 2)->first;
    uint64_t bit = (uint64_t)1 << ((x & 3) + 4 * (y & 3) + 16 * (z & 3));
    for (int32_t i = first; i >= 0 && i < m->count && m->key[i] == m->key[first]; ++i) {
        if ((m->mask[i] & bit) != 0) {
            return i;
        }
    }
    return -1;
}

/* Within more than any grid has: a forged save may place a point anywhere. */
static int32_t floor_of(double x) {
    const double most = 16777216.0;
    double within = x > -most ? (x < most ? x : most) : -most;
    int32_t i = (int32_t)within;
    return (double)i > within ? i - 1 : i;
}

/* How far hiders are gathered about a point that looks so many sub-voxels away: half a one more for
 * where it lies in its own, and how deep it may go. */
static lim_point reach_of(int32_t reach) {
    const double most = reach + 0.5 + 2.0 * DEEP;
    return p3(most, most, most);
}

/* All that may hide something next to a point: of what is near its cell. */
static lim_result gather_next_to(seeker* s, lim_point at) {
    lim_point reach = reach_of(1), low = p3_sub(at, reach), high = p3_add(at, reach);
    int32_t x = floor_of(0.25 * at.x), y = floor_of(0.25 * at.y), z = floor_of(0.25 * at.z);
    seeker_cell* cell = cell_of(s, x, y, z);
    if (!cell->gathered) {
        lim_point corner = p3(4.0 * x, 4.0 * y, 4.0 * z);
        see_gather(&s->sight, &s->all, p3_sub(corner, reach),
                   p3_add(p3_add(corner, p3(4, 4, 4)), reach));
        LIM_TRY(see_keep(&s->w->mem, &s->sight, &cell->hiders));
        cell->gathered = true;
    }
    s->wide = false;
    see_choose(&s->sight, &cell->hiders, low, high);
    return LIM_OK;
}

/* As far as it may look. */
static void gather_wide(seeker* s) {
    lim_point from = s->sight.from, reach = reach_of(REACH);
    s->wide = true;
    see_gather(&s->sight, &s->all, p3_sub(from, reach), p3_add(from, reach));
    see_stand(&s->sight, from);
}

/* Stands a little below a place of the point's widest triangle, where nothing comes between. */
static lim_result stand_below(seeker* s, int32_t point) {
    const agree_work* w = s->w;
    const matter* m = &w->change->after;
    lim_point in = grid_place(m, agree_place(w, point));
    if (s->widest[point] < 0) {
        LIM_TRY(gather_next_to(s, in));
        see_stand(&s->sight, grid_round(in));
        return LIM_OK;
    }
    const int32_t* triangle = point >= w->skin_points ? w->skin->change.felt : w->near;
    lim_point c[3];
    for (int k = 0; k < 3; ++k) {
        int32_t p = triangle[3 * (size_t)s->widest[point] + (size_t)k];
        c[k] = grid_place(m, agree_place(w, p));
    }
    lim_point middle = p3_scale(p3_add(p3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
    lim_point on = p3_sub(middle, in), n = p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0]));
    double away = p3_length(on), length = p3_length(n), deep = DEEP;
    in = p3_mad(in, on, away > 2.0 * ASIDE ? ASIDE / away : 0.5);
    n = p3_scale(n, length > 0.0 ? 1.0 / length : 0.0);
    LIM_TRY(gather_next_to(s, in));
    see_stand(&s->sight, grid_round(p3_mad(in, n, -LEAST_DEEP)));
    for (int i = 0; i < DEPTHS; ++i, deep *= 0.25) {
        lim_point to = grid_round(p3_mad(in, n, -deep));
        if (see_clear(&s->sight, to)) {
            see_stand(&s->sight, to);
            break;
        }
    }
    return LIM_OK;
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

static bool may_live(const seeker* s, int32_t part, int32_t fragment) {
    const matter* b = &s->w->t->matter;
    return s->allowed == NULL || part < 0 ||
           s->allowed[(size_t)part * (size_t)b->component_count +
                      (size_t)b->component[s->w->change->source[fragment]]];
}

/* old: the fragment before the cut, -1: none is known; close: what is left of it and its
 * neighbours, else all but those. */
static int32_t seek(seeker* s, int32_t part, int32_t old, bool close) {
    lim_point from = s->sight.from;
    int32_t base[3] = {floor_of(from.x + 0.5), floor_of(from.y + 0.5), floor_of(from.z + 0.5)};
    for (int32_t i = 0; i < s->count; ++i) {
        if (i == CLOSE && !s->wide) {
            gather_wide(s);
        }
        int32_t x = base[0] + s->offset[i][0], y = base[1] + s->offset[i][1],
                z = base[2] + s->offset[i][2];
        int32_t found = fragment_at(s, x, y, z);
        if (found >= 0 && may_live(s, part, found) &&
            (old < 0 || is_near(s->w, found, old) == close) && see_clear(&s->sight, p3(x, y, z))) {
            return found;
        }
    }
    return -1;
}

/* Is all of a fragment hidden by the blade? */
static bool is_hidden(seeker* s, lim_point from, int32_t fragment) {
    const matter* m = &s->w->change->after;
    octant o = octant_of(m->key[fragment]);
    lim_point low = p3(4 * o.x, 4 * o.y, 4 * o.z), high = p3(4 * o.x + 3, 4 * o.y + 3, 4 * o.z + 3);
    see_gather(&s->sight, &s->blade, p3_min(low, from), p3_max(high, from));
    see_stand(&s->sight, from);
    for (uint64_t left = m->mask[fragment]; left != 0; left &= left - 1) {
        int bit = mask_lowest(left);
        if (see_clear(&s->sight, p3_add(low, p3(bit & 3, bit >> 2 & 3, bit >> 4)))) {
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
    LIM_TRY(agree_felt_parts(w));
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

/* Vertices of the faces of earlier cuts come behind those of the mesh. */
static lim_result list_faces(agree_work* w, int32_t** out, int32_t* out_count) {
    const topology* t = w->t;
    uint32_t first = (uint32_t)(t->vertex_count - t->source_count);
    uint8_t* face;
    LIM_TRY(cut_faces_mark(&w->mem, t, NULL, &face));
    *out = ARENA_ROOM(&w->mem, int32_t, t->triangle_count);
    LIM_TRY_MEMORY(*out);
    *out_count = 0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        uint32_t vertex = t->indices[3 * (size_t)i];
        if (vertex >= first && face[vertex - first]) {
            (*out)[(*out_count)++] = i;
        }
    }
    return LIM_OK;
}

/* The blade, and the faces of earlier cuts within two cells of it. */
static lim_result list_hiders(agree_work* w, const grid_blade* blade, grid_blade* out) {
    const topology* t = w->t;
    int32_t *face, count, near = blade->triangle_count;
    LIM_TRY(list_faces(w, &face, &count));
    cut_slabs about = cut_slabs_about(&w->skin->blade, 2.0 * (double)t->cell);
    size_t most = 3 * ((size_t)near + (size_t)count);
    lim_point* point = ARENA_ROOM(&w->mem, lim_point, most);
    int32_t* triangle = ARENA_ROOM(&w->mem, int32_t, most);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i < 3 * near; ++i) {
        point[i] = blade->point[blade->triangle[i]];
    }
    for (int32_t i = 0; i < count; ++i) {
        lim_point corner[3];
        uint8_t beyond[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = t->skin_point[t->vertex_point[t->indices[3 * (size_t)face[i] + (size_t)k]]];
        }
        cut_slabs_beyond(&about, corner, 3, beyond);
        if ((beyond[0] & beyond[1] & beyond[2]) != 0) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            point[3 * near + k] = grid_round(grid_place(&w->change->after, corner[k]));
        }
        near++;
    }
    for (int32_t i = 0; i < 3 * near; ++i) {
        triangle[i] = i;
    }
    *out = (grid_blade){near, point, triangle};
    return LIM_OK;
}

static lim_result prepare(seeker* s) {
    agree_work* w = s->w;
    grid_blade blade, all;
    list_offsets(s);
    s->known = ARENA_ARRAY(&w->mem, seeker_cell, 8 * 8 * 8);
    LIM_TRY_MEMORY(s->known);
    s->known[0].x = -1; /* no cell of that place; zeros are none of the others' */
    LIM_TRY(grid_blade_make(&w->mem, &w->change->after, &w->skin->blade, &blade));
    LIM_TRY(see_screen_make(&w->mem, &blade, &s->blade));
    s->all = s->blade;
    if (w->t->source_count > 0) {
        LIM_TRY(list_hiders(w, &blade, &all));
        LIM_TRY(see_screen_make(&w->mem, &all, &s->all));
    }
    return see_make(&w->mem, &s->all, &s->sight);
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
    /* 1 + what it is now, 0: it is gone; of pieces one, as all of them are touched */
    int32_t* whole = ARENA_ARRAY(&w->mem, int32_t, b->count);
    LIM_TRY_MEMORY(whole);
    for (int32_t i = 0; i < m->count; ++i) {
        whole[w->change->source[i]] = i + 1;
    }
    for (int32_t i = 0; i < w->points; ++i) {
        int32_t old = old_home(w, i), now = old >= 0 ? whole[old] - 1 : -1;
        w->home[i] = now;
        w->renew[i] = now < 0 || w->change->touched[now];
        if (!w->renew[i] && may_hide(w, i, old)) {
            w->renew[i] = is_hidden(s, grid_round(grid_place(m, agree_place(w, i))), now);
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
        bool blind = s.blind != NULL && i < w->skin_points && s.blind[i];
        if (w->renew[i] && !blind) {
            bool fresh = i >= w->old_skin && i < w->skin_points && w->t->point_home != NULL;
            int32_t old = old_home(w, i), near = fresh ? from[i - w->old_skin] : -1;
            near = old >= 0 ? old : near >= 0 ? w->t->point_home[near] : -1;
            LIM_TRY(stand_below(&s, i));
            int32_t part = s.allowed != NULL ? w->part[i] : -1;
            int32_t found = near >= 0 ? seek(&s, part, near, true) : -1;
            w->home[i] = found >= 0 ? found : seek(&s, part, near, false);
        }
    }
    return LIM_OK;
}
