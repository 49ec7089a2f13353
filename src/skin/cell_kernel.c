/* SPDX-License-Identifier: MIT
 * Job: how much the cells about a point count there. In: cells, a point. Out: the width of its
 * window, the share of the window that a cell covers.
 */
#include "skin/cell_kernel.h"

/* A cell this much wider than asked still counts as of that width: edges are rounded to float. */
#define WIDTH_TOLERANCE 1.0001

/* m_j: how near a cell is, for windows of width `edge`. */
static double nearness(const cell_grid* g, int32_t slot, lim_point at, double edge) {
    double a[3], out = 0.5 * ((double)g->side[slot] + edge);
    cell_kernel_offsets(g, slot, at, a);
    return cell_kernel_product(a, out, edge);
}

double cell_kernel_width(const cell_grid* g, const int32_t* kind, int32_t own, const int32_t* near,
                         int32_t count, lim_point at) {
    double side = (double)g->side[own], width = side;
    for (double edge = 0.5 * side;; edge *= 0.5) {
        double far = 1.0;
        for (int32_t i = 0; i < count; ++i) {
            int32_t slot = near[i];
            if ((double)g->side[slot] <= WIDTH_TOLERANCE * edge && kind[slot] == kind[own]) {
                far *= 1.0 - nearness(g, slot, at, edge);
            }
        }
        if (!(far < 1.0)) {
            return width; /* nor is any finer cell near a narrower window */
        }
        width *= 0.5 * (1.0 + far);
    }
}
