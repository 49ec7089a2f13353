/* SPDX-License-Identifier: MIT
 * The baseline for contact: the repulsive forces of Steinemann, Otaduy and Gross 2008 (section 5),
 * explicit, over plain arrays. A point of one body inside another is taken back to the other's rest
 * shape by the node nearest to it; the field of depths there gives its depth and the way out, and a
 * spring pushes it that way:
 *     f = k depth n,    v += h f / m
 * on the node that the point follows, and the opposite on the node it was found by. Bodies are
 * boxes, of which the field is known: what flooding from the surface would approximate.
 */
#ifndef LIMBER_PENALTY_H
#define LIMBER_PENALTY_H

#include "math/quat.h"

typedef struct penalty_block {
    int32_t node_count, point_count;
    lim_vec3 half; /* of the box at rest, metres */
    dquat turn;    /* of the whole body from rest */
    /* per node */
    lim_vec3* rest; /* about the middle of the box */
    lim_point* at;
    lim_vec3* velocity;
    double* mass; /* kg */
    /* per point of the surface */
    lim_point* point;
    int32_t* point_node; /* that it follows */
    double* point_share; /* 1 / how many points follow that node: k is per node */
} penalty_block;

typedef struct penalty_depth {
    double deep;   /* metres, above 0 inside; outside minus the largest distance along an axis */
    lim_point out; /* unit, the way out in the world */
    int32_t node;  /* nearest to the point */
} penalty_depth;
penalty_depth penalty_depth_of(const penalty_block* b, lim_point point);

/* The forces of one step of h seconds on the points of `a` inside `b`, of k newton per metre and
 * node; how many points were inside. Momentum is kept. O(points of a, nodes of b). */
int32_t penalty_push(penalty_block* a, penalty_block* b, double k, double h);

#endif
