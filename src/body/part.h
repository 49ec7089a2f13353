/* SPDX-License-Identifier: MIT
 * Some of the components of a topology as a topology of their own: pieces that become bodies, and
 * what they leave behind. Rest coordinates stay, so that nodes, points and regions have the same
 * bits as before and a state can be carried over as it is.
 */
#ifndef LIMBER_PART_H
#define LIMBER_PART_H

#include "body/topology.h"

/* Where everything comes from, in the arena. */
typedef struct part_map {
    int32_t* slot;     /* per slot: that of the whole; -1: a pad */
    int32_t* fragment; /* per fragment of its material: that of the whole, ascending */
    int32_t* vertex;   /* per vertex: that of the whole, ascending */
} part_map;

/* Of an octree. takes: per component of `from` (slot_component), 1 for those it is to have.
 * Triangles go with their first corner. keep_vertices: all vertices stay and keep their numbers,
 * for what is left behind; else only those that its triangles use, in ascending order.
 * lim_vertex_source names -1 in place of vertices that it does not have. info.centre and
 * info.bounds are its own. LIM_ERROR_ARGUMENT: it would have no node or no triangle. */
lim_result topology_part(arena* a, const topology* from, const uint8_t* takes, bool keep_vertices,
                         const lim_host* host, topology** out, part_map* map);

#endif
