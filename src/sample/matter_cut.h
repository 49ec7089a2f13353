/* SPDX-License-Identifier: MIT
 * Cutting the material along a blade: sub-voxels whose centres a blade triangle parts are no longer
 * linked, so that fragments fall into pieces and lose neighbours (algorithms B.2, C.9, F.2). Signs
 * are exact: no link slips between two triangles that share an edge. Where a blade ends inside a
 * fragment the fragment stays one, and remembers the links that are gone (matter_wall): a later
 * blade goes on from there.
 */
#ifndef LIMBER_MATTER_CUT_H
#define LIMBER_MATTER_CUT_H

#include "cut/cut.h"
#include "sample/matter.h"

typedef struct matter_change {
    matter after;      /* in the arena; may share arrays with what was before */
    int32_t* source;   /* per fragment of `after`: the fragment that it is, or was a part of */
    uint8_t* touched;  /* per fragment of `after`: it, or one of its edges, has changed */
    int32_t cut_edges; /* edges of the graph of fragments that are gone */
    int32_t new_fragments;
} matter_change;

/* The blade as the surface was cut by it (cut_result: with its points where they were moved to), in
 * unit space. Volumes: a piece of a fragment has the share of its sub-voxels; the sum is kept.
 * Specks of one sub-voxel that hang on exactly one fragment of a neighbouring cell give their
 * volume to it. Changes nothing when it fails. O(links near the blade), and a copy. */
lim_result matter_cut(arena* a, const matter* before, const cut_blade* blade, int32_t component,
                      matter_change* out);

/* Whole-structure check, for tests and loading: order, ranges, symmetry, connectedness of every
 * fragment over links that are not cut, components. */
bool matter_is_valid(const matter* m);

#endif
