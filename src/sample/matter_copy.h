/* SPDX-License-Identifier: MIT
 * Material that outlives what it was made in.
 */
#ifndef LIMBER_MATTER_COPY_H
#define LIMBER_MATTER_COPY_H

#include "sample/matter.h"

/* All arrays in `a`. What has no soft sub-voxels listed gets a list of none. */
lim_result matter_copy(arena* a, const matter* m, matter* out);
/* Brings all arrays of m to `a`, in place. `made` is what matter_cut made there from `before`: what
 * m still has of it stays where it is. */
lim_result matter_settle(arena* a, const matter* before, const matter* made, matter* m);

#endif
