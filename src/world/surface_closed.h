/* SPDX-License-Identifier: MIT
 * Whether the volume that a skin encloses means something.
 */
#ifndef LIMBER_SURFACE_CLOSED_H
#define LIMBER_SURFACE_CLOSED_H

#include "body/topology.h"

/* True when every welded edge is passed once in each direction and the enclosed volume at rest is
 * within a factor of two of the nodes' volume (a shell, a surface inside out or parts within parts
 * are not). Fails only for want of memory. O(triangles). */
lim_result surface_closed(const topology* t, const lim_host* host, bool* out_closed);

/* Volume by the divergence theorem, of float positions (3 per vertex). */
double surface_volume(const topology* t, const float* positions);

#endif
