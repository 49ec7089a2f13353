/* SPDX-License-Identifier: MIT
 * Job: what follows from a topology and is not saved. In: bindings and triangles. Out: the points
 * that feel contacts, and the surface that other bodies feel.
 */
#include "base/sort.h"
#include "body/coarse_felt.h"
#include "body/point_parts.h"
#include "body/touch.h"

#include <string.h>

static float find_reach(const topology* t) {
    float most = 0.0f;
    for (int32_t i = 0; i < t->bind.count; ++i) {
        const binding* b = &t->bind.bind[i];
        lim_vec3 at = bindings_rest(&t->bind, i);
        for (int k = 0; k < BINDING_NODES && (k == 0 || b->weight[k] > 0.0f); ++k) {
            lim_vec3 x0 = v3(t->x0[0][b->node[k]], t->x0[1][b->node[k]], t->x0[2][b->node[k]]);
            lim_vec3 r = v3_sub(at, x0);
            float square = v3_dot(r, r);
            most = square > most ? square : most;
        }
    }
    return sqrtf(most);
}

/* |X - sum_k w_k x0_k|: how far from the hull of its nodes a point may be that has no affine part.
 */
static float find_off(const topology* t, const bindings* b) {
    float most = 0.0f;
    for (int32_t i = 0; i < b->count; ++i) {
        lim_vec3 r = bindings_rest(b, i);
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t n = b->bind[i].node[k];
            r = v3_mad(r, v3(t->x0[0][n], t->x0[1][n], t->x0[2][n]), -b->bind[i].weight[k]);
        }
        float square = v3_dot(r, r);
        most = square > most ? square : most;
    }
    return sqrtf(most);
}

/* Triangles over bindings, and the normals of these. */
typedef struct felt {
    const int32_t* corner;
    int32_t count;
    lim_vec3* normal;
} felt;

static lim_result take_normals(const topology* t, arena* scratch, felt* f) {
    f->normal = surface_normals(scratch, &t->bind, f->corner, f->count);
    LIM_TRY_MEMORY(f->normal);
    return LIM_OK;
}

/* What feels colliders: the finer triangles of the skin, or those of the skin itself. */
static lim_result take_finest(const topology* t, arena* scratch, felt* out) {
    if (t->felt_count > 0 && !t->felt_coarse) {
        *out = (felt){.corner = t->felt, .count = t->felt_count};
        return take_normals(t, scratch, out);
    }
    int32_t* corner = ARENA_ROOM(scratch, int32_t, 3 * (int64_t)t->triangle_count);
    LIM_TRY_MEMORY(corner);
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        corner[i] = t->vertex_point[t->indices[i]];
    }
    *out = (felt){.corner = corner, .count = t->triangle_count};
    return take_normals(t, scratch, out);
}

/* What other bodies feel. */
static lim_result take_coarse(const topology* t, arena* scratch, felt* out) {
    *out = t->felt_coarse ? (felt){.corner = t->felt, .count = t->felt_count}
                          : (felt){.corner = t->coarse, .count = t->coarse_count};
    return take_normals(t, scratch, out);
}

lim_result topology_coarsen(topology* t, arena* scratch) {
    felt finest;
    LIM_TRY(take_finest(t, scratch, &finest));
    const int32_t* corner = finest.corner;
    int32_t count = finest.count;
    coarse_source from = {&t->bind, corner, count, finest.normal, t->side, t->slot_count, t->cell};
    LIM_TRY(coarse_felt_make(scratch, &from, &corner, &count));
    if (count == finest.count) {
        return LIM_OK;
    }
    t->coarse = ARENA_ARRAY(&t->mem, int32_t, 3 * (int64_t)count);
    LIM_TRY_MEMORY(t->coarse);
    memcpy(t->coarse, corner, 3 * (size_t)count * sizeof(int32_t));
    t->coarse_count = count;
    return LIM_OK;
}

/* Points that no triangle of the skin has take the normals of the other surface. */
static void add_normals(const topology* t, const felt* other, felt* f) {
    for (int32_t i = t->point_count; i < t->bind.count; ++i) {
        f->normal[i] = other->normal[i];
    }
}

/* ---- pieces -------------------------------------------------------------------------------------
 */

/* The component of a triangle over points; -1: of several. */
static int32_t component_of(const topology* t, const int32_t* corner) {
    const int32_t* of = t->bind.component;
    bool one = of[corner[0]] == of[corner[1]] && of[corner[0]] == of[corner[2]];
    return one ? of[corner[0]] : -1;
}

/* Per component, + 1: where its triangles begin in a list of the corners of all, in their order,
 * but for those of several components. */
