/* SPDX-License-Identifier: MIT
 * Which triangle of a surface lies across each side of a triangle.
 */
#ifndef LIMBER_FELT_SIDES_H
#define LIMBER_FELT_SIDES_H

#include "contact/felt_surface.h"

/* Fills net->neighbour, in `a`, and net->open_share, from its corners and fans. moved: per point of
 * from->points its number in the net, -1: none. fan_corner: beside net->fan, which corner of the
 * triangle the point is, 3 triangle + k. O(triangles). */
lim_result surface_sides_make(arena* a, arena* scratch, const surface_source* from,
                              const int32_t* moved, const int32_t* fan_corner, surface_net* net);

#endif
