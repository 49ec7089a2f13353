/* SPDX-License-Identifier: MIT
 * What moves the nodes of a body: a row of functions per solver, which a kind names (body/kind.h).
 * These are the only function pointers of a step; everything else of it (body/step.c) is the same
 * for all bodies. A solver keeps its state in the body's: displacements, velocities, and a rotation
 * per region.
 */
#ifndef LIMBER_SOLVER_H
#define LIMBER_SOLVER_H

#include "body/node_limits.h"

typedef struct body_solver {
    /* It remembers the substep before (BODY_HISTORY_STATE). */
    bool history;
    /* It solves within all limits: soft pins and grabs too (body_pulls_begin). */
    bool within;
    /* The solver's own memory, in the body's arena, written before anybody reads it. All or
     * nothing. */
    lim_result (*make)(body* b);
    /* Room for the contacts that were found last and for what is held; of the host, as it grows
     * between steps, and given back. */
    lim_result (*reserve)(body* b);
    void (*release)(body* b);
    /* Whether substeps of h seconds leave enough of the stiffness that the material asks for: a
     * body takes more of them else. */
    bool (*enough)(const body* b, double h);
    /* The share of Young's modulus that they leave, 0 to 1. */
    double (*share)(const body* b, double h);
    /* Constants for substeps of b->gains_h, after a change of it, of the material, the scale or the
     * topology; b->gains.h is that then. */
    void (*refresh)(body* b, isa set, workers* pool);
    /* The same after a change of b->region_stiffness in the regions that are touched. marks:
     * scratch, a byte per record of the net. */
    void (*stiffen)(body* b, const uint8_t* touched, uint8_t* marks, isa set, workers* pool);
    /* Velocities of a substep: the material's own forces, its damping, and gravity; and the limits
     * measured (body_limits_measure), before it solves or after it. Positions stay. In the last
     * substep, and where anything may touch the body, affine parts are written before they are
     * measured. Needs the components' sums of this step. */
    void (*push)(body* b, const body_substep* s);
    /* Positions at the end of the substep: by the velocities, as they are after all that has
     * changed them since. */
    void (*drift)(body* b, const body_substep* s);
    /* Affine parts of the nodes from the state, with the components' sums, which must be those of
     * the positions. Nothing where nodes have none. */
    void (*affine)(body* b, isa set, workers* pool);
    /* What is stored in the shape: unit mass * unit length^2 / s^2. Positions and rotations stay.
     */
    double (*energy)(body* b);
    /* Young's modulus that it gives at a node, pascal; */
    double (*young)(const body* b, int32_t slot);
    /* that of the body in bending, as it is stepped now; 0: not known. */
    float (*bending)(const body* b);
} body_solver;

extern const body_solver matching_solver; /* body/matching.c */
extern const body_solver hex_body_solver; /* body/hex_solver.c */

static inline const body_solver* solver_of(const body* b) {
    return b->topology->kind->solver;
}

#endif