static lim_result sort_triangles(const topology* t, arena* scratch, const surface_source* all,
                                 int32_t** out_begin, int32_t** out_corner) {
    int32_t* begin = *out_begin = ARENA_ARRAY(scratch, int32_t, t->component_count + 2);
    int32_t* to = *out_corner = ARENA_ROOM(scratch, int32_t, 3 * (int64_t)all->triangle_count);
    LIM_TRY_MEMORY(begin);
    LIM_TRY_MEMORY(to);
    for (int32_t i = 0; i < all->triangle_count; ++i) {
        begin[component_of(t, all->corner + 3 * (size_t)i) + 2]++;
    }
    begin[1] = 0;
    for (int32_t c = 0; c < t->component_count; ++c) {
        begin[c + 2] += begin[c + 1];
    }
    for (int32_t i = 0; i < all->triangle_count; ++i) {
        const int32_t* corner = all->corner + 3 * (size_t)i;
        int32_t c = component_of(t, corner);
        if (c >= 0) {
            memcpy(to + 3 * (size_t)begin[c + 1]++, corner, 3 * sizeof *corner);
        }
    }
    return LIM_OK;
}

/* Marks the components whose origin others have too. */
static lim_result find_siblings(const topology* t, arena* scratch, uint8_t** out, bool* out_any) {
    int32_t count = t->component_count;
    uint8_t* has = *out = ARENA_ARRAY(scratch, uint8_t, count);
    sort_item* items = ARENA_ROOM(scratch, sort_item, count);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, count);
    LIM_TRY_MEMORY(has);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t c = 0; c < count; ++c) {
        items[c] = (sort_item){.key = (uint64_t)t->component_origin[c], .value = c};
    }
    sort_items(items, spare, count);
    *out_any = false;
    for (int32_t i = 1; i < count; ++i) {
        if (items[i].key == items[i - 1].key) {
            has[items[i].value] = has[items[i - 1].value] = 1;
            *out_any = true;
        }
    }
    return LIM_OK;
}

/* The surfaces of the components that meet each other. */
static lim_result derive_pieces(topology* t, arena* scratch, const surface_source* all) {
    uint8_t* meets;
    bool any;
    int32_t *begin, *corner;
    if (t->component_count == 1) {
        return LIM_OK;
    }
    LIM_TRY(find_siblings(t, scratch, &meets, &any));
    if (!any) {
        return LIM_OK;
    }
    t->piece = ARENA_ARRAY(&t->mem, surface_net, t->component_count);
    LIM_TRY_MEMORY(t->piece);
    LIM_TRY(sort_triangles(t, scratch, all, &begin, &corner));
    for (int32_t c = 0; c < t->component_count; ++c) {
        surface_source from = *all;
        from.before = NULL;
        from.corner = corner + 3 * (size_t)begin[c];
        from.triangle_count = begin[c + 1] - begin[c];
        if (!meets[c] || from.triangle_count == 0) {
            continue;
        }
        arena own; /* each takes room for the points of all */
        arena_init(&own, &scratch->host);
        lim_result result = surface_net_build(&t->mem, &own, &from, &t->piece[c]);
        arena_release(&own);
        LIM_TRY(result);
    }
    return LIM_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

lim_result topology_derive(topology* t, arena* scratch, const topology* before) {
    uint8_t* feels[TOUCH_SURFACES];
    felt finest, shown = {0};
    bool coarser = t->felt_coarse || t->coarse_count > 0;
    LIM_TRY(take_finest(t, scratch, &finest));
    if (coarser) {
        LIM_TRY(take_coarse(t, scratch, &shown));
    }
    if (t->felt_coarse) {
        add_normals(t, &shown, &finest);
    }
    t->surface_reach = find_reach(t);
    t->skin_off = find_off(t, &t->bind);
    const lim_vec3* normal[TOUCH_SURFACES] = {finest.normal, shown.normal};
    LIM_TRY(touch_choose(t, scratch, normal, feels));
    LIM_TRY(touch_build(t, feels[0]));
    shown = coarser ? shown : finest;
    surface_source from = {.points = &t->bind,
                           .x0 = t->x0,
                           .slot_count = t->slot_count,
                           .corner = shown.corner,
                           .triangle_count = shown.count,
                           .normal = shown.normal,
                           .feels = feels[coarser ? 1 : 0]};
    if (before != NULL) { /* points that are only felt come behind those of the skin */
        from.before = &before->surface;
        from.own_before = before->point_count;
        from.own_more = t->point_count - before->point_count;
    }
    LIM_TRY(surface_net_build(&t->mem, scratch, &from, &t->surface));
    LIM_TRY(derive_pieces(t, scratch, &from));
    t->surface_off = find_off(t, &t->surface.points);
    return t->kind->quadratic ? point_parts_derive(t, scratch) : LIM_OK;
}
