/* SPDX-License-Identifier: MIT
 * Job: how far places are from a deformed surface. In: where its points are, who asks. Out: the
 * nearest triangle, side and distance. The search goes to the nearest point, then over the
 * triangles at it and on from triangle to triangle while that leads nearer. surface_see is the slow
 * way to that point, which felt_kernel.c must agree with.
 */
#include "contact/felt_kernel.h"

enum { WALK_MOST = 16 }; /* triangles from the nearest point on */
enum { TRIED_MOST = 8 }; /* points that are remembered on the way */
/* A patch whose points look less far apart than this, as a chord, is about flat. */
#define FLAT 0.6f
/* How far beyond the rim of a face, in longest sides, the face still counts, for who is not deep
 * below it. */
#define RIM 0.1f
/* Squares of distances that differ by less than this share are equal. */
#define TIE 1e-5f
/* No place of a triangle is farther than 0.58 of its longest side from a corner. */
#define CORNER_MOST 0.6f

static lim_vec3 point_at(const surface_shape* s, int32_t point) {
    return v3(s->at[0][point], s->at[1][point], s->at[2][point]);
}

/* How long the side of a triangle may be by now. */
static float side_of(const surface_shape* s) {
    return s->stretch * s->net->longest;
}

/* ---- the nearest triangle -----------------------------------------------------------------------
 */

/* The nearest place of a triangle, in float: differences of near points lose nothing. */
typedef struct triangle_place {
    float square;
    float weight[3];
    lim_vec3 point, cross; /* cross: normal times twice the area */
} triangle_place;

typedef struct triangle_search {
    const surface_shape* shape;
    const surface_query* query;
    const felt_kernels* by;
    triangle_place place;
    int32_t triangle;
    int32_t tried_count, tried[TRIED_MOST]; /* points all of whose triangles were looked at */
} triangle_search;

static triangle_place place_at(const felt_triangles* t, int k) {
    float w1 = t->weight[0][k], w2 = t->weight[1][k];
    return (triangle_place){t->square[k],
                            {1.0f - w1 - w2, w1, w2},
                            v3(t->point[0][k], t->point[1][k], t->point[2][k]),
                            v3(t->cross[0][k], t->cross[1][k], t->cross[2][k])};
}

/* In their order; up to eight. */
static void try_triangles(triangle_search* best, const int32_t* triangle, int32_t count) {
    felt_triangles t;
    unsigned bits = best->by->triangles(best->shape, best->query, triangle, count, &t);
    float most = best->triangle < 0 ? HUGE_VALF : (1.0f - TIE) * best->place.square;
    int found = -1;
    for (int k = 0; bits >> k != 0; ++k) {
        if ((bits >> k & 1u) != 0 && t.square[k] < most) {
            most = (1.0f - TIE) * t.square[k];
            found = k;
        }
    }
    if (found >= 0) {
        best->place = place_at(&t, found);
        best->triangle = triangle[found];
    }
}

/* All triangles at a point. Those that did not lead nearer before cannot do so now. */
static void try_fan(triangle_search* best, int32_t point) {
    const surface_net* net = best->shape->net;
    for (int32_t k = 0; k < best->tried_count; ++k) {
        if (best->tried[k] == point) {
            return;
        }
    }
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; e += 8) {
        int32_t left = net->fan_offset[point + 1] - e;
        try_triangles(best, net->fan + e, left < 8 ? left : 8);
    }
    if (best->tried_count < TRIED_MOST) {
        best->tried[best->tried_count++] = point;
    }
}

/* Whether a place lies within its triangle: right above it nothing beside it is nearer, but in a
 * crease, and there the other side has points of its own. */
static bool is_inner(const triangle_place* p) {
    return p->weight[0] > 0.001f && p->weight[1] > 0.001f && p->weight[2] > 0.001f;
}

/* From the triangles at a point on to their neighbours, while that leads nearer. */
static void walk_triangles(triangle_search* best, int32_t point) {
    const surface_net* net = best->shape->net;
    try_fan(best, point);
    for (int step = 0; step < WALK_MOST && best->triangle >= 0 && !is_inner(&best->place); ++step) {
        int32_t from = best->triangle, beside[3], count = 0;
        for (int k = 0; k < 3; ++k) {
            beside[count] = net->neighbour[3 * (size_t)from + (size_t)k];
            count += beside[count] >= 0;
        }
        if (count > 0) {
            try_triangles(best, beside, count);
        }
        /* On a rim the next one may be around a corner. */
        for (int k = 0; k < 3 && best->triangle == from; ++k) {
            if (best->place.weight[k] < 0.001f) {
                try_fan(best, net->corner[3 * (size_t)from + (size_t)((k + 1) % 3)]);
                try_fan(best, net->corner[3 * (size_t)from + (size_t)((k + 2) % 3)]);
            }
        }
        if (best->triangle == from) {
            break;
        }
    }
}

/* The sum of the unit normals of those triangles that are as near as the nearest. out_rim: set
 * where one of them does not count. */
static lim_vec3 sum_outward(const triangle_search* found, const int32_t* around, int32_t count,
                            bool* out_rim) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int32_t e = 0; e < count; e += 8) {
        felt_triangles t;
        int32_t some = count - e < 8 ? count - e : 8;
        unsigned bits = found->by->triangles(found->shape, found->query, around + e, some, &t);
        *out_rim = *out_rim || bits != (1u << some) - 1u;
        for (int k = 0; bits >> k != 0; ++k) {
            if ((bits >> k & 1u) != 0 && t.square[k] <= (1.0f + TIE) * found->place.square) {
                sum = v3_add(sum, v3_unit(place_at(&t, k).cross, v3(0, 0, 0)));
            }
        }
    }
    return sum;
}

