/* SPDX-License-Identifier: MIT
 * A skin cut by several blades in turn, as one change of what it was before the first: so that
 * material, agreement and topology follow once, whatever the number of blades.
 */
#ifndef LIMBER_TURNS_H
#define LIMBER_TURNS_H

#include "edit/surface_cut.h"

typedef struct turns {
    surface_cut cut; /* by all blades: `blade` has the triangles of each, and may cross itself; its
                        `side` and `normal` are those by the last blade that came near */
    topology skin;   /* the surface after the last blade, and no more: `cut` borrows from it */
} turns;

/* Cuts component `piece` of t. has_cut: per blade, whether it has; one that finds no sound cut, or
 * misses, is left out. The rest as surface_cut_make; release it in any case. */
lim_result turns_cut(arena* a, const topology* t, const cut_blade* const* blade, int32_t count,
                     int32_t piece, uint64_t stroke, int32_t inner_submesh, turns* out,
                     uint8_t* has_cut);
void turns_release(turns* t);

#endif
