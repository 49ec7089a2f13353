/* SPDX-License-Identifier: MIT
 * Job: the surface of a body after a cut. In: a topology, a blade at rest. Out: the skin cut over
 * its welded points (src/cut) and taken back to vertices (edit/cut_vertices.h); the coarser surface
 * that bodies feel cut by the same blade, as it was moved for the skin; parts, normals and sides.
 */
#include "edit/surface_cut.h"
#include "base/disjoint_set.h"

#include "edit/cut_scan.h"
#include "edit/cut_vertices.h"
#include "edit/skin_sides.h"

#include <string.h>

/* The skin's triangles over welded points. */
static lim_result skin_of(arena* a, const topology* t, cut_surface* out) {
    int32_t* triangle = ARENA_ROOM(a, int32_t, 3 * (size_t)t->triangle_count);
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        triangle[i] = t->vertex_point[t->indices[i]];
    }
    *out =
        (cut_surface){t->point_count - 1, t->triangle_count, t->skin_point, triangle, t->submesh};
    return LIM_OK;
}

/* What bodies feel: points of the skin, then those that only feel (the centre of mass, which lies
 * between them in the bindings, has no triangle). */
static lim_result felt_of(arena* a, const topology* t, cut_surface* out) {
    int32_t skin = t->point_count - 1, own = t->bind.count - t->point_count;
    lim_point* point = ARENA_ROOM(a, lim_point, (size_t)skin + (size_t)own);
    int32_t* triangle = ARENA_ROOM(a, int32_t, 3 * (size_t)t->surface.triangle_count);
    if (point == NULL || triangle == NULL) {
        return LIM_ERROR_MEMORY;
    }
    memcpy(point, t->skin_point, (size_t)skin * sizeof(lim_point));
    for (int32_t i = 0; i < own; ++i) {
        point[skin + i] =
            p3_add(p3_of(bindings_rest(&t->bind, t->point_count + i)), t->rest_origin);
    }
    for (int32_t i = 0; i < 3 * t->surface.triangle_count; ++i) {
        int32_t p = t->surface.source[t->surface.corner[i]];
        triangle[i] = p < skin ? p : p - 1;
    }
    *out = (cut_surface){skin + own, t->surface.triangle_count, point, triangle, NULL};
    return LIM_OK;
}

/* Points of a surface by the component of the body that they belong to, and the one that is cut. */
typedef struct cut_scope {
    const int32_t* component; /* of bindings */
    int32_t skin;             /* points of the skin: the centre of mass is behind them */
    int32_t only;             /* -1: all */
} cut_scope;

static bool in_scope(const cut_scope* c, int32_t point) {
    return c->only < 0 || c->component[point < c->skin ? point : point + 1] == c->only;
}

/* The triangles of the scope alone, and which ones of all they are. */
static lim_result narrow(arena* a, const cut_surface* s, const cut_scope* scope, cut_surface* out,
                         int32_t** out_name) {
    int32_t* triangle = ARENA_ROOM(a, int32_t, 3 * (size_t)s->triangle_count);
    int32_t* submesh = ARENA_ROOM(a, int32_t, s->triangle_count);
    int32_t* name = ARENA_ROOM(a, int32_t, s->triangle_count);
    LIM_TRY_MEMORY(triangle);
    LIM_TRY_MEMORY(submesh);
    LIM_TRY_MEMORY(name);
    int32_t count = 0;
    for (int32_t i = 0; i < s->triangle_count; ++i) {
        if (in_scope(scope, s->triangle[3 * (size_t)i])) {
            memcpy(triangle + 3 * (size_t)count, s->triangle + 3 * (size_t)i, 3 * sizeof(int32_t));
            submesh[count] = s->submesh != NULL ? s->submesh[i] : 0;
            name[count++] = i;
        }
    }
    *out = (cut_surface){s->point_count, count, s->point, triangle, submesh};
    *out_name = name;
    return LIM_OK;
}

