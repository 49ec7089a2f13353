/* SPDX-License-Identifier: MIT
 * Which points of a surface feel contacts. A skin may have far more vertices than its nodes can
 * follow apart: of those in one box of half a cell that look the same way only the one that stands
 * out most is kept. Nothing that is left out stands out by more than the surface bends within half
 * a cell.
 */
#ifndef LIMBER_TOUCH_H
#define LIMBER_TOUCH_H

#include "body/topology.h"

/* Fills t->touch from the bindings and their normals (surface_normals): points in their order.
 * Points of no triangle all stay. out_stays, in scratch: 1 per binding that is in t->touch. */
lim_result touch_build(topology* t, arena* scratch, const lim_vec3* normal, uint8_t** out_stays);

#endif
