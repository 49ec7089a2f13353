/* SPDX-License-Identifier: MIT
 * The step of bodies that touch: all of them take the same substeps, and between what changes
 * velocities and what moves, contacts among them are solved.
 */
#ifndef LIMBER_ISLAND_H
#define LIMBER_ISLAND_H

#include "world/world.h"

/* On the calling thread alone (in->pool null), or split over the workers: the bits are the same. */
void world_island_step(lim_world* world, world_island* island, body_step_input in);

#endif
