/* SPDX-License-Identifier: MIT
 * The skin of a body after a cut: split triangles, new vertices on both sides with the attributes
 * of where they lie, faces of the cut as a submesh of their own, and the surface that others feel,
 * cut by the same blade.
 */
#ifndef LIMBER_SURFACE_CUT_H
#define LIMBER_SURFACE_CUT_H

#include "body/remake.h"
#include "cut/cut.h"

typedef struct surface_cut {
    surface_change change;
    cut_blade blade;     /* with its points where the cut has moved them */
    int32_t part_count;  /* connected parts of the skin after it */
    int32_t* point_part; /* per welded point after it; -1: no triangle */
    int32_t cut_triangles, inner_triangles;
    lim_vec3* normal; /* per point of the skin, then per felt point: outwards at rest, unit */
    int8_t* side;     /* likewise: which side of the blade its material is on, where it lies on the
                         blade; 0 elsewhere and on the crack front */
} surface_cut;

/* All in `a`. inner_submesh: number of the submesh of new faces, at most the submesh_count of `t`
 * (then there is one more). LIM_ERROR_MESH: the skin is not closed where the blade meets it.
 * LIM_ERROR_UNSUPPORTED: no sound cut. A blade that misses: LIM_OK and cut_triangles 0. */
lim_result surface_cut_make(arena* a, const topology* t, const cut_blade* blade, int32_t component,
                            uint64_t stroke, int32_t inner_submesh, surface_cut* out);

#endif
