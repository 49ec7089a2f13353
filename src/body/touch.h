/* SPDX-License-Identifier: MIT
 * Which points of a surface feel contacts. A skin may have far more vertices than its nodes can
 * follow apart: of those in one box of half a cell that look the same way only the one that stands
 * out most is kept. Nothing that is left out stands out by more than the surface bends within half
 * a cell.
 */
#ifndef LIMBER_TOUCH_H
#define LIMBER_TOUCH_H

#include "body/topology.h"

/* Fills t->touch from the bindings and the triangles: points in their order. Points of no triangle
 * (samples between corners, points without a mesh) all stay. */
lim_result touch_build(topology* t, arena* scratch);

#endif
