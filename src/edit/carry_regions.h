/* SPDX-License-Identifier: MIT
 * What the regions of a body remember: rotations and plastic strain, carried over to other regions,
 * and the stiffness that was set at run time.
 */
#ifndef LIMBER_CARRY_REGIONS_H
#define LIMBER_CARRY_REGIONS_H

#include "edit/carry_overlap.h"

/* Regions with other nodes than before: their rotations are to be found. */
typedef struct carry_fits {
    int32_t count;
    uint8_t* marked; /* per region */
    uint8_t* below;  /* per record of the net: what they are summed from; null: all, of windows */
} carry_fits;

/* Factors of slots and means of regions. */
lim_result carry_stiffness(arena* scratch, const carry_overlap* o, const body* from, body* to);
/* Rotations, of the old region that the heaviest seed was in, and plastic strain, of those that its
 * seeds were in. Those of cells stay with the fragments that they are; source: of carry_map. */
lim_result carry_regions(arena* a, arena* scratch, const carry_overlap* o, const int32_t* source,
                         const body* from, body* to, carry_fits* out);

/* Fits the rotations of those regions that are not as they were to where their nodes are, as a
 * step does: the skin is then that of the carried state. Needs gains, and all else of the body but
 * a last finite state, of which it has none after this. */
lim_result carry_rotations(arena* scratch, const carry_fits* fits, isa set, workers* pool, body* b);

#endif
