/* SPDX-License-Identifier: MIT
 * The visibility graph of a uniform sampling: which nodes are joined by material.
 */
#ifndef LIMBER_VISIBILITY_H
#define LIMBER_VISIBILITY_H

#include "sample/fragments.h"
#include "sample/sampling.h"

/* Fills the graph and the components of `out` (arrays in `a`), whose nodes are the fragments. */
lim_result visibility_build(arena* a, const voxels* v, const fragments* f, bool glue_parts,
                            sampling* out);

#endif