/* of: whose skin it is, which must look outwards; or null. */
static lim_result cut_near_blade(arena* a, const topology* of, const cut_surface* s,
                                 const cut_scope* scope, const cut_blade* blade,
                                 const cut_options* how, cut_result* out) {
    cut_options options = *how;
    int32_t *candidate = NULL, *name = NULL;
    cut_surface within = *s;
    if (scope->only >= 0) {
        LIM_TRY(narrow(a, s, scope, &within, &name));
    }
    LIM_TRY(cut_scan(a, &within, blade, &candidate, &options.candidate_count));
    options.candidate = candidate;
    bool outwards = true;
    if (of != NULL) {
        LIM_TRY(
            skin_looks_out(a, of, &within, name, candidate, options.candidate_count, &outwards));
    }
    if (!outwards) {
        return LIM_ERROR_MESH;
    }
    LIM_TRY(cut_surface_along(a, &within, blade, &options, out));
    for (int32_t i = 0; name != NULL && i < out->removed_count; ++i) {
        out->removed[i] = name[out->removed[i]];
    }
    for (int32_t i = 0; name != NULL && i < out->triangle_count; ++i) {
        int32_t* origin = &out->triangle_origin[i];
        *origin = *origin >= 0 ? name[*origin] : *origin;
    }
    return LIM_OK;
}

/* All triangles over points after a cut: those that were not cut in their order, then the new ones.
 */
static lim_result join_triangles(arena* a, const cut_surface* s, const cut_result* cut,
                                 int32_t** out, int32_t* out_count) {
    int32_t kept = s->triangle_count - cut->removed_count, to = 0, from = 0;
    int32_t* all = ARENA_ROOM(a, int32_t, 3 * ((size_t)kept + (size_t)cut->triangle_count));
    LIM_TRY_MEMORY(all);
    for (int32_t r = 0; r <= cut->removed_count; ++r) {
        int32_t end = r < cut->removed_count ? cut->removed[r] : s->triangle_count;
        memcpy(all + 3 * (size_t)to, s->triangle + 3 * (size_t)from,
               3 * (size_t)(end - from) * sizeof(int32_t));
        to += end - from;
        from = end + 1;
    }
    if (cut->triangle_count > 0) {
        memcpy(all + 3 * (size_t)kept, cut->triangle,
               3 * (size_t)cut->triangle_count * sizeof(int32_t));
    }
    *out = all;
    *out_count = kept + cut->triangle_count;
    return LIM_OK;
}

static int32_t count_faces(const cut_result* cut) {
    int32_t count = 0;
    for (int32_t i = 0; i < cut->triangle_count; ++i) {
        count += cut->triangle_origin[i] < 0;
    }
    return count;
}

/* ---- parts and normals --------------------------------------------------------------------------
 */

/* Connected parts through points, the lowest point of each being its root. */
static lim_result find_parts(arena* a, const int32_t* triangle, int32_t triangles, int32_t points,
                             surface_cut* out) {
    int32_t* root = ARENA_ROOM(a, int32_t, points);
    out->point_part = ARENA_ROOM(a, int32_t, points);
    if (root == NULL || out->point_part == NULL) {
        return LIM_ERROR_MEMORY;
    }
    disjoint_init(root, points);
    for (int32_t i = 0; i < points; ++i) {
        out->point_part[i] = -1;
    }
    for (int32_t i = 0; i < triangles; ++i) {
        const int32_t* p = triangle + 3 * (size_t)i;
        out->point_part[p[0]] = out->point_part[p[1]] = out->point_part[p[2]] = 0;
        if (root[p[0]] == root[p[1]] && root[p[1]] == root[p[2]]) {
            continue; /* mostly */
        }
        disjoint_join(root, p[0], p[1]);
        disjoint_join(root, p[0], p[2]);
    }
    for (int32_t i = 0; i < points; ++i) {
        if (out->point_part[i] == 0) {
            int32_t lowest = disjoint_root(root, i);
            out->point_part[i] = lowest == i ? out->part_count++ : out->point_part[lowest];
        }
    }
    return LIM_OK;
}

/* Normals of the points about the blade after a cut, by area; unit, or 0. At the front inside two
 * faces look at each other, and what rounding leaves of their sum says nothing. */
