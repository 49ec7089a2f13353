/* SPDX-License-Identifier: MIT
 * What limits the nodes of a body in a substep, and how a solver (body/solver.h) keeps to it.
 *
 * Hard pins and hard grabs hold nodes: these have an inverse mass of 0, and a velocity that takes
 * them where they belong at the substep's end. A contact with a collider is a limit on one node: a
 * normal n, the collider's motion u there, and the least speed at which the node may move along n
 * against it, n . (v - u) >= least; friction acts across n, up to its coefficient times the impulse
 * along n. Both follow from positions, so they are known before a solver looks at velocities.
 *
 * Who applies a limit tells it the impulse that it has put on the node. body_limits_apply holds
 * velocities to limits node by node, and what it changes, times the mass, is what pins, grabs and
 * colliders feel: enough for a solver that does not look at limits, as matching. One that solves
 * within them has measured them before, and knows the impulses J, its multipliers. On a node that
 * is held it leaves the velocity v - J / m, which body_limits_apply takes out. Those of contacts it
 * tells them itself (impulse, friction_impulse, contact_feel), and leaves velocities within the
 * limits, so that nothing is left to hold. All in frame axes, unit lengths and masses
 * (node/node.h).
 */
#ifndef LIMBER_NODE_LIMITS_H
#define LIMBER_NODE_LIMITS_H

#include "body/body.h"

/* A substep of a body. */
typedef struct body_substep {
    const body_step_input* in;
    double begin, end; /* shares of the step */
    double h;          /* seconds */
    bool last;         /* of the step */
    body_step_times* times;
} body_substep;

/* Velocities of nodes that are held, and how far each component is (body_measure_held). Pins feel
 * what that changes. */
void body_limits_hold(body* b, const body_substep* s);
/* Of contacts with colliders: contact_measure, with the affine parts as they are. */
void body_limits_measure(body* b, const body_substep* s);
/* Soft pins and grabs pull; then velocities are held to all limits, which feel it. */
void body_limits_apply(body* b, const body_substep* s);

#endif
