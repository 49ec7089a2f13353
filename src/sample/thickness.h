/* SPDX-License-Identifier: MIT
 * Thickness of the material: how deep each fragment lies below the surface, and which pieces are
 * thick enough for the size of their cell.
 */
#ifndef LIMBER_THICKNESS_H
#define LIMBER_THICKNESS_H

#include "sample/pieces.h"
#include "sample/visibility.h"

enum { THICKNESS_UNIT = 12 }; /* depths are counted in this part of a finest cell's edge */

typedef struct thickness {
    int32_t coarsest; /* level; arrays exist from here to the finest */
    /* Per piece: depth of its shallowest fragment's centre below the surface (negative: above). */
    int32_t* shallow[OCTANT_LEVELS + 1];
    /* Per piece: the largest thickness of material (a diameter) that is centred in it. */
    int32_t* widest[OCTANT_LEVELS + 1];
    /* Per piece: 1 where its material is at least cells_across of its cells thick; null at the
     * finest level and where the rule is off. */
    uint8_t* thick[OCTANT_LEVELS + 1];
} thickness;

/* Arrays in `a`, for the levels from `coarsest` on. cells_across: above 0; 0 switches the rule off.
 * O(edges). */
lim_result thickness_build(arena* a, const pieces* tree, const fragments* f, const visibility* see,
                           int32_t coarsest, double cells_across, thickness* out);

#endif
