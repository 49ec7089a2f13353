/* SPDX-License-Identifier: MIT
 * Which points of a surface feel contacts. A skin may have far more vertices than its nodes can
 * follow apart: of those in one box of half a cell that look the same way only the one that stands
 * out most is kept. Nothing that is left out stands out by more than the surface bends within half
 * a cell.
 */
#ifndef LIMBER_TOUCH_H
#define LIMBER_TOUCH_H

#include "body/topology.h"

/* Which points stay, by the bindings and their normals (surface_normals): 1 per binding, in
 * scratch. Points of no triangle all do, but where an edit has made the surface:
 * there it has left them. */
lim_result touch_choose(const topology* t, arena* scratch, const lim_vec3* normal,
                        uint8_t** out_stays);
/* Fills t->touch with them, in their order. */
lim_result touch_build(topology* t, arena* scratch, const lim_vec3* normal, uint8_t** out_stays);

#endif
