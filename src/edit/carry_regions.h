/* SPDX-License-Identifier: MIT
 * What the regions of a body remember: rotations and plastic strain, carried over to other regions,
 * and the stiffness that was set at run time.
 */
#ifndef LIMBER_CARRY_REGIONS_H
#define LIMBER_CARRY_REGIONS_H

#include "edit/carry_overlap.h"

/* Factors of slots and means of regions. */
lim_result carry_stiffness(arena* scratch, const carry_overlap* o, const body* from, body* to);
/* Plastic strain and rotations: those of the old region that the heaviest seed was in. Rotations of
 * regions that are not the same as before are then fitted to where their nodes are now, as the next
 * step would: the skin is that of the carried state. Needs gains, and all else of `to`. */
lim_result carry_regions(arena* scratch, const carry_overlap* o, const body* from, isa set,
                         workers* pool, body* to);

#endif
