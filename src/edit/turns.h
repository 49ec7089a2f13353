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

/* Blades, those of each turn one after the other. Blades of one turn do not meet: they cut as one,
 * or, where that finds no sound cut, one by one. */
typedef struct turns_blades {
    const cut_blade** blade;
    int32_t* turn;
    uint8_t* has_cut; /* out; one that finds no sound cut, or misses, is left out */
    int32_t count;
} turns_blades;

/* Cuts component `piece` of t. The rest as surface_cut_make; release it in any case. */
lim_result turns_cut(arena* a, const topology* t, const turns_blades* blades, int32_t piece,
                     uint64_t stroke, int32_t inner_submesh, turns* out);
/* Blades as one: no test of whether they meet. */
lim_result turns_join(arena* a, const cut_blade* const* blade, int32_t count, cut_blade* out);
void turns_release(turns* t);

#endif
