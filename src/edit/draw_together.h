/* SPDX-License-Identifier: MIT
 * Fewer triangles where cracks meet. Blades of many steps and directions cross each other's rims,
 * and each later one cuts what the earlier ones have left: points that only such crossings have
 * made are drawn to a neighbour, so that the number of triangles follows the cracks there are, and
 * not how they came about.
 */
#ifndef LIMBER_DRAW_TOGETHER_H
#define LIMBER_DRAW_TOGETHER_H

#include "body/remake.h"

/* Of the skin after a cut of `before` and of what bodies feel, about the points that the cut has
 * made: new indices, submeshes and felt triangles in `change`, and without the new vertices and
 * points that no triangle has any more. change->home must be told. Vertices and points before the
 * cut keep their numbers, also where no triangle has them. Points of the mesh are not moved. The
 * surface stays closed, its parts stay as many, and faces of cracks that lie on each other still
 * do. All in `a`. O(triangles). */
lim_result draw_together(arena* a, const topology* before, const matter* material,
                         surface_change* change);

#endif
