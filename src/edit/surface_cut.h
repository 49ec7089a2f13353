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
    surface_change change;           /* but `home`, which is null: edit/agree.h tells it */
    cut_blade blade;                 /* with its points where the cut has moved them */
    const lim_vertex_source* source; /* of several blades in turn (edit/turns.h): where new vertices
                                        come from, be it vertices of a blade before; `change` has
                                        vertices before all of them. Null: that of `change` */
    int32_t part_count;              /* connected parts of the skin after it */
    int32_t* point_part;     /* per welded point after it; -1: no triangle. Parts are numbered by
                                their lowest point */
    int32_t cut_triangles;   /* of the skin before it: those that were split */
    int32_t inner_triangles; /* faces of the cut, of both sides: the last of the skin, those of one
                                piece of the blade behind each other */
    int32_t felt_faces;      /* likewise of what bodies feel */
    bool tears; /* the caller's: blades of successive steps go on from each other, and flaps between
                   them follow the skin (edit/agree_flaps.c) */
    bool felt_from_skin; /* the surface that bodies feel could not be cut: it is that of the skin */
    lim_vec3* normal;    /* per point of the skin, then per felt point: outwards at rest, unit, of
                            those within two finest cells of the blade; 0 far from it and at the
                            end of a cut inside */
    int8_t* side; /* likewise: which side of the blade its material is on, where it lies on the
                     blade; 0 elsewhere and on the crack front */
} surface_cut;

/* All in `a`. Only what belongs to component `piece` of t is cut; -1: all of it. inner_submesh:
 * number of the submesh of new faces, at most the submesh_count of `t` (then there is one more).
 * What is new is as fine as the blade, which therefore should have triangles of about half a finest
 * cell to a cell: contact is felt through them.
 *
 * Triangles that were not cut keep their order, pieces of cut ones follow, then faces; so most of
 * an index buffer stays. Numbers of felt points in change.felt: points of the skin after the cut
 * (point_count - 1 + new_points of them), then those of the felt surface alone: first all that the
 * bindings of `t` have behind its skin, in their order, then new ones.
 *
 * LIM_ERROR_MESH: the skin is not closed, or inside out, where the blade meets it.
 * LIM_ERROR_UNSUPPORTED: no sound cut, or not the topology of an octree. A blade that misses:
 * LIM_OK, cut_triangles and inner_triangles 0, and nothing in `change`. */
lim_result surface_cut_make(arena* a, const topology* t, const cut_blade* blade, int32_t piece,
                            uint64_t stroke, int32_t inner_submesh, surface_cut* out);

#endif
