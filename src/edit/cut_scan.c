/* SPDX-License-Identifier: MIT
 * Job: which triangles a blade can meet. In: a surface, a blade. Out: the triangles that no slab
 * parts from it, ascending. Slabs are across the axes and across the way that the blade looks: a
 * flat blade through a whole body is then near few triangles. First points against slabs of the
 * whole blade, a bit for each side; triangles whose points are all beyond one side are out. What is
 * left, against slabs of runs of the blade, which follow it where it bends.
 */
#include "edit/cut_scan.h"

enum { RUNS = 24, WAYS = 4 };
/* Nearer than the blade may be moved aside. */
static const double MARGIN = 1e-5;

typedef struct slabs {
    lim_point way; /* unit, the fourth; the others are the axes */
    double low[WAYS], high[WAYS];
} slabs;

static void along(lim_point p, lim_point way, double out[WAYS]) {
    out[0] = p.x;
    out[1] = p.y;
    out[2] = p.z;
    out[3] = p3_dot(p, way);
}

/* Around a run of blade triangles. */
static slabs slabs_around(const cut_blade* b, int32_t begin, int32_t end) {
    slabs s = {.way = p3(0, 0, 0)};
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
            s.low[k] = fmin(s.low[k], x[k] - MARGIN);
            s.high[k] = fmax(s.high[k], x[k] + MARGIN);
        }
    }
    return s;
}

/* A bit for each side of the slabs that the point is beyond. */
static uint8_t beyond(const slabs* s, lim_point p) {
    double x[WAYS];
    unsigned bits = 0;
    along(p, s->way, x);
    for (int k = 0; k < WAYS; ++k) {
        bits |= (unsigned)(x[k] < s->low[k]) << 2 * k | (unsigned)(x[k] > s->high[k])
                                                            << (2 * k + 1);
    }
    return (uint8_t)bits;
}

static bool near_run(const slabs* run, int32_t runs, const lim_point* point,
                     const int32_t* corner) {
    for (int32_t r = 0; r < runs; ++r) {
        unsigned all = beyond(&run[r], point[corner[0]]);
        all = all != 0 ? all & beyond(&run[r], point[corner[1]]) : 0;
        all = all != 0 ? all & beyond(&run[r], point[corner[2]]) : 0;
        if (all == 0) {
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
    slabs all = slabs_around(blade, 0, blade->triangle_count), run[RUNS];
    int32_t runs = blade->triangle_count < RUNS ? blade->triangle_count : RUNS, count = 0;
    for (int32_t r = 0; r < runs; ++r) {
        int64_t begin = (int64_t)blade->triangle_count * r / runs;
        int64_t end = (int64_t)blade->triangle_count * (r + 1) / runs;
        run[r] = slabs_around(blade, (int32_t)begin, (int32_t)end);
    }
    for (int32_t i = 0; i < surface->point_count; ++i) {
        bits[i] = beyond(&all, surface->point[i]);
    }
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
