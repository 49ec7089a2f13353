/* SPDX-License-Identifier: MIT
 * The weight of a cell at a point: the share of a soft window about the point that the cell covers,
 * a product over the axes. A window of width w covers an interval of edge s >= w, whose centre is a
 * away, by
 *     K((a - (s - w) / 2) / w),   K(t) = 1 - t^2 (3 - 2 t),  K = 1 below 0 and 0 above 1:
 * the integral of the parabola 6 u (1 - u) / w over their overlap. Shares of cells that fill space
 * sum to 1. Where all cells are of edge w this is the tensor product of smooth steps K(a / w).
 *
 * The width is chosen per point: no wider than any cell in the window, so that a cell in it covers
 * a corner of it: at most 8 cells have weight. With edges s_l = s / 2^l below that of the point's
 * own cell,
 *     w = s prod_l (1 - M_l / 2),   M_l = 1 - prod_j (1 - m_j),   j over cells of edge <= s_l,
 * where m_j is 1 while the cell is nearer than s_l / 2 along every axis, 0 from 3 s_l / 2 on along
 * any, and smooth between. That is enough: at a distance d of such a cell in the max norm, v = d /
 * s_l - 1/2, w <= s_l (2 - K(v)^3) <= s_l (1 + 2 v) = 2 d, so a window wider than the cell does not
 * reach it (where v > 1/2, the same holds one level up). w and K have continuous first derivatives,
 * so weights have, across every jump of size, balanced or not.
 */
#ifndef LIMBER_CELL_KERNEL_H
#define LIMBER_CELL_KERNEL_H

#include "skin/cell_grid.h"

/* Cells finer than the own one matter to the width within this share of the own edge. */
#define CELL_KERNEL_FINE 0.75

/* Width of the window at a point. near: all cells finer than `own` that come nearer than
 * CELL_KERNEL_FINE of its edge; others may be among them. kind: only those of the own one's kind
 * count. */
double cell_kernel_width(const cell_grid* g, const int32_t* kind, int32_t own, const int32_t* near,
                         int32_t count, lim_point at);
/* K(t) = 1 - t^2 (3 - 2 t) for 0 < t < 1, 1 below and 0 above. */
static inline double cell_kernel_fall(double t) {
    return t <= 0.0 ? 1.0 : t < 1.0 ? 1.0 - t * t * (3.0 - 2.0 * t) : 0.0;
}

/* |at - centre| along each axis. */
static inline void cell_kernel_offsets(const cell_grid* g, int32_t slot, lim_point at,
                                       double out[3]) {
    out[0] = fabs(at.x - (double)g->centre[0][slot]);
    out[1] = fabs(at.y - (double)g->centre[1][slot]);
    out[2] = fabs(at.z - (double)g->centre[2][slot]);
}

/* The product of K((a - from) / width) over the axes. Most cells that are looked at are out of
 * reach: there it is 0 without a division (x / w < 1 only where x < w). */
static inline double cell_kernel_product(const double a[3], double from, double width) {
    double x = a[0] - from, y = a[1] - from, z = a[2] - from;
    if (x >= width || y >= width || z >= width) {
        return 0.0;
    }
    return cell_kernel_fall(x / width) * cell_kernel_fall(y / width) * cell_kernel_fall(z / width);
}

/* Weight of a slot's cell in a window. */
static inline double cell_kernel(const cell_grid* g, int32_t slot, lim_point at, double width) {
    double a[3], inner = 0.5 * ((double)g->side[slot] - width);
    cell_kernel_offsets(g, slot, at, a);
    return cell_kernel_product(a, inner, width);
}

#endif
