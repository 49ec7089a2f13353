/* SPDX-License-Identifier: MIT
 * Vertices that several components share (mesh/patches.h).
 */
#ifndef LIMBER_SHARED_POINTS_H
#define LIMBER_SHARED_POINTS_H

#include "body/topology.h"

/* In: points that are bound, copies among them, and triangles over them. Copies of a point that
 * follow the same component are bound as one. A vertex that triangles of several components use
 * stays with the first, and is appended again, with its source, for each other one. */
lim_result shared_points_settle(topology* t, arena* scratch, const lim_mesh* mesh,
                                const lim_mesh* parted, const int32_t* copy_of);

#endif
