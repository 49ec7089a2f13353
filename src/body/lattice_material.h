/* SPDX-License-Identifier: MIT
 * The material that the topology of a lattice keeps for edits. Its fragments are the cells that
 * points are bound to (skin/trilinear.h), one each: bind.corner has the nodes at the corners of the
 * cell that a fragment lies in, and a point's home is its cell.
 */
#ifndef LIMBER_LATTICE_MATERIAL_H
#define LIMBER_LATTICE_MATERIAL_H

#include "body/painted.h"
#include "body/topology.h"
#include "skin/trilinear.h"

/* From a sampling: the material, the width of the regions of each component in hops (null: they
 * have none), and factors of density. */
lim_result lattice_material_take(topology* t, const sampling* s, const node_factors* factors,
                                 const int32_t* hops);
/* The nodes at the corners of its fragments, 8 each, in `a`. */
lim_result lattice_material_nodes(arena* a, const sampling* s, const int32_t** out);
/* Binds points to it, which names their homes. */
lim_result lattice_material_bind(topology* t, arena* scratch, const lim_vec3* points,
                                 const lim_vec3* normals, int32_t count);
/* Of a topology that was remade: corners by node become corners by slot. */
lim_result lattice_material_corners(topology* t, const int32_t* corner_node);
/* Points whose homes and places are there are bound to them. */
lim_result lattice_material_rebind(topology* t);
/* Hops per component, in scratch. */
lim_result lattice_material_hops(const topology* t, arena* scratch, int32_t** out);
/* The lattice as bindings see it; `middle` is in scratch. */
lim_result lattice_material_cells(const topology* t, arena* scratch, lattice_bind* out);

#endif
