/* SPDX-License-Identifier: MIT
 * Sampling: a surface becomes nodes in the cells of an octree, and the graph that links nodes which
 * see each other through material. One node per connected piece of material in a cell; the cells
 * are of one size, or as large as the rules of the descriptor allow (sample/adapt.h).
 *
 * The tree: cells of level L have edge root_size / 2^L; a cell is (level, x, y, z) with integer
 * coordinates, named by a 64-bit key (sample/octant.h). Lengths of graph edges are in half finest
 * cells: the max-norm of the difference of cell centres, so two touching cells of the finest size
 * are 2 apart, and cells of edges 2^i and 2^j finest ones 2^i + 2^j. Two nodes of one cell are 1
 * apart.
 */
#ifndef LIMBER_SAMPLING_H
#define LIMBER_SAMPLING_H

#include "sample/pieces.h"

#include <limber/model.h>

/* A lattice (sample/lattice.h) is a sampling too, of another kind: it has no pieces, and a list of
 * cells. */
typedef struct sampling {
    float cell_size; /* finest cell edge, unit space of the mesh */
    lim_vec3 corner; /* lower corner of the root cell, unit space */
    int32_t levels;  /* level of the finest cells */
    int32_t node_count;
    uint64_t* key;      /* octant key of the cell; nodes are in order of (key, fragment) */
    uint16_t* fragment; /* which of the pieces of material in its cell, 0, 1, ... */
    lim_vec3* centre;   /* of the cell, unit space */
    lim_vec3* centroid; /* of the material, unit space */
    float* volume;      /* of the material, unit space cubed, > 0 */
    float* side;        /* cell edge, unit space */
    float (*moment)[6]; /* integral of (x - centroid)(x - centroid)^T over the material, unit space
                           to the fifth: xx yy zz xy xz yz */
    int32_t (*anchor)[3];   /* the sub-voxel of the material nearest to the centroid, in quarter
                               finest cells from the root's corner */
    int32_t *level, *piece; /* the piece that is the node */
    matter matter;          /* all of the material, in the same memory */
    pieces pieces;          /* its hierarchy, likewise */
    int32_t* fragment_node; /* per fragment of the material: the node that it is part of */
    /* graph, CSR, symmetric, neighbours in ascending order */
    int32_t* edge_offset; /* node_count + 1 */
    int32_t* edge_node;
    uint16_t* edge_length; /* null: not measured yet (sample/nodes.h) */
    int32_t* component;    /* connected component of each node, numbered by lowest node */
    int32_t component_count;
    int32_t cell_count, fragment_count, glued_edges;
    /* Of a lattice only: the occupied cells as the keys of their lowest corners, cell_count of
     * them, ascending. */
    uint64_t* lattice_cells;
} sampling;

/* desc->cell_size and scale are used in metres: cell edge in unit space = cell_size / (scale *
 * size); a cell larger than the mesh is made as large as the mesh. Every kept triangle touches at
 * least one cell with a node. Progress goes from 0 to 0.5: the other half of building a model comes
 * after. LIM_ERROR_TOO_LARGE beyond 4,000,000 finest cells with material or 2^19 in a row. With
 * desc->coarsen 0 all cells are finest ones. */
lim_result sampling_build(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                          const lim_host* host, sampling* out);

#endif
