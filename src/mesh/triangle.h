/* SPDX-License-Identifier: MIT
 * One triangle: nearest point, ray. In double, for any triangle, also one without an area.
 */
#ifndef LIMBER_TRIANGLE_H
#define LIMBER_TRIANGLE_H

#include "math/vec3.h"

static inline lim_point triangle_point_at(lim_point a, lim_point b, lim_point c,
                                          const double weights[3]) {
    return p3_mad(p3_mad(p3_scale(a, weights[0]), b, weights[1]), c, weights[2]);
}

/* Share of the way from a to b at which p is nearest, in 0..1. */
static inline double triangle_edge_share(lim_point a, lim_point b, lim_point p) {
    lim_point e = p3_sub(b, a);
    double length = p3_dot(e, e);
    double share = length > 0.0 ? p3_dot(p3_sub(p, a), e) / length : 0.0;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

/* Squared distance of p to the triangle, and where. First the plane: when the foot of p lies over
 * all three edges it is the answer; else the nearest of the three edges. */
static inline double triangle_closest(lim_point a, lim_point b, lim_point c, lim_point p,
                                      double weights[3]) {
    lim_point u = p3_sub(b, a), v = p3_sub(c, a), w = p3_sub(p, a);
    lim_point n = p3_cross(u, v);
    double nn = p3_dot(n, n);
    if (nn > 0.0) {
        double wb = p3_dot(p3_cross(w, v), n) / nn, wc = p3_dot(p3_cross(u, w), n) / nn;
        if (wb >= 0.0 && wc >= 0.0 && wb + wc <= 1.0) {
            weights[0] = 1.0 - wb - wc;
            weights[1] = wb;
            weights[2] = wc;
            double height = p3_dot(w, n);
            return height * height / nn;
        }
    }
    const lim_point corner[3] = {a, b, c};
    double best = INFINITY;
    weights[0] = 1.0; /* what a NaN would leave */
    weights[1] = weights[2] = 0.0;
    for (int k = 0; k < 3; ++k) {
        int next = k == 2 ? 0 : k + 1;
        double share = triangle_edge_share(corner[k], corner[next], p);
        lim_point d = p3_sub(p3_mad(corner[k], p3_sub(corner[next], corner[k]), share), p);
        double distance = p3_dot(d, d);
        if (distance < best) {
            best = distance;
            weights[k] = 1.0 - share;
            weights[next] = share;
            weights[k == 0 ? 2 : k - 1] = 0.0;
        }
    }
    return best;
}

/* Both sides count (Moeller, Trumbore 1997). A ray in the plane of the triangle does not hit. */
static inline bool triangle_ray(lim_point a, lim_point b, lim_point c, lim_point from,
                                lim_point direction, double weights[3], double* out_t) {
    lim_point u = p3_sub(b, a), v = p3_sub(c, a);
    lim_point q = p3_cross(direction, v);
    double det = p3_dot(u, q);
    if (det == 0.0) {
        return false;
    }
    lim_point s = p3_sub(from, a);
    double wb = p3_dot(s, q) / det;
    lim_point r = p3_cross(s, u);
    double wc = p3_dot(direction, r) / det;
    double t = p3_dot(v, r) / det;
    /* A hair's breadth of tolerance closes the cracks between neighbours. */
    const double slack = -1e-9;
    if (!(wb >= slack && wc >= slack && 1.0 - wb - wc >= slack && t >= 0.0)) {
        return false;
    }
    weights[0] = 1.0 - wb - wc;
    weights[1] = wb;
    weights[2] = wc;
    *out_t = t;
    return true;
}

#endif
