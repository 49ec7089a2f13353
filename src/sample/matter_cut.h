/* SPDX-License-Identifier: MIT
 * Cutting the material along a blade: sub-voxels whose centres a blade triangle parts are no longer
 * linked, so that fragments fall into pieces and lose neighbours. Signs are exact: no link slips
 * between two triangles that share an edge. Sub-voxels beside the blade become soft: what it leaves
 * may be a layer of one sub-voxel, which holds together over edges and corners as thin material
 * does (sample/thin.c). A cut joins nothing that was not joined. Where a blade ends inside a
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
    int32_t cut_edges; /* edges of the graph that are gone: no parts of their two ends are joined */
    int32_t new_fragments; /* how many more there are */
} matter_change;

/* Only links of fragments of `component` are cut; -1: all. The blade as the surface was cut by it
 * (cut_result: with its points where they were moved to), in unit space. Volumes: a piece of a
 * fragment has the share of its sub-voxels; the sum is kept. Specks of one sub-voxel that hang on
 * exactly one fragment of a neighbouring cell give their volume to it. Changes nothing when it
 * fails. O(links near the blade), and a copy. */
lim_result matter_cut(arena* a, const matter* before, const cut_blade* blade, int32_t component,
                      matter_change* out);

/* The same for links that are named: those of `wall` are cut (ends without material do not count).
 * Glue stays. */
lim_result matter_cut_links(arena* a, const matter* before, const matter_wall* wall, int32_t count,
                            matter_change* out);

/* Glue anew: between pairs of fragments (two numbers each, every pair once) that no edge but glue
 * joins, and nowhere else. `out` shares all but the graph with m. */
lim_result matter_glue(arena* a, const matter* m, const int32_t* pair, int32_t count, matter* out);

/* Whole-structure check, for tests and loading: order, ranges, symmetry, connectedness of every
 * fragment over links that are not cut, names of
 * components (not whether two of them have one name). */
bool matter_is_valid(const matter* m);

#endif
