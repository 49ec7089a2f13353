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
/* The homes of some bound points whose own is not known: of each the fragment on the inner side of
 * its surface, which looks along `look` (0: nowhere), into point_home. */
lim_result bind_cells_homes(topology* t, arena* scratch, const int32_t* point, const lim_vec3* look,
                            int32_t count);

#endif
