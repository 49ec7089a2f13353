/* SPDX-License-Identifier: MIT
 * The deformed surface of a body as others feel it: how far a place is from it, on which side, and
 * which triangle is nearest. Points are kept in an order in which neighbours are close (that of a
 * Morton curve at rest), eight to a box and eight boxes to a larger one, so that a step only has to
 * find the boxes of the deformed points anew: a few nanoseconds per point, for every kind of body,
 * and exact in the deformed state. A field of depths at rest (Teschner et al. 2003 with flooding)
 * would need the way back to rest through each kind's own interpolation, and is off by the bending
 * of the cells.
 */
#ifndef LIMBER_FELT_SURFACE_H
#define LIMBER_FELT_SURFACE_H

#include "skin/deform.h"

/* The constant part. Triangles should not be much larger than cells: the way to the nearest leads
 * through the nearest point. */
typedef struct surface_net {
    int32_t point_count; /* of the bindings; those of no triangle are in no box */
    int32_t group_count; /* 64 points each; the last may be repeated */
    int32_t* order;      /* 64 * group_count */
    int32_t triangle_count;
    int32_t* corner;     /* 3 per triangle: points */
    int32_t* neighbour;  /* 3 per triangle: across the side from corner k to the next; -1: none */
    int32_t* fan_offset; /* per point, + 1: the triangles at it */
    int32_t* fan;
    float longest;    /* side of a triangle, unit lengths */
    float open_share; /* of the sides: those without one triangle on each side, turned alike */
} surface_net;

/* Over the points of the bindings; `corner`: 3 of them per triangle. */
lim_result surface_net_build(arena* a, arena* scratch, const bindings* b, const int32_t* corner,
                             int32_t triangle_count, surface_net* out);

/* Eight boxes side by side. */
typedef struct surface_group {
    float low[3][8], high[3][8];
} surface_group;

/* A box around a whole group, as one of the eight of its parent. */
static inline void surface_group_around(const surface_group* from, surface_group* to, int place) {
    for (int k = 0; k < 3; ++k) {
        float low = from->low[k][0], high = from->high[k][0];
        for (int i = 1; i < 8; ++i) {
            low = from->low[k][i] < low ? from->low[k][i] : low;
            high = from->high[k][i] > high ? from->high[k][i] : high;
        }
        to->low[k][place] = low;
        to->high[k][place] = high;
    }
}

enum { SURFACE_LEVELS = 10 };

/* The deformed part, of one step: positions are world axes, metres, relative to `origin`. */
typedef struct surface_shape {
    const surface_net* net;
    lim_point origin;
    float* at[3];   /* per point */
    float* look[3]; /* per point: its normal, where it is within [low, high]; else not known */
    lim_vec3 low, high;
    float stretch;                 /* metres per unit length: how long sides may be by now */
    int32_t levels;                /* 1 or more */
    int32_t first[SURFACE_LEVELS]; /* groups of each level, finest first */
    surface_group* group;
} surface_shape;

/* How many groups all levels have together, and where each level begins (may be null). */
int32_t surface_groups(const surface_net* net, int32_t first[SURFACE_LEVELS], int32_t* out_levels);
/* The boxes of the points in shape->at, and the normals of those within [low, high], where others
 * will ask: elsewhere they are worked out when somebody does. */
void surface_shape_update(surface_shape* shape);

typedef struct surface_hit {
    int32_t triangle; /* -1: nothing within reach */
    float weight[3];  /* of its corners */
    float gap;        /* metres, negative behind the surface */
    lim_vec3 point;   /* the nearest, relative to the origin */
    lim_vec3 normal;  /* unit, from the surface outwards */
} surface_hit;

/* Who asks: where it is (relative to the origin), the way it looks itself (its own surface's
 * normal, or zero: any), and which points of the surface do not count for it (null: all do). */
typedef struct surface_query {
    lim_vec3 at, look;
    float reach;
    bool (*skips)(const void* context, int32_t point);
    const void* context;
} surface_query;

/* The nearest place of the surface within reach. Surfaces meet face to face: only triangles count
 * that look against `look`, so that who rests on a box near its rim is not pushed over the edge,
 * and who has come through a sheet goes back the way it came. */
surface_hit surface_nearest(const surface_shape* shape, const surface_query* query);
/* False for places that are surely out of reach: cheap. */
bool surface_may_reach(const surface_shape* shape, lim_vec3 at, float reach);
/* The normal of the surface at a point: unit, or zero. */
lim_vec3 surface_normal(const surface_shape* shape, int32_t point);

#endif
