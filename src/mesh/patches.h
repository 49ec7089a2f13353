/* SPDX-License-Identifier: MIT
 * Points that several solids share. A patch is what hangs together over edges where two triangles
 * meet; where solids share an edge or a corner, more meet there, or none over an edge. Each patch
 * gets a copy of its own of the points that it shares.
 */
#ifndef LIMBER_PATCHES_H
#define LIMBER_PATCHES_H

#include "mesh/surface.h"

/* out: the mesh with copies behind its points, used by its triangle_point; other arrays are the
 * mesh's. out_copy_of: per copy the point that it is a copy of, in ascending order. */
lim_result patches_part(arena* a, arena* scratch, const lim_mesh* mesh, lim_mesh* out,
                        int32_t** out_copy_of);

#endif
