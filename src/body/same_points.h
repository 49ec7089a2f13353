/* SPDX-License-Identifier: MIT
 * Which bound points of a topology lie where a point of another one does.
 */
#ifndef LIMBER_SAME_POINTS_H
#define LIMBER_SAME_POINTS_H

#include "body/kept_nodes.h"

/* Both were made from `from`, whose points come first in each (body/remake.h). out, in `a`: per
 * point of `t` one of `like` at the same place to the last bit that belongs to the same node
 * (kept: from `like` to `t`), or -1: not looked for. O(points). */
lim_result same_points_find(arena* a, const topology* from, const topology* like, const topology* t,
                            const kept_nodes* kept, int32_t** out);

#endif
