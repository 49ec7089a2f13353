/* SPDX-License-Identifier: MIT
 * The cells of a lattice as elastic cubes (hex/hex_step.h), as the solver of a body. The solve is
 * in SI units and the axes of each component's frame. It knows the nodes without pads, in the order
 * of slots: so components are runs of them. Elements are the fragments of the material, one region
 * each.
 */
#ifndef LIMBER_HEX_SOLVER_H
#define LIMBER_HEX_SOLVER_H

#include "body/solver.h"
#include "hex/hex_step.h"
#include "hex/momentum.h"

/* Nodes that hang on no cell of their component's body (body/hex_crumbs.c): they go where the node
 * does that they are glued to, turned with a cell of it. In an order in which that has moved. */
typedef struct hex_crumb {
    int32_t slot, to, cell;
} hex_crumb;

/* The momentum of a component, unit lengths and masses: what a substep begins with, and what it
 * must end with where nothing outside acts but gravity. */
typedef struct hex_free {
    lim_point centre, velocity, turning; /* angular momentum about the centre */
    lim_point fall;                      /* by gravity in the substep */
    bool free;
} hex_free;

typedef struct hex_body {
    hex_levels levels;
    hex_stepper stepper;
    hex_state state;
    hex_forces forces;
    int32_t nodes;
    int32_t *slot, *node; /* of each node; of each slot, -1 for pads */
    float *mass, *rest[3], *force[3], *spring, *damper;
    float *way[3], *speed[3]; /* of a substep, m; velocities as the solve has left them */
    float *young, *poisson;   /* per cell, as asked */
    int32_t *first, *used;    /* limits of each node: where they begin, and how many */
    ARRAY(hex_limit) limits;
    ARRAY(hex_limit_work) works;
    ARRAY(int32_t) contact; /* of each limit; -1: a hard pin or grab */
    hex_free* part;         /* per component */
    int32_t crumb_count;
    hex_crumb* crumb;
    double edge; /* that levels have, m */
} hex_body;

/* Poisson's ratio of a material: its own, or what its share of volume stands for. */
static inline double body_poisson(const lim_material* m) {
    return m->nu > 0.0f ? (double)m->nu : 0.494 * (double)m->volume;
}

/* Hard pins, hard grabs and contacts as limits of the solve, in the order of nodes; and what they
 * have done in it (body/hex_limits.c). */
void hex_limits_take(body* b, double h);
void hex_limits_tell(body* b, double h);

/* A component's own oscillations fade, rolling is braked, and what rounding has left of its
 * momentum is taken out; and found, at the substep's end (body/hex_damping.c). */
void hex_damp(body* b, component* c, hex_free* part);
void hex_find_left(const body* b, component* c, const hex_free* part);
/* Unit lengths and masses, in the frame. */
hex_momentum hex_component_momentum(const body* b, const component* c);
static inline lim_point hex_point(const double v[3]) {
    return p3(v[0], v[1], v[2]);
}

/* Finds them when a body is made; moves them at the end of a substep. */
lim_result hex_crumbs_find(body* b);
void hex_crumbs_move(body* b);

#endif