static lim_result find_normals(arena* a, const cut_slabs* about, const cut_surface* s,
                               const cut_result* cut, const int32_t* triangle, int32_t triangles,
                               lim_vec3* normal) {
    int32_t points = s->point_count + cut->point_count;
    uint8_t* beyond = ARENA_ARRAY(a, uint8_t, points); /* 0 for new ones */
    LIM_TRY_MEMORY(beyond);
    cut_slabs_beyond(about, s->point, s->point_count, beyond);
    for (int32_t i = 0; i < triangles; ++i) {
        const int32_t* p = triangle + 3 * (size_t)i;
        if (beyond[p[0]] != 0 && beyond[p[1]] != 0 && beyond[p[2]] != 0) {
            continue;
        }
        lim_point c[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = p[k] < s->point_count ? s->point[p[k]] : cut->point[p[k] - s->point_count];
        }
        lim_vec3 n = v3_of(p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0])));
        for (int k = 0; k < 3; ++k) {
            normal[p[k]] = v3_add(normal[p[k]], n);
        }
    }
    for (int32_t i = 0; i < points; ++i) {
        const cut_point* o = i < s->point_count ? NULL : &cut->origin[i - s->point_count];
        bool front = o != NULL && o->side == 0 && o->blade >= 0;
        normal[i] = beyond[i] == 0 && !front ? v3_unit(normal[i], v3(0, 0, 0)) : v3(0, 0, 0);
    }
    return LIM_OK;
}

static void put_sides(const cut_result* cut, int8_t* side) {
    for (int32_t i = 0; i < cut->point_count; ++i) {
        side[i] = (int8_t)cut->origin[i].side;
    }
}

/* ---- the surface that bodies feel ---------------------------------------------------------------
 */

typedef struct felt_cut {
    cut_surface surface;
    cut_result cut;
    int32_t *triangle, count; /* all after it, over the points of `surface`, then those of `cut` */
} felt_cut;

/* Cuts it; where that cannot be done (drawing points together may let it cross itself), what bodies
 * feel is the skin. */
static lim_result cut_felt(arena* a, const topology* t, const cut_scope* scope,
                           const cut_blade* blade, uint64_t stroke, const int32_t* skin,
                           int32_t skin_count, surface_cut* out, felt_cut* felt) {
    LIM_TRY(felt_of(a, t, &felt->surface));
    lim_result result = cut_near_blade(a, NULL, &felt->surface, scope, blade,
                                       &(cut_options){.stroke = stroke}, &felt->cut);
    if (result == LIM_ERROR_MEMORY) {
        return result;
    }
    out->felt_from_skin = result != LIM_OK;
    if (out->felt_from_skin) {
        out->change.felt = skin;
        out->change.felt_count = skin_count;
        return LIM_OK;
    }
    LIM_TRY(join_triangles(a, &felt->surface, &felt->cut, &felt->triangle, &felt->count));
    out->change.felt = felt->triangle;
    out->change.felt_count = felt->count;
    out->felt_faces = count_faces(&felt->cut);
    return LIM_OK;
}

/* Points of the felt surface alone. */
static lim_result take_felt_points(arena* a, const topology* t, const felt_cut* felt,
                                   surface_cut* out) {
    int32_t old = t->bind.count - t->point_count, fresh = felt->cut.point_count;
    lim_point* point = ARENA_ARRAY(a, lim_point, (size_t)old + (size_t)fresh);
    LIM_TRY_MEMORY(point);
    memcpy(point, felt->surface.point + (t->point_count - 1), (size_t)old * sizeof(lim_point));
    if (fresh > 0) {
        memcpy(point + old, felt->cut.point, (size_t)fresh * sizeof(lim_point));
    }
    out->change.felt_point = point;
    out->change.felt_points = old + fresh;
    return LIM_OK;
}

