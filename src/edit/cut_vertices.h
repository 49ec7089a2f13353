/* SPDX-License-Identifier: MIT
 * Vertices of a skin after a cut. A cut works on welded points; a skin has several vertices at a
 * point where normals or texture coordinates jump, and each side of a seam keeps its own.
 */
#ifndef LIMBER_CUT_VERTICES_H
#define LIMBER_CUT_VERTICES_H

#include "body/remake.h"
#include "cut/cut.h"

/* Fills the fields of `out` from vertex_count to submesh, in `a`. skin: the surface over welded
 * points that was cut, triangles as those of `t`; blade: as it has cut.
 *
 * Triangles that were not cut keep their order, pieces follow, then faces. A new point on the skin
 * becomes one vertex for every set of vertices that it lies between: where two triangles share the
 * vertices of a side they share the new one, at a seam each has its own. Faces of the cut have
 * vertices of their own, one for each point and side: they look away from their side's material,
 * smooth along the blade; uv are the blade's, tangents run along its first coordinate; colours and
 * factors are 1. */
lim_result cut_vertices_make(arena* a, const topology* t, const cut_surface* skin,
                             const cut_blade* blade, const cut_result* cut, surface_change* out);

#endif
