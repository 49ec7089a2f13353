/* SPDX-License-Identifier: MIT
 * Which points of a surface feel contacts. A skin may have far more vertices than its nodes can
 * follow apart: of those in one box of half a cell that look the same way only the one that stands
 * out most is kept. Nothing that is left out stands out by more than the surface bends within half
 * a cell.
 */
#ifndef LIMBER_TOUCH_H
#define LIMBER_TOUCH_H

#include "body/topology.h"

/* What feels colliders, and what other bodies feel where that is coarser. */
enum { TOUCH_SURFACES = 2 };

/* Which points stay on each surface, by the bindings and their normals there (surface_normals;
 * null: there is no such surface): 1 per binding, in scratch. Points of no triangle all do, but
 * where an edit has made the surface: there it has left them. */
lim_result touch_choose(const topology* t, arena* scratch,
                        const lim_vec3* const normal[TOUCH_SURFACES],
                        uint8_t* out_stays[TOUCH_SURFACES]);
/* Fills t->touch with those that stay, in their order. */
lim_result touch_build(topology* t, const uint8_t* stays);

#endif
