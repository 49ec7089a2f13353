/* SPDX-License-Identifier: MIT
 * Job: how much the cells about a point count there. In: cells, a point. Out: the width of its
 * window, the share of the window that a cell covers.
 */
#include "skin/cell_kernel.h"

/* A cell this much wider than asked still counts as of that width: edges are rounded to float. */
#define WIDTH_TOLERANCE 1.0001

/* K(t) = 1 - t^2 (3 - 2 t) for 0 < t < 1, 1 below and 0 above. */
static double fall(double t) {
    return t <= 0.0 ? 1.0 : t < 1.0 ? 1.0 - t * t * (3.0 - 2.0 * t) : 0.0;
}

/* |at - centre| along each axis. */
static void offsets(const cell_grid* g, int32_t slot, lim_point at, double out[3]) {
    out[0] = fabs(at.x - (double)g->centre[0][slot]);
    out[1] = fabs(at.y - (double)g->centre[1][slot]);
    out[2] = fabs(at.z - (double)g->centre[2][slot]);
}

/* The product of fall((a - from) / width) over the axes. Most cells that are looked at are out of
 * reach: there it is 0 without a division (x / w < 1 only where x < w). */
static double product(const double a[3], double from, double width) {
    double x = a[0] - from, y = a[1] - from, z = a[2] - from;
    if (x >= width || y >= width || z >= width) {
        return 0.0;
    }
    return fall(x / width) * fall(y / width) * fall(z / width);
}

double cell_kernel(const cell_grid* g, int32_t slot, lim_point at, double width) {
    double a[3], inner = 0.5 * ((double)g->side[slot] - width);
    offsets(g, slot, at, a);
    return product(a, inner, width);
}

/* m_j: how near a cell is, for windows of width `edge`. */
static double nearness(const cell_grid* g, int32_t slot, lim_point at, double edge) {
    double a[3], out = 0.5 * ((double)g->side[slot] + edge);
    offsets(g, slot, at, a);
    return product(a, out, edge);
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
