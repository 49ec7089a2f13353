/* SPDX-License-Identifier: MIT
 * Job: leave crumbs out. In: a skin after a cut, its parts. Out: the same without those parts that
 * are crumbs, parts numbered anew. Most cuts make none, and are told from how many parts have a new
 * point: what is not parted has no crumb.
 */
#include "edit/crumbs.h"
#include "base/disjoint_set.h"

#include "edit/fracture_plan.h"
#include "sample/linking.h"

typedef struct crumbling {
    arena* a;
    const topology* before;
    surface_cut* skin;
    int32_t old, points;  /* of the skin, welded: before; after */
    const uint8_t* crumb; /* per part */
} crumbling;

static int32_t point_of(const crumbling* c, uint32_t vertex) {
    uint32_t olds = (uint32_t)c->before->vertex_count;
    return vertex < olds ? c->before->vertex_point[vertex]
                         : c->skin->change.vertex_point[vertex - olds];
}

static bool is_parted(const crumbling* c) {
    int32_t first = -1;
    for (int32_t i = c->old; i < c->points; ++i) {
        int32_t part = c->skin->point_part[i];
        if (part >= 0 && first >= 0 && part != first) {
            return true;
        }
        first = part >= 0 ? part : first;
    }
    return false;
}

static lim_result find(const crumbling* c, int32_t inner_submesh, uint8_t** out_crumb,
                       int32_t* out_count) {
    const surface_change* s = &c->skin->change;
    lim_point* point = ARENA_ARRAY(c->a, lim_point, c->points);
    int32_t* triangle = ARENA_ARRAY(c->a, int32_t, 3 * (size_t)s->triangle_count);
    int32_t* part = ARENA_ARRAY(c->a, int32_t, s->triangle_count);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(triangle);
    LIM_TRY_MEMORY(part);
    for (int32_t i = 0; i < c->points; ++i) {
        point[i] = i < c->old ? c->before->skin_point[i] : s->point[i - c->old];
    }
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i) {
        triangle[i] = point_of(c, s->indices[i]);
    }
    for (int32_t i = 0; i < s->triangle_count; ++i) {
        part[i] = c->skin->point_part[triangle[3 * (size_t)i]];
    }
    cut_surface all = {c->points, s->triangle_count, point, triangle, s->submesh};
    return fracture_find_crumbs(c->a, &all, part, c->skin->part_count, inner_submesh,
                                c->before->matter.side, out_crumb, out_count);
}

static lim_result drop_from_skin(const crumbling* c) {
    surface_change* s = &c->skin->change;
    uint32_t* indices = ARENA_ARRAY(c->a, uint32_t, 3 * (size_t)s->triangle_count);
    int32_t* submesh = ARENA_ARRAY(c->a, int32_t, s->triangle_count);
    LIM_TRY_MEMORY(indices);
    LIM_TRY_MEMORY(submesh);
    int32_t kept = 0;
    for (int32_t i = 0; i < s->triangle_count; ++i) {
        const uint32_t* v = s->indices + 3 * (size_t)i;
        if (c->crumb[c->skin->point_part[point_of(c, v[0])]]) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            indices[3 * (size_t)kept + (size_t)k] = v[k];
        }
        submesh[kept++] = s->submesh[i];
    }
    s->triangle_count = kept;
    s->indices = indices;
    s->submesh = submesh;
    return LIM_OK;
}

/* What is felt of crumbs alone. */
static lim_result drop_from_felt(const crumbling* c) {
    surface_change* s = &c->skin->change;
    int32_t count = c->points + s->felt_points, kept = 0;
    int32_t* set = ARENA_ARRAY(c->a, int32_t, count);
    uint8_t* has = ARENA_ARRAY(c->a, uint8_t, count); /* 1: of a crumb, 2: of others */
    int32_t* felt = ARENA_ARRAY(c->a, int32_t, 3 * (size_t)s->felt_count);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(has);
    LIM_TRY_MEMORY(felt);
    disjoint_init(set, count);
    for (int32_t i = 0; i < 3 * s->felt_count; ++i) {
        disjoint_join(set, s->felt[i], s->felt[3 * (i / 3)]);
    }
    disjoint_name(set, count);
    for (int32_t i = 0; i < c->points; ++i) {
        int32_t part = c->skin->point_part[i];
        has[set[i]] |= part < 0 ? 0 : c->crumb[part] ? 1 : 2;
    }
    for (int32_t i = 0; i < s->felt_count; ++i) {
        const int32_t* p = s->felt + 3 * (size_t)i;
        if (has[set[p[0]]] != 1) {
            for (int k = 0; k < 3; ++k) {
                felt[3 * (size_t)kept + (size_t)k] = p[k];
            }
            kept++;
        }
    }
    s->felt = felt;
    s->felt_count = kept;
    return LIM_OK;
}

static lim_result number_parts(const crumbling* c) {
    int32_t* name = ARENA_ARRAY(c->a, int32_t, c->skin->part_count);
    LIM_TRY_MEMORY(name);
    int32_t count = 0;
    for (int32_t i = 0; i < c->skin->part_count; ++i) {
        name[i] = c->crumb[i] ? -1 : count++;
    }
    for (int32_t i = 0; i < c->points; ++i) {
        int32_t* part = &c->skin->point_part[i];
        *part = *part >= 0 ? name[*part] : -1;
    }
    c->skin->part_count = count;
    return LIM_OK;
}

static crumbling of_cut(arena* a, const topology* before, surface_cut* skin) {
    int32_t old = before->point_count - 1;
    return (crumbling){.a = a,
                       .before = before,
                       .skin = skin,
                       .old = old,
                       .points = old + skin->change.new_points};
}

lim_result crumbs_leave_out(arena* a, const topology* before, const uint8_t* crumb,
                            surface_cut* skin) {
    crumbling c = of_cut(a, before, skin);
    c.crumb = crumb;
    LIM_TRY(drop_from_skin(&c));
    LIM_TRY(drop_from_felt(&c));
    return number_parts(&c);
}

lim_result crumbs_drop(arena* a, const topology* before, int32_t inner_submesh, surface_cut* skin,
                       int32_t* out_count) {
    crumbling c = of_cut(a, before, skin);
    uint8_t* crumb;
    *out_count = 0;
    if (!is_parted(&c)) {
        return LIM_OK;
    }
    LIM_TRY(find(&c, inner_submesh, &crumb, out_count));
    return *out_count > 0 ? crumbs_leave_out(a, before, crumb, skin) : LIM_OK;
}
