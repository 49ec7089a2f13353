/* SPDX-License-Identifier: MIT
 * The visibility graph of the fragments: which ones are joined by material.
 */
#ifndef LIMBER_VISIBILITY_H
#define LIMBER_VISIBILITY_H

#include "sample/fragments.h"

typedef struct visibility {
    int32_t* edge_offset; /* CSR over the fragments, symmetric, neighbours in ascending order */
    int32_t* edge_node;
    int32_t* component; /* connected component of each fragment, numbered by lowest fragment */
    int32_t component_count;
    int32_t* unglued; /* the same before gluing; null when nothing was glued */
    int32_t glued_edges;
} visibility;

/* All arrays are in `a`. glue_parts: fragments of different parts of the mesh that share a cell or
 * whose cells touch are linked where nothing else joins them. */
lim_result visibility_build(arena* a, const voxels* v, const fragments* f, bool glue_parts,
                            visibility* out);

#endif
