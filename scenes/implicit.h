/* SPDX-License-Identifier: MIT
 * Shapes as a smooth union of a few primitives: a field that is negative inside, about the distance
 * in metres near the surface, and smooth where primitives blend. Only + - * / sqrt, so that every
 * machine gives the same bits.
 */
#ifndef LIMBER_IMPLICIT_H
#define LIMBER_IMPLICIT_H

#include "math/quat.h"

typedef enum implicit_kind {
    IMPLICIT_ELLIPSOID, /* size: radii */
    IMPLICIT_CAPSULE,   /* from a to b, radius size.x at a, size.y at b */
    IMPLICIT_BOX,       /* size: half extents, round: radius of its edges */
    IMPLICIT_TORUS      /* around local y; size.x: radius of the ring, size.y: of its tube */
} implicit_kind;

typedef enum implicit_role {
    IMPLICIT_ADD,   /* joined to what is there, smoothly over `blend` */
    IMPLICIT_CARVE, /* taken away from what is there, likewise */
    IMPLICIT_PAINT, /* colours the surface inside it, fading over `blend`; no part of the solid */
    IMPLICIT_ROUGH  /* displaces the surface inside it by noise, fading over `blend`: `round` is the
                       height of the bumps, `b` how many there are per metre along each axis */
} implicit_role;

typedef struct implicit_part {
    implicit_kind kind;
    implicit_role role;
    lim_point a, b; /* centre, or the two ends of a capsule */
    lim_point size;
    double round;
    double blend;     /* metres over which the surface is rounded where the part meets the others */
    dquat turn;       /* from local to model axes */
    lim_point centre; /* the part lies within `reach` of this; set when it is added */
    double reach;
    float rgb[3]; /* linear colour */
} implicit_part;

enum { IMPLICIT_PART_LIMIT = 64 };
/* Values change by at most this much per metre: first order distances from flat ellipsoids change
 * faster than distances do. */
#define IMPLICIT_STEEPEST 2.0

typedef struct implicit_shape {
    implicit_part part[IMPLICIT_PART_LIMIT];
    int32_t count;
} implicit_shape;

/* A rotation about `axis_tan`, whose length is the tangent of half the angle: 0.4142 is 45 degrees,
 * 1 is 90. Needs no sine. */
static inline dquat implicit_turn(double x, double y, double z) {
    return dquat_unit((dquat){x, y, z, 1.0});
}

/* Each adds a part and returns it for further setting; beyond the limit the last part is returned
 * unchanged. */
implicit_part* implicit_add(implicit_shape* shape, implicit_kind kind, lim_point a, lim_point size,
                            double blend, const float rgb[3]);
implicit_part* implicit_capsule(implicit_shape* shape, lim_point a, lim_point b, double radius_a,
                                double radius_b, double blend, const float rgb[3]);

/* Of a shape the parts that count somewhere in a ball, in the order of the shape: within the ball
 * they give the values of the whole shape, to the last bit, at a fraction of the cost. */
typedef struct implicit_near {
    const implicit_shape* shape;
    lim_point middle;
    double radius;
    int32_t count;
    uint8_t part[IMPLICIT_PART_LIMIT];
} implicit_near;

void implicit_near_find(const implicit_shape* shape, lim_point middle, double radius,
                        implicit_near* out);
double implicit_near_value(const implicit_near* near, lim_point at);
/* Gradient by central differences of step h. */
lim_point implicit_near_gradient(const implicit_near* near, lim_point at, double h);

/* Linear colour of the surface at a point. */
void implicit_colour(const implicit_shape* shape, lim_point at, float out_rgb[3]);
/* A box that holds the solid. */
lim_box implicit_bounds(const implicit_shape* shape);

#endif
