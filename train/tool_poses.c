/* SPDX-License-Identifier: MIT
 * Job: poses of a tool. In: the skin at rest, what the scene says. Out: places, depths, drags.
 * Candidates are drawn by area, and each pose takes the one that is farthest from those before it.
 */
#include "train/tool_poses.h"

#include "base/random.h"
#include "math/trig.h"

enum { CANDIDATES_EACH = 24, CANDIDATES_MOST = 20000, TRIES = 60 };

typedef struct candidate {
    lim_point point;
    lim_vec3 normal;
    double away; /* squared, from the nearest that was taken */
} candidate;

static lim_point corner(const lim_skin_view* s, int32_t triangle, int k) {
    const float* p = s->positions + 3 * (size_t)s->indices[3 * (size_t)triangle + (size_t)k];
    return p3_add(s->origin, p3((double)p[0], (double)p[1], (double)p[2]));
}

static lim_point area_of(const lim_skin_view* s, int32_t triangle) {
    lim_point a = corner(s, triangle, 0);
    return p3_cross(p3_sub(corner(s, triangle, 1), a), p3_sub(corner(s, triangle, 2), a));
}

static bool is_wanted(const scene_training* t, lim_point p, lim_vec3 normal) {
    lim_point low = t->lower, high = t->upper;
    bool inside = !t->has_region || (p.x >= low.x && p.y >= low.y && p.z >= low.z &&
                                     p.x <= high.x && p.y <= high.y && p.z <= high.z);
    return inside && (double)v3_dot(normal, t->toward) >= trig_cos((double)t->angle) - 1e-6;
}

/* The triangle at a share of the whole area; sums: up to and with each. */
static int32_t at_share(const double* sums, int32_t count, double share) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (sums[middle] > share * sums[count - 1]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static int32_t draw_candidates(const lim_skin_view* s, const scene_training* t, const double* sums,
                               random_stream* r, int32_t wish, candidate* out) {
    int32_t count = 0;
    for (int64_t i = 0; i < (int64_t)TRIES * wish && count < wish; ++i) {
        int32_t k = at_share(sums, s->triangle_count, (double)random_unit(r));
        double u = sqrt((double)random_unit(r)), v = (double)random_unit(r);
        lim_point a = p3_scale(corner(s, k, 0), 1.0 - u);
        a = p3_mad(p3_mad(a, corner(s, k, 1), u * (1.0 - v)), corner(s, k, 2), u * v);
        lim_vec3 normal = v3_unit(v3_of(p3_scale(area_of(s, k), 1e6)), v3(0, 1, 0));
        if (is_wanted(t, a, normal)) {
            out[count++] = (candidate){a, normal, INFINITY};
        }
    }
    return count;
}

static lim_vec3 any_across(lim_vec3 n) {
    lim_vec3 axis = fabsf(n.x) < 0.6f ? v3(1, 0, 0) : v3(0, 1, 0);
    return v3_unit(v3_cross(n, axis), v3(0, 0, 1));
}

static lim_vec3 way_across(lim_vec3 n, double angle) {
    lim_vec3 u = any_across(n), v = v3_cross(n, u);
    return v3_add(v3_scale(u, (float)trig_cos(angle)), v3_scale(v, (float)trig_sin(angle)));
}

static tool_pose pose_at(const scene_training* t, const candidate* c, random_stream* r,
                         bool drags) {
    double turn = 2.0 * TRIG_PI * (double)random_unit(r);
    double lean = (double)t->lean * sqrt((double)random_unit(r));
    lim_vec3 aside = way_across(c->normal, turn);
    tool_pose p = {.point = c->point, .depth = random_range(r, t->least_depth, t->depth)};
    p.axis =
        v3_add(v3_scale(c->normal, (float)trig_cos(lean)), v3_scale(aside, (float)trig_sin(lean)));
    double along = 2.0 * TRIG_PI * (double)random_unit(r);
    p.drag = drags ? v3_scale(way_across(c->normal, along), t->drag) : v3(0, 0, 0);
    return p;
}

lim_result tool_poses_make(arena* scratch, const lim_skin_view* skin, const scene_training* t,
                           uint64_t seed, int32_t count, tool_pose* out) {
    int32_t wish = CANDIDATES_EACH * count;
    wish = wish < CANDIDATES_MOST ? wish : CANDIDATES_MOST;
    wish = wish > count ? wish : count;
    double* sums = ARENA_ARRAY(scratch, double, skin->triangle_count);
    candidate* from = ARENA_ARRAY(scratch, candidate, wish);
    LIM_TRY_MEMORY(sums);
    LIM_TRY_MEMORY(from);
    double area = 0.0;
    for (int32_t i = 0; i < skin->triangle_count; ++i) {
        sums[i] = area += p3_length(area_of(skin, i));
    }
    random_stream r = random_seed(seed);
    int32_t there = area > 0.0 ? draw_candidates(skin, t, sums, &r, wish, from) : 0;
    if (there == 0 && count > 0) {
        return LIM_ERROR_ARGUMENT;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t best = 0;
        for (int32_t k = 1; k < there; ++k) {
            best = from[k].away > from[best].away ? k : best;
        }
        int64_t drags = t->drags, all = t->poses;
        out[i] = pose_at(t, &from[best], &r, (i + 1) * drags / all > i * drags / all);
        for (int32_t k = 0; k < there; ++k) {
            lim_point way = p3_sub(from[k].point, from[best].point);
            double away = p3_dot(way, way);
            from[k].away = away < from[k].away ? away : from[k].away;
        }
    }
    return LIM_OK;
}
