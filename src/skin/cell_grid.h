/* SPDX-License-Identifier: MIT
 * Cells of any size in bins at least as wide as the widest cell: which cells lie near a point. The
 * cells of a bin are in order of slot, bins in order of z, y, x: the answer depends on nothing
 * else.
 */
#ifndef LIMBER_CELL_GRID_H
#define LIMBER_CELL_GRID_H

#include "base/arena.h"
#include "math/vec3.h"

typedef struct cell_grid {
    const float* centre[3];
    const float* side;
    double lower[3], edge; /* of the bins */
    int32_t size[3];
    int32_t* offset; /* bins + 1 */
    int32_t* slot;   /* slots with side > 0, by the bin of their centre */
    int32_t slot_count;
} cell_grid;

/* Slots whose side is 0 are left out. */
lim_result cell_grid_build(cell_grid* g, arena* a, const float* const centre[3], const float* side,
                           int32_t padded);
/* Lists in `near` (room for slot_count) every cell whose box is nearest to the point, and every
 * cell that holds the point in a box of twice its edge (the reach of the binding kernel); others
 * may be among them. Returns how many. O(cells near). */
int32_t cell_grid_near(const cell_grid* g, lim_point at, int32_t* near);
/* Distance of a point from a slot's cell; 0 inside. */
double cell_grid_distance(const cell_grid* g, int32_t slot, lim_point at);

#endif
