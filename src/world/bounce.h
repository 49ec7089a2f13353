/* SPDX-License-Identifier: MIT
 * Restitution. Nodes that would leave a collider at a share of their own speed only shake the body:
 * what they get is lost inside of it (tried: bodies rebound the lower, and where nodes that touch
 * bounce in each substep, they are pumped up). So it is the component that bounces: its approach is
 * noted when it is first pressed on, its elasticity brings it back as it does, and when that has
 * ended it gets the share e of the speed that it lost, dv = e (u - v) along the meeting. u is the
 * speed of the approach, less a hundredth and what went into height, into motion across it and into
 * motion and shape inside of the bodies, so that energy does not grow. Once per meeting; a
 * component has one at a time, and none while it is pinned. Between two bodies the impulse acts
 * along the line of their centres: momentum and angular momentum are kept.
 */
#ifndef LIMBER_BOUNCE_H
#define LIMBER_BOUNCE_H

#include "world/world.h"

/* Around the stepping of all bodies. None allocates. */
void world_bounce_begin(lim_world* world);
void world_bounce_end(lim_world* world, double dt);

#endif
