/* SPDX-License-Identifier: MIT
 * The lattice (Rivers and James 2007, section 3): equal cells wherever there is surface or
 * material, and nodes at their corners. Nodes are linked when they share an occupied cell, and
 * every link has length 2 (half cells): a graph distance of 2 w is w hops. Two pieces of material
 * in one cell, or in cells that share a corner, are one piece here: parts closer than that stick
 * together, and glue_parts has nothing to do.
 *
 * Cells are occupied conservatively (James et al. 2004): those with a sub-voxel inside, and those
 * that a triangle reaches into. A solid has all of both, a shell (desc->solid false) the latter.
 */
#ifndef LIMBER_LATTICE_H
#define LIMBER_LATTICE_H

#include "sample/sampling.h"

/* A triangle counts for a cell when it comes further than this share of an edge inside: faces that
 * lie on the planes of the lattice do not fill the empty cells beyond them. So each point of the
 * surface is in an occupied cell, or no further than this from one. */
#define LATTICE_REACH 0.01

/* No node has less than this share of the mean of its neighbours; the corner of a large box has a
 * quarter. */
#define LATTICE_SHARE 0.2

/* Which cells are occupied: `out` has one entry per cell of the finished voxels, 1 or 0. */
void lattice_occupy(const voxels* v, uint8_t* out);

/* The volumes of the nodes of `out`, which has all the rest. */
typedef struct lattice_masses {
    const voxels* v;
    const fragments* f;
    const uint8_t* occupied;
    const int32_t* cell; /* per node the 8 cells around it, -1: not occupied */
    bool solid;
} lattice_masses;
lim_result lattice_weigh(arena* a, arena* scratch, const lattice_masses* m, sampling* out);

/* The material of `out`, which has nodes and levels, in `a`. Its cells are named by their lowest
 * corners, as nodes are; low: the coordinates of the lowest corner among the voxels' cells. What
 * shares a corner is of one component. */
lim_result lattice_matter(arena* a, arena* scratch, const lattice_masses* in, const int32_t low[3],
                          sampling* out);

/* The components of `out`, which has nodes and links: numbered by lowest node. */
lim_result lattice_components(arena* a, arena* scratch, sampling* out);

/* A sampling of the lattice. As sampling_build, but: nodes are corners. key is that of the corner's
 * coordinates at level `levels`, the lowest corner along each axis has coordinate 0, and `corner`
 * is the place of coordinate 0; fragment is 0, centre and centroid are the corner's place. A node's
 * volume is an eighth of the material of each cell around it, but light nodes take some from their
 * neighbours; the sum is the volume of the mesh where that is known, as in
 * sample/fragments.h. moment, anchor, piece and pieces are empty; cells are listed, and `matter`
 * has what they hold. coarsen and the rules for the size of cells are not used. LIM_ERROR_TOO_LARGE
 * beyond 4,000,000 nodes or 2^19 in a row. */
lim_result lattice_build(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                         const lim_host* host, sampling* out);

#endif
