/* SPDX-License-Identifier: MIT
 * Fragments: the connected pieces of material in each cell; each becomes a node.
 */
#ifndef LIMBER_FRAGMENTS_H
#define LIMBER_FRAGMENTS_H

#include "mesh/bvh.h"
#include "sample/voxels.h"

typedef struct fragments {
    int32_t count;
    int32_t* cell_first; /* CSR: fragments of each cell of the voxels */
    int32_t* cell;
    uint64_t* mask;
    int32_t* part; /* part of the mesh that it belongs to */
    double* volume;
    lim_point* centroid; /* unit space */
} fragments;

/* Pieces smaller than this share of a cell are joined to a neighbour where that is safe; no node
 * has less than this share of the largest node's volume: specks of mass would jitter. */
#define FRAGMENT_SHARE 0.02

/* All arrays are in `a`. tree: of the mesh's triangles, for parts; may be null when the mesh has
 * one part. shell: as in voxels_thin. */
lim_result fragments_build(arena* a, const voxels* v, const bvh* tree, bool shell, fragments* out);

#endif