/* The way out at the nearest place. On a side two triangles may say it, at a corner all those that
 * are as near: one of them alone may look away from a place that is outside. out_rim: one of them
 * is missing or does not count, so that what counts of the surface ends here. */
static lim_vec3 outward_of(const triangle_search* found, bool* out_rim) {
    const surface_net* net = found->shape->net;
    const int32_t* corner = net->corner + 3 * (size_t)found->triangle;
    const int32_t* neighbour = net->neighbour + 3 * (size_t)found->triangle;
    const int32_t* around = &found->triangle;
    int32_t count = 1, side[3] = {found->triangle};
    for (int k = 0; k < 3; ++k) {
        if (found->place.weight[k] > 0.999f) {
            *out_rim = false;
            around = net->fan + net->fan_offset[corner[k]];
            count = net->fan_offset[corner[k] + 1] - net->fan_offset[corner[k]];
            break;
        }
        int32_t beside = neighbour[(k + 1) % 3];
        if (found->place.weight[k] < 0.001f) {
            *out_rim = beside < 0;
            side[1] = beside;
            around = side;
            count = beside < 0 ? 1 : 2;
        }
    }
    return v3_unit(sum_outward(found, around, count, out_rim), v3(0, 1, 0));
}

/* ---- both ---------------------------------------------------------------------------------------
 */

static bool is_any(const surface_query* query) {
    return v3_dot(query->look, query->look) == 0.0f;
}

float surface_far(const surface_shape* s, const surface_query* query) {
    return fmaxf(query->reach, query->deep) + CORNER_MOST * side_of(s);
}

surface_sight surface_sight_at(const surface_shape* s, const surface_query* query, int32_t point,
                               float square) {
    surface_sight sight = {.point = -1};
    if (point < 0) {
        return sight;
    }
    int32_t patch = s->net->point_patch[point];
    const surface_looks* looks = &s->tree.looks[patch / 8];
    float side = side_of(s);
    bool flat = looks->cone[patch % 8] < FLAT;
    sight.normal =
        flat ? v3(looks->x[patch % 8], looks->y[patch % 8], looks->z[patch % 8]) : s->normal[point];
    sight.gap = v3_dot(v3_sub(query->at, point_at(s, point)), sight.normal);
    /* Surely too far outside: a flat patch does not rise by more than this over its plane within
     * the triangles at the point; of any other, no place of them is nearer than this. */
    float most = query->reach + CORNER_MOST * side;
    bool beyond = flat ? sight.gap > query->reach + SURFACE_RISE * side
                       : sight.gap > 0.0f && square > most * most;
    /* Far beside the nearest point that looks against who asks, and below its plane: beyond the rim
     * of what looks so, as the nearest place would find. */
    float wide = side - sight.gap;
    bool beside = sight.gap < 0.0f && square - sight.gap * sight.gap > wide * wide;
    bool deeper = sight.gap < -(query->deep + SURFACE_RISE * side);
    sight.point = beyond || deeper || (beside && !is_any(query)) ? -1 : point;
    return sight;
}

surface_sight surface_see(const surface_shape* s, const surface_query* query) {
    float far = surface_far(s, query), best = far * far;
    float against = surface_looks_against(query->sharp);
    int32_t found = -1;
    for (int32_t k = 0; k < query->patch_count; ++k) {
        int32_t patch = query->patch[k], lane = patch % 8;
        const surface_looks* l = &s->tree.looks[patch / 8];
        lim_vec3 look = v3(l->x[lane], l->y[lane], l->z[lane]);
        if (v3_dot(look, query->at) > l->top[lane] + query->reach) {
            continue; /* too far above it */
        }
        for (int32_t i = s->net->patch_point[patch]; i < s->net->patch_point[patch + 1]; ++i) {
            lim_vec3 r = v3_sub(point_at(s, i), query->at);
            float square = v3_dot(r, r);
            if (square < best && (is_any(query) || v3_dot(s->normal[i], query->look) < against)) {
                best = square;
                found = i;
            }
        }
    }
    return surface_sight_at(s, query, found, best);
}

surface_hit surface_nearest(const surface_shape* s, const surface_query* query, int32_t point,
                            const felt_kernels* by) {
    surface_hit hit = {.triangle = -1};
    triangle_search found = {.shape = s, .query = query, .by = by, .triangle = -1};
    walk_triangles(&found, point);
    if (found.triangle < 0) {
        return hit;
    }
    lim_vec3 away = v3_sub(query->at, found.place.point);
    bool ends = false;
    lim_vec3 outward = is_inner(&found.place) ? v3_unit(found.place.cross, v3(0, 1, 0))
                                              : outward_of(&found, &ends);
    float distance = sqrtf(found.place.square), above = v3_dot(away, outward), side = side_of(s);
    float beside = sqrtf(fmaxf(found.place.square - above * above, 0.0f));
    bool rim = beside < 1e-2f * side || (beside < RIM * side && above > -RIM * side);
    if (!rim && ends && above < 0.0f && !is_any(query)) {
        return hit; /* below the face's plane, but beyond its rim: outside */
    }
    hit.gap = rim ? above : (above < 0.0f ? -distance : distance);
    if (!(distance < (hit.gap > 0.0f ? query->reach : query->deep))) {
        return hit;
    }
    hit.normal = rim ? outward : v3_scale(away, 1.0f / hit.gap);
    hit.triangle = found.triangle;
    hit.point = found.place.point;
    for (int k = 0; k < 3; ++k) {
        hit.weight[k] = found.place.weight[k];
    }
    return hit;
}
