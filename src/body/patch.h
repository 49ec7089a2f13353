/* SPDX-License-Identifier: MIT
 * A patch: the nodes on which a pull or a push at a point of the surface acts. A surface node may
 * be a sliver with a few percent of a cell's mass, so a force shared among the nodes that carry the
 * skin there would throw it out as a spike. Instead all nodes that hang together within a reach R
 * of the point, 2.5 cells or more, take part with the shape s_i = (1 - r_i^4 / R^4)^2, flat inside
 * and smooth at its rim, and an impulse J is shared in proportion to mass: dv_i = s_i J / sum_k m_k
 * s_k. Neighbours then move alike whatever they weigh, and the sum of m dv is J.
 */
#ifndef LIMBER_PATCH_H
#define LIMBER_PATCH_H

#include "body/body.h"

typedef struct patch {
    int32_t component;
    lim_point world; /* the point of the surface that was found */
    lim_point at;    /* the same in the component's frame */
    lim_point rest;  /* the same at rest, unit */
    double reach;    /* R, unit */
    int32_t count;   /* nodes with s > 0; at least 1 */
    double mass;     /* sum m s, unit, pinned nodes included */
    lim_point mean;  /* of m s, in the frame: sum m s x / mass */
    float* shape;    /* s per slot, 0 outside; the body's, until the next patch */
} patch;

/* How far a patch of a radius reaches, all in one unit: 2.5 cells or more, and further than the
 * nearest node. The shape s by the square of the distance from the
 * point. */
double patch_reach(double radius, double cell, double nearest);
double patch_shape(double away2, double reach);

/* The patch around the point of the surface nearest to `point`, with a reach of at least `radius`
 * metres. False when the body has no surface. skin: that of now. */
bool patch_find(body* b, const body_skin* skin, lim_point point, double radius, patch* out);

/* Adds an impulse at the surface point, in the frame's axes and the body's units (mass 1 = density
 * * scale^3). The patch turns as it would by the impulse's moment about its mean, so the angular
 * momentum is that of the impulse at the point too, unless the patch is so thin that it would spin
 * fast. Pinned nodes swallow their share. False, and nothing done, when a node could be changed by
 * more than `most` (unit lengths per second). */
bool patch_push(const patch* p, body* b, lim_point impulse, double most);

#endif
