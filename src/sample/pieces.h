/* SPDX-License-Identifier: MIT
 * Pieces: the material as a hierarchy, before anyone has chosen where to put nodes. A piece is a
 * connected piece of material in one cell of one level of the octree. Those of the finest level are
 * the fragments (sample/fragments.h), linked by the visibility graph; a piece of a coarser level is
 * what hangs together, inside its cell, of the pieces of the next finer one. Two pieces of a level
 * are neighbours where fragments of theirs are. So a gap much thinner than a coarse cell still
 * parts two pieces, masses of children add up to their parent's, and any antichain of the hierarchy
 * is a sampling: nodes are pieces of several levels (sample/adapt.h), and sums over coarser pieces
 * are the virtual nodes of Steinemann et al. 2008.
 */
#ifndef LIMBER_PIECES_H
#define LIMBER_PIECES_H

#include "sample/matter.h"

typedef struct piece_level {
    int32_t count;
    uint64_t* key;   /* octant key of the cell; pieces are in order of (key, lowest fragment) */
    int32_t* parent; /* piece of the next coarser level; null at level 0 */
    int32_t* child_first; /* CSR: pieces of the next finer level, ascending; null at the finest */
    int32_t* child;
    double* volume;       /* unit space cubed */
    lim_point* centroid;  /* unit space */
    double (*moment)[6];  /* integral of (x - centroid)(x - centroid)^T: xx yy zz xy xz yz */
    int32_t* edge_offset; /* CSR, symmetric, ascending: neighbours in other cells of this level */
    int32_t* edge_piece;
} piece_level;

typedef struct pieces {
    int32_t finest;                       /* octree level of the fragments */
    double side;                          /* edge of a finest cell, unit space */
    lim_point corner;                     /* of the root cell, unit space */
    piece_level level[OCTANT_LEVELS + 1]; /* 0 (the root) to finest */
} pieces;

/* Builds every level in `a`. The material is in `a` too: the finest level borrows its arrays, and
 * its graph where no two fragments of one cell are linked. Links within a cell (glue) are no edges
 * of a level, but they join pieces. O(edges). */
lim_result pieces_build(arena* a, const matter* m, pieces* out);

/* A material that another one was made from by cuts, and its hierarchy. */
typedef struct pieces_before {
    const matter* m;
    const pieces* tree;
    const int32_t* source;  /* per fragment after: the one before; not touched: the same */
    const uint8_t* touched; /* per fragment after: it, or an edge that is not glue, has changed */
} pieces_before;

/* The same bits, from the hierarchy before where nothing near has changed. */
lim_result pieces_follow(arena* a, const matter* m, const pieces_before* before, pieces* out);

#endif
