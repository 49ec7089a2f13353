/* SPDX-License-Identifier: MIT
 * Regions made symmetric, as step 3 of section 4.2 in Steinemann et al. 2008 asks: i is in the
 * region of j exactly when j is in the region of i. Only the printed form of the goals (eq. 8)
 * needs it; with widths that vary it breaks the bound of the intervals.
 */
#ifndef LIMBER_SYMMETRIC_H
#define LIMBER_SYMMETRIC_H

#include "region/region.h"

/* The network n with one region per node -> the same with missing members added to the region
 * lists, one by one, behind what was there. `scratch` may be released afterwards. out_added: how
 * many. */
lim_result regions_symmetrise(arena* a, arena* scratch, const net* n, const regions* r, net* out,
                              int64_t* out_added);

#endif
