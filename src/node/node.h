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

#include "base/isa.h"
#include "base/workers.h"
#include "math/quat.h"

typedef struct component {
    lim_point origin;
    dquat rotation;
    int32_t begin, end; /* slots, multiples of 8 */
    double own_inertia; /* of the cells themselves, sum m (side^2 / 6 + NODE_OWN span^2): a line or
                           a point of nodes is a rod or a ball and has a moment about any axis */
    /* A small component far from the others would cancel in sums about the frame's origin: they are
     * about `anchor`, which is 0 or near it, and of the size of `span` (node_anchor). */
    float anchor[3];
    double span;
    lim_point rest_centre; /* centre of mass of x0 */
    /* impulse and angular impulse about the centre that rounding has added and the next substep
     * takes out again; state, in the frame's axes, unit masses and lengths */
    lim_point left_impulse, left_turning;
    /* how far pins hold the component, 0 to 1, and how they move, in the frame; of the present
     * substep */
    double held;
    double held_mass;      /* of the held nodes, each times how far its pin holds; unit volume */
    double held_square[6]; /* sum m x x^T of them: xx yy zz xy xz yz */
    lim_point held_centre, held_velocity, held_spin;
    /* what fading towards that motion puts on the component in the present matching pass: impulse,
     * and angular impulse about own_centre */
    lim_point held_impulse, held_turning;
    bool touched; /* a collider pressed on it in the last substep of this step */
    /* of the present matching pass: the centre less the displacement at the step's begin, and the
     * velocity and spin to add */
    lim_point own_centre, push, push_spin;
    /* what is rigid by now in velocities beside those of the step's begin: of the own centre, and
     * the spin */
    lim_point own_velocity, own_spin;
    /* sums of the last node_component_sums, in the frame's coordinates */
    double mass;        /* unit volume; times density * scale^3 = kg */
    lim_point centre;   /* centre of mass, x0 + d */
    lim_point velocity; /* of the centre */
    lim_point spin;     /* angular velocity omega = I^-1 L */
    double inertia[6];  /* about the centre: xx yy zz xy xz yz of tr(S) 1 - S */
    dmat3 shape;        /* sum m (x - centre) (x0 - rest centre)^T: its rotation is the body's */
    double kinetic;     /* 1/2 sum m v^2 */
    bool finite;
} component;

/* A run of slots of one chart (region/charts.h): the unit of work. Blocks do not depend on the
 * number of workers. */
typedef struct node_block {
    int32_t begin, end, component, chart;
} node_block;

enum { NODE_BLOCK = 512, NODE_SUMS = 26 };

/* A view of one body's nodes; every solver takes this, never a body. */
typedef struct node_state {
    int32_t padded;
    const float* x0[3];
    const float* mass; /* per unit density: volume times density factor; 0 for pads */
    float* d[3];
    float* v[3];
    float* inv_mass; /* 1 / mass; 0 for pads and nodes in hard pins */
    float* affine;   /* 16 floats per slot: B = L - 1 (9, row major), then d (3) - B x0, 4 spare;
                        B from the last matching pass (0 over a lattice), the rest by skin_prepare */
    component* components;
    int32_t component_count;
    const node_block* blocks;
    int32_t block_count;
    const int32_t* slot_component;
    float* more[3][3]; /* further vectors over slots that turn with the frame; or null */
} node_state;

/* Least own moment per mass, spans squared: well above what rounding makes of sums about the
 * anchor.
 */
#define NODE_OWN 2e-5
/* A determinant of inertia below this share of trace^3 counts as thin (a line, a point). */
#define NODE_THIN 1e-9
/* A shape that is thinner than this share of its length has no turn about it, and one of less than
 * this times its mass (unit space squared) none at all. */
#define NODE_LINE  1e-5
#define NODE_POINT 1e-11
/* What the rounding of float sums makes of a shape, at most: so much of its mass times its distance
 * from the anchor, squared. A shape below it is that of one node alone. */
#define NODE_ROUNDING 1e-6
/* A frame is fitted anew beyond 0.1 rad (sine of half the angle, squared) ... */
#define NODE_REFRAME_SINE2 (0.05 * 0.05)
/* ... or a travel of a quarter of its span. */
#define NODE_REFRAME_TRAVEL 0.25
/* Spans are powers of two from here to 1, the size of a whole body. */
#define NODE_LEAST_SPAN 0x1p-20

/* The span of a component, the least power of two that its nodes fit in, and its anchor: the middle
 * of them in whole steps of four spans, so that it is 0 unless they are far from the origin for
 * their size, and does not move with every cell. side: of the cells; null: they are points. */
void node_anchor(const float* const x0[3], const float* volume, const float* side, int32_t begin,
                 int32_t end, float out_anchor[3], double* out_span);

/* Mass, centre, velocity, spin, inertia, shape and energy of each component, block by block in slot
 * order. block_sums: NODE_SUMS doubles per block. finite is false when anything is not. */
void node_component_sums(const node_state* n, double* block_sums, isa set, workers* pool);

/* Fits frames anew where a component has turned or travelled far, from the last
 * node_component_sums: changes d, v and the region quaternions q[4], never a world position beyond
 * rounding. True when a frame changed: the sums are then those of the old frame. scale: metres per
 * unit. */
bool node_reframe(node_state* n, double scale, float* const q[4], const int32_t* region_component,
                  int32_t region_count);

/* World position and velocity of a point of component c given in frame coordinates. */
static inline lim_point node_to_world(const component* c, double scale, lim_point local) {
    return p3_mad(c->origin, dquat_rotate(c->rotation, local), scale);
}
static inline lim_point node_to_local(const component* c, double scale, lim_point world) {
    lim_point q = dquat_rotate(dquat_conjugate(c->rotation), p3_sub(world, c->origin));
    return p3_scale(q, 1.0 / scale);
}

#endif
