/* SPDX-License-Identifier: MIT
 * The nodes of a lattice as whole coordinates, and which of them share a cell (Rivers and James
 * 2007, section 2): what the baselines of sums need of a body.
 */
#ifndef LIMBER_LATTICE_NODES_H
#define LIMBER_LATTICE_NODES_H

#include "graph/distance.h"

#include <limber/model.h>

typedef struct lattice_nodes {
    int32_t count;
    int32_t* coordinates; /* 3 per node; in order of z, y, x */
    graph g;              /* links nodes that share a cell; every length is 1 */
    bool full;            /* it fills its bounds, and all neighbours are linked */
} lattice_nodes;

/* The corners of the cells of a box that `kept` keeps (cells[0] * cells[1] * cells[2] flags, x
 * fastest; null: all). LIM_ERROR_ARGUMENT when nothing is kept. */
lim_result lattice_nodes_of_cells(arena* a, const int32_t cells[3], const uint8_t* kept,
                                  lattice_nodes* out);
/* The nodes and links of a model whose nodes lie on a lattice of its finest cells.
 * LIM_ERROR_ARGUMENT when they do not. */
lim_result lattice_nodes_of_model(arena* a, const lim_model* model, lattice_nodes* out);

#endif