/* Normals and sides of all points: of the skin by the skin, of the others by what is felt. */
static lim_result describe_points(arena* a, const topology* t, const cut_surface* skin,
                                  const cut_result* cut, const int32_t* triangle, int32_t triangles,
                                  const felt_cut* felt, surface_cut* out) {
    size_t points = (size_t)skin->point_count + (size_t)cut->point_count;
    size_t own = (size_t)out->change.felt_points, old = (size_t)(t->bind.count - t->point_count);
    out->normal = ARENA_ARRAY(a, lim_vec3, points + own);
    out->side = ARENA_ARRAY(a, int8_t, points + own);
    lim_vec3* normal =
        ARENA_ARRAY(a, lim_vec3, (size_t)felt->surface.point_count + (size_t)felt->cut.point_count);
    if (out->normal == NULL || out->side == NULL || normal == NULL) {
        return LIM_ERROR_MEMORY;
    }
    cut_slabs about = cut_slabs_about(&out->blade, 2.0 * (double)t->cell);
    LIM_TRY(find_normals(a, &about, skin, cut, triangle, triangles, out->normal));
    put_sides(cut, out->side + skin->point_count);
    if (!out->felt_from_skin) {
        LIM_TRY(find_normals(a, &about, &felt->surface, &felt->cut, felt->triangle, felt->count,
                             normal));
        memcpy(out->normal + points, normal + skin->point_count, own * sizeof(lim_vec3));
        put_sides(&felt->cut, out->side + points + old);
    }
    return LIM_OK;
}

/* From the points of the felt surface to those of the change: new ones of the skin come between. */
static void number_felt(const cut_surface* skin, const cut_result* cut, felt_cut* felt) {
    for (int32_t i = 0; i < 3 * felt->count; ++i) {
        felt->triangle[i] += felt->triangle[i] >= skin->point_count ? cut->point_count : 0;
    }
}

/* All that follows once the skin is cut. */
static lim_result finish(arena* a, const topology* t, const cut_scope* scope,
                         const cut_surface* skin, const cut_result* cut, uint64_t stroke,
                         surface_cut* out) {
    surface_change* change = &out->change;
    int32_t *triangle, triangles;
    felt_cut felt = {0};
    change->new_points = cut->point_count;
    change->point = cut->point;
    LIM_TRY(cut_vertices_make(a, t, skin, &out->blade, cut, change));
    LIM_TRY(join_triangles(a, skin, cut, &triangle, &triangles));
    LIM_TRY(find_parts(a, triangle, triangles, skin->point_count + cut->point_count, out));
    LIM_TRY(cut_felt(a, t, scope, &out->blade, stroke, triangle, triangles, out, &felt));
    LIM_TRY(take_felt_points(a, t, &felt, out));
    LIM_TRY(describe_points(a, t, skin, cut, triangle, triangles, &felt, out));
    number_felt(skin, cut, &felt);
    return LIM_OK;
}

static lim_result check_blade(const cut_blade* blade) {
    if (blade->point_count < 3 || blade->triangle_count < 1 || blade->point == NULL ||
        blade->triangle == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    for (int64_t i = 0; i < 3 * (int64_t)blade->triangle_count; ++i) {
        if (blade->triangle[i] < 0 || blade->triangle[i] >= blade->point_count) {
            return LIM_ERROR_ARGUMENT;
        }
    }
    return LIM_OK;
}

lim_result surface_cut_make(arena* a, const topology* t, const cut_blade* blade, int32_t piece,
                            uint64_t stroke, int32_t inner_submesh, surface_cut* out) {
    cut_scope scope = {t->bind.component, t->point_count - 1, t->component_count > 1 ? piece : -1};
    cut_surface skin;
    cut_result cut;
    *out = (surface_cut){.blade = *blade};
    if (inner_submesh < 0 || inner_submesh > t->submesh_count) {
        return LIM_ERROR_ARGUMENT;
    }
    if (t->skin_point == NULL) {
        return LIM_ERROR_UNSUPPORTED;
    }
    LIM_TRY(check_blade(blade));
    LIM_TRY(skin_of(a, t, &skin));
    cut_options options = {.stroke = stroke, .inner_submesh = inner_submesh};
    LIM_TRY(cut_near_blade(a, t, &skin, &scope, blade, &options, &cut));
    out->blade.point = cut.blade_point;
    out->blade.sound = true;
    if (cut.triangle_count == 0) {
        return LIM_OK;
    }
    int32_t submeshes = inner_submesh + 1;
    out->change.submesh_count = submeshes > t->submesh_count ? submeshes : t->submesh_count;
    out->cut_triangles = cut.removed_count;
    out->inner_triangles = count_faces(&cut);
    return finish(a, t, &scope, &skin, &cut, stroke, out);
}
