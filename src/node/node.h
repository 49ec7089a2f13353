/* SPDX-License-Identifier: MIT
 * Node state: what moves. A body's nodes live in the frame of their component: a point of the body
 * is world = origin + scale * R (x0 + d) with a double origin and rotation per component, the
 * body's scale, the rest position x0 (unit space, relative to the body's centre of mass) and the
 * displacement d. Frames are re-fitted when d grows by rotation or travel, so d stays as small as
 * the deformation: rest is an exact fixed point in any pose, and 10 km away is as exact as the
 * origin. A frame is only a choice of coordinates: it has no inertia. Velocities v are world
 * velocities in the frame's axes divided by scale.
 *
 * Arrays are over padded slots (a multiple of 8; each component starts at a multiple of 8).
 */
#ifndef LIMBER_NODE_H
#define LIMBER_NODE_H

#include "base/workers.h"
#include "math/quat.h"

typedef struct component {
    lim_point origin;
    dquat rotation;
    int32_t begin, end; /* slots, multiples of 8 */
    /* sums of the last node_component_sums, in the frame's coordinates */
    double mass;        /* unit volume; times density * scale^3 = kg */
    lim_point centre;   /* centre of mass, x0 + d */
    lim_point velocity; /* of the centre */
    lim_point spin;     /* angular velocity omega = I^-1 L */
    double inertia[6];  /* xx yy zz xy xz yz of tr(S) 1 - S, per unit mass sum */
    double kinetic;     /* 1/2 sum m v^2 */
    bool finite;
} component;

/* A view of one body's nodes; every solver takes this, never a body. */
typedef struct node_state {
    int32_t padded;
    const float* x0[3];
    const float* volume; /* mass per unit density; 0 for pads */
    float* d[3];
    float* v[3];
    float* inv_mass; /* 1 / volume; 0 for pads and pinned nodes */
    float* affine;   /* 16 floats per slot: B = L - 1 (9, row major), then d (3) - B x0, 4 spare;
                        B from the last matching pass, the rest by skin_prepare */
    component* components;
    int32_t component_count;
    const int32_t* slot_component;
} node_state;

/* Mass, centre, velocity, spin, inertia, energy of each component, summed in double over fixed
 * blocks of 1024 slots in slot order; finite is false when anything is not. */
void node_component_sums(const node_state* n, workers* pool);

/* Fits each component's frame anew when the best rotation has turned by more than 0.1 rad or the
 * centre has moved by more than a quarter of `extent` (unit space): changes d, v and the region
 * quaternions (q[4] arrays; the regions of component c are those whose region_component is c),
 * never the world positions beyond rounding. force = true re-fits every frame. */
void node_reframe(node_state* n, float extent, bool force, float* const q[4],
                  const int32_t* region_component, int32_t region_count);

/* World position and velocity of a point of component c given in frame coordinates. */
static inline lim_point node_to_world(const component* c, double scale, lim_point local) {
    return p3_mad(c->origin, dquat_rotate(c->rotation, local), scale);
}
static inline lim_point node_to_local(const component* c, double scale, lim_point world) {
    lim_point q = dquat_rotate(dquat_conjugate(c->rotation), p3_sub(world, c->origin));
    return p3_scale(q, 1.0 / scale);
}

#endif
