/* SPDX-License-Identifier: MIT
 * Cells of any size, to be found near a point. Cells of about one size form a layer with bins of
 * its own at least as wide as its widest cell, so that a search among fine cells does not wade
 * through bins made for coarse ones. The cells of a bin are in order of slot, bins in order of z,
 * y, x, layers from the widest down: an answer depends on nothing else.
 */
#ifndef LIMBER_CELL_GRID_H
#define LIMBER_CELL_GRID_H

#include "base/arena.h"
#include "math/vec3.h"

enum { CELL_LAYERS = 24 };

typedef struct cell_layer {
    double widest;         /* cell edge */
    double lower[3], edge; /* of the bins */
    int32_t size[3], bins; /* along the axes, and all */
    int32_t* offset;       /* bins + 1, into slot */
    int32_t* slot;         /* by the bin of their centre */
    int32_t count;         /* 0: the layer is empty */
} cell_layer;

typedef struct cell_grid {
    const float* centre[3];
    const float* side;
    int32_t layer_count, slot_count; /* slots with side > 0 */
    cell_layer layer[CELL_LAYERS];   /* each of cells half as wide as those of the last one */
} cell_grid;

/* Cells of a tree: bins are aligned with those of the root, so that the order in which cells are
 * found does not depend on which others there are. */
typedef struct cell_frame {
    lim_point lower; /* corner of the root */
    double root;     /* its edge */
    /* Two corners of a box: cells whose centres lie elsewhere are left out. Null: all are in. */
    const lim_point* within;
} cell_frame;

/* Slots whose side is 0 are left out; LIM_ERROR_ARGUMENT when there is no other. frame: null for
 * cells that lie anyhow. */
lim_result cell_grid_build(cell_grid* g, arena* a, const float* const centre[3], const float* side,
                           int32_t padded, const cell_frame* frame);
/* Lists in `near` (room for slot_count) every cell whose box is at most CELL_GRID_MARGIN of its
 * edge farther from the point than the nearest one; others may be among them. Returns how many.
 * O(cells near). */
#define CELL_GRID_MARGIN 1e-3
int32_t cell_grid_nearest(const cell_grid* g, lim_point at, int32_t* near);
/* Lists the cells of one layer whose boxes come within `radius` of the point in the max norm;
 * others may be among them. */
int32_t cell_grid_around(const cell_grid* g, int32_t layer, lim_point at, double radius,
                         int32_t* near);
/* Distance of a point from a slot's cell; 0 inside. */
double cell_grid_distance(const cell_grid* g, int32_t slot, lim_point at);

#endif
