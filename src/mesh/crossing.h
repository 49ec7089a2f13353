/* SPDX-License-Identifier: MIT
 * Where lines along x cross triangles, without cracks: seen along x, a triangle covers a point
 * (y, z) by the sum over its edges of what each edge alone decides, and an edge decides the same
 * for both triangles that share it. So the crossings of a closed surface always cancel.
 */
#ifndef LIMBER_CROSSING_H
#define LIMBER_CROSSING_H

#include "math/vec3.h"

/* Does the edge a -> b cross the half line from (y, z) towards +y: +1 upwards in z, -1 downwards.
 * The lower end is always taken first, so that a -> b and b -> a round alike. */
static inline int crossing_edge(lim_point a, lim_point b, double y, double z) {
    bool a_above = a.z > z, b_above = b.z > z;
    if (a_above == b_above) {
        return 0;
    }
    lim_point low = b_above ? a : b, high = b_above ? b : a;
    double side = (high.y - low.y) * (z - low.z) - (high.z - low.z) * (y - low.y);
    return side > 0.0 ? (b_above ? 1 : -1) : 0;
}

/* +1: the line leaves through the triangle (its normal has a positive x), -1: it enters, 0: it
 * passes by. *out_x is where. */
static inline int crossing_triangle(lim_point a, lim_point b, lim_point c, double y, double z,
                                    double* out_x) {
    int sign = crossing_edge(a, b, y, z) + crossing_edge(b, c, y, z) + crossing_edge(c, a, y, z);
    if (sign != 0) {
        lim_point n = p3_cross(p3_sub(b, a), p3_sub(c, a));
        double low = a.x < b.x ? a.x : b.x, high = a.x > b.x ? a.x : b.x;
        low = low < c.x ? low : c.x;
        high = high > c.x ? high : c.x;
        double x = a.x - (n.y * (y - a.y) + n.z * (z - a.z)) / n.x;
        x = x > low ? x : low; /* a triangle seen edge-on gives NaN or far off: its own range */
        *out_x = x < high ? x : high;
    }
    return sign;
}

#endif
