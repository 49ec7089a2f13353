/* SPDX-License-Identifier: MIT
 * Job: which triangles a blade can meet. In: a surface, a blade. Out: the triangles that no slab
 * parts from it, ascending. Slabs are across the axes and across the way that the blade looks: a
 * flat blade through a whole body is then near few triangles. First points against slabs of the
 * whole blade, a bit for each side; triangles whose points are all beyond one side are out. What is
 * left, against slabs of runs of the blade, which follow it where it bends.
 */
#include "edit/cut_scan.h"

enum { RUNS = 24, WAYS = CUT_WAYS };
/* Nearer than the blade may be moved aside. */
static const double MARGIN = 1e-5;

static void along_axes(lim_point p, double out[3]) {
    out[0] = p.x;
    out[1] = p.y;
    out[2] = p.z;
}

static void along(lim_point p, lim_point way, double out[WAYS]) {
    along_axes(p, out);
    out[3] = p3_dot(p, way);
}

/* Around a run of blade triangles. */
static cut_slabs slabs_around(const cut_blade* b, int32_t begin, int32_t end, double margin) {
    cut_slabs s = {.way = p3(0, 0, 0)};
    for (int32_t t = begin; t < end; ++t) {
        const int32_t* p = b->triangle + 3 * (size_t)t;
        s.way = p3_add(s.way, p3_cross(p3_sub(b->point[p[1]], b->point[p[0]]),
                                       p3_sub(b->point[p[2]], b->point[p[0]])));
    }
    double length = p3_length(s.way);
    s.way = length > 0.0 ? p3_scale(s.way, 1.0 / length) : p3(1, 0, 0);
    for (int k = 0; k < WAYS; ++k) {
        s.low[k] = HUGE_VAL;
        s.high[k] = -HUGE_VAL;
    }
    for (int32_t i = 3 * begin; i < 3 * end; ++i) {
        double x[WAYS];
        along(b->point[b->triangle[i]], s.way, x);
        for (int k = 0; k < WAYS; ++k) {
            s.low[k] = x[k] - margin < s.low[k] ? x[k] - margin : s.low[k];
            s.high[k] = x[k] + margin > s.high[k] ? x[k] + margin : s.high[k];
        }
    }
    return s;
}

cut_slabs cut_slabs_about(const cut_blade* blade, double margin) {
    return slabs_around(blade, 0, blade->triangle_count, margin);
}

void cut_slabs_beyond(const cut_slabs* s, const lim_point* point, int32_t count, uint8_t* out) {
    for (int32_t i = 0; i < count; ++i) {
        double x[WAYS];
        unsigned bits = 0;
        along(point[i], s->way, x);
        for (int k = 0; k < WAYS; ++k) {
            bits |= (unsigned)(x[k] < s->low[k]) << 2 * k | (unsigned)(x[k] > s->high[k])
                                                                << (2 * k + 1);
        }
        out[i] = (uint8_t)bits;
    }
}

/* First by boxes, which are the same for all runs. */
static bool near_run(const cut_slabs* run, int32_t runs, const lim_point* point,
                     const int32_t* corner) {
    lim_point p[3] = {point[corner[0]], point[corner[1]], point[corner[2]]};
    double low[3], high[3];
    along_axes(p3_min(p3_min(p[0], p[1]), p[2]), low);
    along_axes(p3_max(p3_max(p[0], p[1]), p[2]), high);
    for (int32_t r = 0; r < runs; ++r) {
        const cut_slabs* s = &run[r];
        if (high[0] < s->low[0] || low[0] > s->high[0] || high[1] < s->low[1] ||
            low[1] > s->high[1] || high[2] < s->low[2] || low[2] > s->high[2]) {
            continue;
        }
        double x = p3_dot(p[0], s->way), y = p3_dot(p[1], s->way), z = p3_dot(p[2], s->way);
        if (!((x < s->low[3] && y < s->low[3] && z < s->low[3]) ||
              (x > s->high[3] && y > s->high[3] && z > s->high[3]))) {
            return true;
        }
    }
    return false;
}

lim_result cut_scan(arena* a, const cut_surface* surface, const cut_blade* blade,
                    int32_t** out_candidate, int32_t* out_count) {
    uint8_t* bits = ARENA_ARRAY(a, uint8_t, surface->point_count);
    int32_t* candidate = ARENA_ARRAY(a, int32_t, surface->triangle_count);
    if (bits == NULL || candidate == NULL) {
        return LIM_ERROR_MEMORY;
    }
    cut_slabs all = cut_slabs_about(blade, MARGIN), run[RUNS];
    int32_t runs = blade->triangle_count < RUNS ? blade->triangle_count : RUNS, count = 0;
    for (int32_t r = 0; r < runs; ++r) {
        int64_t begin = (int64_t)blade->triangle_count * r / runs;
        int64_t end = (int64_t)blade->triangle_count * (r + 1) / runs;
        run[r] = slabs_around(blade, (int32_t)begin, (int32_t)end, MARGIN);
    }
    cut_slabs_beyond(&all, surface->point, surface->point_count, bits);
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        const int32_t* p = surface->triangle + 3 * (size_t)t;
        if ((bits[p[0]] & bits[p[1]] & bits[p[2]]) == 0 && near_run(run, runs, surface->point, p)) {
            candidate[count++] = t;
        }
    }
    *out_candidate = candidate;
    *out_count = count;
    return LIM_OK;
}
