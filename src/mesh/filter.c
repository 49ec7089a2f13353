/* SPDX-License-Identifier: MIT
 * Job: drop triangles that are not triangles. In: the caller's arrays. Out: the list of kept
 * triangles and the counts of dropped ones. A triangle goes when a corner is not finite or beyond
 * the limit, when two corners have the same place, or when its height over its longest edge is no
 * more than the rounding of its own coordinates: a needle or cap that still has an area stays.
 */
#include "base/mem.h"
#include "mesh/clean.h"

/* Corners beyond 1e25 are taken for garbage, unless the whole mesh is out there. Beyond 1e100 a
 * volume would not fit into a double. */
#define FAR_LIMIT     1e25
#define FARTHER_LIMIT 1e100
/* Heights below this share of the longest edge, or this many roundings of the largest coordinate,
 * are zero. */
#define HEIGHT_SHARE     1e-14
#define HEIGHT_ROUNDINGS (4.0 * 0x1p-52)

static lim_point position_of(const lim_mesh_desc* desc, uint32_t vertex) {
    const double* p = desc->positions + 3 * (size_t)vertex;
    return p3(p[0], p[1], p[2]);
}

static double largest_of(lim_point a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    x = x > y ? x : y;
    return x > z ? x : z;
}

static bool is_near(lim_point a, double limit) {
    return p3_finite(a) && largest_of(a) <= limit;
}

static bool has_area(const lim_point p[3]) {
    lim_point e[3] = {p3_sub(p[1], p[0]), p3_sub(p[2], p[1]), p3_sub(p[0], p[2])};
    double longest = 0.0, place = 0.0;
    for (int k = 0; k < 3; ++k) {
        double edge = largest_of(e[k]), at = largest_of(p[k]);
        if (!(edge > 0.0)) {
            return false;
        }
        longest = edge > longest ? edge : longest;
        place = at > place ? at : place;
    }
    /* Edges are scaled to about 1 first: squares of 1e100 or 1e-200 would not fit. Dividing twice
     * by a square root keeps the reciprocal of a denormal finite. */
    lim_point a = p3(e[0].x / longest, e[0].y / longest, e[0].z / longest);
    lim_point b = p3(e[1].x / longest, e[1].y / longest, e[1].z / longest);
    double height = p3_length(p3_cross(a, b));
    return height > HEIGHT_SHARE + HEIGHT_ROUNDINGS * (place / longest);
}

static void filter(cleaning* c, double limit) {
    const lim_mesh_desc* desc = c->desc;
    lim_mesh_report* report = &c->mesh->report;
    report->dropped_non_finite = 0;
    report->dropped_degenerate = 0;
    c->triangle_count = 0;
    for (int32_t i = 0; i < desc->triangle_count; ++i) {
        const uint32_t* vertex = desc->indices + 3 * (size_t)i;
        lim_point p[3];
        bool near = true;
        for (int k = 0; k < 3; ++k) {
            p[k] = position_of(desc, vertex[k]);
            near = near && is_near(p[k], limit);
        }
        if (!near) {
            report->dropped_non_finite++;
        } else if (!has_area(p)) {
            report->dropped_degenerate++;
        } else {
            c->triangle[c->triangle_count] = i;
            for (int k = 0; k < 3; ++k) {
                c->corner[3 * (size_t)c->triangle_count + (size_t)k] = (int32_t)vertex[k];
            }
            c->triangle_count++;
        }
    }
}

lim_result clean_filter(cleaning* c) {
    const lim_mesh_desc* desc = c->desc;
    c->triangle = ARENA_ARRAY(&c->scratch, int32_t, desc->triangle_count);
    c->corner = ARENA_ARRAY(&c->scratch, int32_t, 3 * (size_t)desc->triangle_count);
    LIM_TRY_MEMORY(c->triangle);
    LIM_TRY_MEMORY(c->corner);
    double limit = FAR_LIMIT;
    filter(c, limit);
    if (c->triangle_count == 0 && c->mesh->report.dropped_non_finite > 0) {
        limit = FARTHER_LIMIT;
        filter(c, limit);
    }
    /* The positions of the mesh: what cannot be used reads as the centre, set once it is known. */
    c->mesh->position = ARENA_ARRAY(&c->mesh->mem, lim_point, desc->vertex_count);
    LIM_TRY_MEMORY(c->mesh->position);
    for (int32_t i = 0; i < desc->vertex_count; ++i) {
        lim_point p = position_of(desc, (uint32_t)i);
        c->mesh->position[i] = is_near(p, limit) ? p : p3(NAN, NAN, NAN);
    }
    return c->triangle_count > 0 ? LIM_OK : LIM_ERROR_MESH;
}
