/* SPDX-License-Identifier: MIT
 * The surface of a topology that is made from another one: vertices, triangles, points, and where
 * on the material the points lie.
 */
#ifndef LIMBER_REMAKE_SURFACE_H
#define LIMBER_REMAKE_SURFACE_H

#include "body/remake.h"

/* Vertices, triangles, points at rest, what bodies feel; t->bind has count and rest. out_old: per
 * bound point that of plan->from, or -1, in scratch. */
lim_result remake_surface(topology* t, arena* scratch, const topology_plan* plan,
                          int32_t** out_old);
/* t->point_home. Needs the surface, and fragment_slot. */
lim_result remake_homes(topology* t, arena* scratch, const topology_plan* plan, const int32_t* old);

#endif
