/* SPDX-License-Identifier: MIT
 * Job: cuts a surface along a blade. In: a closed surface, a blade. Out: what changes. Runs the
 * stages of cut_work.h on the blade as it is; where that meets a contradiction (the blade exactly
 * through an edge, points whose rounded places disagree), again with the blade moved aside: all of
 * it by one small vector, so that a blade that lies in a face stays parallel to it, and each point
 * by a quarter of that on its own.
 */
#include "cut/cut.h"
#include "base/disjoint_set.h"

#include "base/random.h"
#include "cut/cut_work.h"

#include <string.h>

enum { ATTEMPTS = 9 }; /* the last moves points by at most 2^-18 */

static lim_point random_vector(random_stream* r, double size) {
    double v[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = size * (2.0 * (double)random_unit(r) - 1.0);
    }
    return p3(v[0], v[1], v[2]);
}

/* The blade's points for an attempt. */
static lim_result place_blade(cut_work* w, const cut_blade* blade, int32_t attempt) {
    lim_point* point = ARENA_ARRAY(&w->mem, lim_point, blade->point_count);
    LIM_TRY_MEMORY(point);
    /* 2^-34, 2^-32 .. 2^-20: with the quarter and the three axes below 2^-18 */
    double size = attempt == 0 ? 0.0 : 0x1p-36 * (double)(1 << 2 * attempt);
    random_stream r = random_seed(hash_u64(w->options->stroke, (uint64_t)attempt));
    lim_point all = random_vector(&r, size);
    for (int32_t i = 0; i < blade->point_count; ++i) {
        point[i] = attempt == 0
                       ? blade->point[i]
                       : p3_add(p3_add(blade->point[i], all), random_vector(&r, 0.25 * size));
    }
    w->blade = *blade;
    w->blade.point = point;
    w->blade.sound = blade->sound && attempt == 0;
    return LIM_OK;
}

static lim_result run_stages(cut_work* w, arena* a, const cut_blade* blade, int32_t attempt,
                             cut_result* out) {
    LIM_TRY(place_blade(w, blade, attempt));
    LIM_TRY(cut_blade_edges(w));
    LIM_TRY(cut_find(w));
    LIM_TRY(cut_arrange(w));
    LIM_TRY(cut_split_skin(w));
    LIM_TRY(cut_split_blade(w));
    LIM_TRY(cut_glue(w, a, out));
    out->blade_point = ARENA_ARRAY(a, lim_point, blade->point_count);
    LIM_TRY_MEMORY(out->blade_point);
    memcpy(out->blade_point, w->blade.point, (size_t)blade->point_count * sizeof(lim_point));
    return LIM_OK;
}

static void work_release(cut_work* w) {
    const lim_host* host = &w->mem.host;
    ARRAY_FREE(host, &w->hit);
    ARRAY_FREE(host, &w->vertex);
    ARRAY_FREE(host, &w->piece_corner);
    ARRAY_FREE(host, &w->piece_mate);
    ARRAY_FREE(host, &w->piece_origin);
    ARRAY_FREE(host, &w->cell_corner);
    ARRAY_FREE(host, &w->cell_mate);
    ARRAY_FREE(host, &w->cell_wall);
    ARRAY_FREE(host, &w->cell_blade);
    ARRAY_FREE(host, &w->ref);
    ARRAY_FREE(host, &w->order);
    ARRAY_FREE(host, &w->order_2);
    plane_mesh_free(&w->plane);
    arena_release(&w->mem);
}

static lim_result check_blade(const cut_blade* blade) {
    if (blade->point_count < 3 || blade->triangle_count < 1 || blade->point == NULL ||
        blade->triangle == NULL || blade->triangle_count > INT32_MAX / 8 ||
        blade->point_count > INT32_MAX / 8) {
        return LIM_ERROR_ARGUMENT;
    }
    for (int32_t i = 0; i < blade->point_count; ++i) {
        if (!p3_finite(blade->point[i])) {
            return LIM_ERROR_ARGUMENT;
        }
    }
    for (int32_t t = 0; t < blade->triangle_count; ++t) {
        const int32_t* p = blade->triangle + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            if (p[k] < 0 || p[k] >= blade->point_count) {
                return LIM_ERROR_ARGUMENT;
            }
        }
        lim_point u = p3_sub(blade->point[p[1]], blade->point[p[0]]);
        lim_point v = p3_sub(blade->point[p[2]], blade->point[p[0]]);
        double longest = fmax(p3_dot(u, u), p3_dot(v, v));
        if (!(p3_length(p3_cross(u, v)) > 1e-12 * longest)) {
            return LIM_ERROR_ARGUMENT;
        }
    }
    return LIM_OK;
}

lim_result cut_surface_along(arena* a, const cut_surface* surface, const cut_blade* blade,
                             const cut_options* options, cut_result* out) {
    *out = (cut_result){0};
    if (surface->point_count < 0 || surface->triangle_count < 0 ||
        surface->triangle_count > INT32_MAX / 8) {
        return LIM_ERROR_ARGUMENT;
    }
    LIM_TRY(check_blade(blade));
    lim_result result = LIM_ERROR_UNSUPPORTED;
    for (int32_t attempt = 0; attempt < ATTEMPTS && result == LIM_ERROR_UNSUPPORTED; ++attempt) {
        cut_work w = {.surface = surface, .options = options};
        arena_init(&w.mem, &a->host);
        w.plane.host = &w.mem.host;
        result = run_stages(&w, a, blade, attempt, out);
        work_release(&w);
        out->tries = attempt;
    }
    if (result != LIM_OK) {
        *out = (cut_result){0};
    }
    return result;
}

lim_result cut_parts(arena* a, int32_t point_count, const int32_t* triangle, int32_t triangle_count,
                     int32_t* part, int32_t* out_count) {
    int32_t* root = ARENA_ROOM(a, int32_t, point_count);
    int32_t* number = ARENA_ARRAY(a, int32_t, point_count); /* + 1, of roots */
    LIM_TRY_MEMORY(root);
    LIM_TRY_MEMORY(number);
    disjoint_init(root, point_count);
    for (int32_t i = 0; i < 3 * triangle_count; ++i) {
        disjoint_join(root, triangle[i], triangle[3 * (i / 3)]);
    }
    int32_t count = 0;
    for (int32_t t = 0; t < triangle_count; ++t) {
        int32_t* own = &number[disjoint_root(root, triangle[3 * t])];
        *own = *own == 0 ? ++count : *own;
        part[t] = *own - 1;
    }
    *out_count = count;
    return LIM_OK;
}
