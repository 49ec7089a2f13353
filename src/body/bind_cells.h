/* SPDX-License-Identifier: MIT
 * Bindings of an octree: to the nodes whose cells a point sees.
 */
#ifndef LIMBER_BIND_CELLS_H
#define LIMBER_BIND_CELLS_H

#include "body/topology.h"

/* Binds all points; needs nodes, graph and material. */
lim_result bind_cells(topology* t, arena* scratch, const lim_vec3* points, const lim_vec3* normals,
                      int32_t count);
/* Nodes as points are bound to them; `frame` is filled, and must outlive it. */
bind_nodes bind_cells_nodes(const topology* t, cell_frame* frame);
/* The fragments of the finest cells, each with the node that it is part of: they tell which node a
 * point of the surface belongs to where several share a coarse cell. In scratch. */
lim_result bind_cells_material(const topology* t, arena* scratch, bind_material* out);

#endif
