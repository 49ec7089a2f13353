/* SPDX-License-Identifier: MIT
 * The levels of a body of cells: its own elements, and coarser ones of twice the edge until what is
 * left is factored directly.
 *
 * A coarse element is a *piece*: the elements of one coarse cell that share the node in its middle.
 * Each element of a coarse cell has such a node, so no search is needed, and what a slit of one
 * cell or a cut of no width parts stays parted on every level, as far as coarse cells can tell.
 * Corners of pieces are one node where interpolation needs it: a fine node that is in several
 * pieces is interpolated from the same coarse corners in each.
 */
#ifndef LIMBER_HEX_LEVELS_H
#define LIMBER_HEX_LEVELS_H

#include "hex/hex_level.h"

typedef struct hex_desc {
    int32_t cells, nodes;
    int32_t (*at)[3];               /* per cell its coordinates, from 0 to 2^20 */
    int32_t (*corner)[HEX_CORNERS]; /* and its nodes, of which each is in some cell */
    const uint64_t* mask;           /* and where it has material (sample/mask.h); null: full */
    float edge;                     /* of a cell, m */
} hex_desc;

typedef struct hex_levels {
    int32_t count;
    const uint64_t* mask;   /* of the cells, borrowed */
    float *young, *poisson; /* likewise, that the stiffness is for; young 0: none yet */
    hex_level level[HEX_LEVELS];
} hex_levels;

/* Cells of another size: all stiffness is to be set anew. */
void hex_levels_scale(hex_levels* h, float edge);

/* A level whose matrix takes more products to factor is coarsened. */
#define HEX_DIRECT 1e7

/* The shape of all levels, in `a`; `at`, `corner` and `mask` are borrowed. Stiffness and masses are
 * still zero. LIM_ERROR_TOO_LARGE beyond 2^20 cells in a row or 2^25 cells. */
lim_result hex_levels_build(arena* a, const lim_host* host, const hex_desc* desc, hex_levels* out);

/* Young's modulus (Pa) and Poisson's ratio of each cell: stiffness of all levels. About 2 us per
 * full cell, 50 per partly filled one; what has not changed is left. LIM_ERROR_ARGUMENT, with
 * nothing changed, when one is out of range (hex_lame_of). */
lim_result hex_levels_stiffen(hex_levels* h, const float* young, const float* poisson);

/* The matrix of the element in a lane, in its own axes. */
void hex_element_matrix(const hex_level* l, int32_t lane, hex_matrix* out);

#endif
