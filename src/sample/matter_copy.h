/* SPDX-License-Identifier: MIT
 * Material that outlives what it was made in.
 */
#ifndef LIMBER_MATTER_COPY_H
#define LIMBER_MATTER_COPY_H

#include "sample/matter.h"

/* All arrays in `a`. What has no soft sub-voxels listed gets a list of none. */
lim_result matter_copy(arena* a, const matter* m, matter* out);

#endif
