/* SPDX-License-Identifier: MIT
 * One implicit substep of a body of cells.
 *
 * BDF2: with h the substep and ch = 2/3 h,
 *     x1 = x0 + (x0 - x-1)/3 + ch v1,   v1 = v0 + (v0 - v-1)/3 + ch a.
 * Forces and rotations are taken at the predicted place y = x0 + (x0 - x-1)/3 + ch v0 and linear
 * about it: (M + ch^2 K) (v1 - v0) = M (v0 - v-1)/3 + ch (external + f(y)). Without a history, when
 * the length of the substep changes, and in a substep in which limits begin or cease to touch and
 * the one after it, implicit Euler: ch = h, without the thirds. (BDF2 at x0, and the midpoint rule,
 * blow up from bad states; BDF2 through an impact rebounds.)
 *
 * Viscosity adds K times a time to what a velocity meets: forces fall by tau K v, and ch (ch + tau)
 * stands for ch^2. A node may hang on a spring, whose force is taken at the substep's end.
 *
 * The solve ends at a tolerance, and the linearised forces of a turned body have a small torque:
 * the momentum and the angular momentum of connected parts without limits are put right at the end.
 */
#ifndef LIMBER_HEX_STEP_H
#define LIMBER_HEX_STEP_H

#include "hex/limits.h"

/* What moves; arrays per axis over nodes, q over cells (x y z w). All in one frame per connected
 * part, that does not move in the substep. */
typedef struct hex_state {
    float *d[3], *v[3];          /* displacement, m, and velocity */
    float *moved[3], *kicked[3]; /* changes of both in the last substep */
    float* q[4];                 /* rotation of each cell */
    float* strain[6];            /* plastic strain of each cell, xx yy zz xy xz yz; null: none */
    float last;                  /* length of the last substep, s; 0: no history */
} hex_state;

typedef struct hex_forces {
    const float* rest[3];      /* places of the nodes at rest, m */
    const float* mass;         /* kg, above 0 */
    const float* force[3];     /* external, N; of springs that at the begin, without velocity */
    const float* spring;       /* N/m, per node; null: no springs */
    const float* damper;       /* N s/m, likewise, with `spring` */
    float viscosity;           /* of the material over its modulus, s */
    const int32_t* part_first; /* connected parts: runs of nodes */
    int32_t parts;
    hex_limit* limit;
    hex_limit_work* work; /* scratch, one for each limit */
    int32_t limits;
} hex_forces;

typedef struct hex_budget {
    double tolerance;   /* of the residual, 1e-3 is good */
    int32_t iterations; /* of each solve, at most */
    int32_t rounds;     /* of the active set, at most */
} hex_budget;

typedef struct hex_step_report {
    int32_t rounds, iterations, touching;
    double residual;
    bool converged; /* of solves and rounds: nothing was cut off by the budget */
    bool euler;     /* this was an Euler substep */
    bool finite;    /* false: the state was not changed */
} hex_step_report;

typedef struct hex_stepper {
    hex_solver solver;
    float *y, *v, *history, *f, *given, *change, *rest; /* rows */
    float* weight; /* per node: its mass, and what its spring adds to it */
} hex_stepper;

/* Workers and instruction set: fields of `solver`. */
lim_result hex_stepper_make(arena* a, hex_levels* levels, hex_stepper* out);

/* Rotations and strains of the cells, into their lanes of the finest level. */
void hex_load_cells(hex_level* l, const hex_state* state);
void hex_store_strain(const hex_level* l, hex_state* state);

/* Allocates nothing. */
hex_step_report hex_step(hex_stepper* s, const hex_forces* forces, const hex_budget* budget,
                         float dt, hex_state* state);

#endif
