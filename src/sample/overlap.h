/* SPDX-License-Identifier: MIT
 * A triangle and an axis-aligned cube: do they overlap, and how much of the triangle is inside.
 */
#ifndef LIMBER_OVERLAP_H
#define LIMBER_OVERLAP_H

#include "math/vec3.h"

/* A triangle with what the overlap test needs of it. */
typedef struct overlap_triangle {
    lim_point p[3], edge[3], normal;
    lim_point lower, upper;
} overlap_triangle;

static inline overlap_triangle overlap_prepare(lim_point a, lim_point b, lim_point c) {
    return (overlap_triangle){.p = {a, b, c},
                              .edge = {p3_sub(b, a), p3_sub(c, b), p3_sub(a, c)},
                              .normal = p3_cross(p3_sub(b, a), p3_sub(c, b)),
                              .lower = p3_min(p3_min(a, b), c),
                              .upper = p3_max(p3_max(a, b), c)};
}

/* Are the projections on axis (ay, az) of some coordinate plane apart? y and z stand for any two
 * coordinates in turn; half is half the cube's edge. */
static inline bool overlap_apart(double ay, double az, double y0, double z0, double y1, double z1,
                                 double half) {
    double a = ay * y0 + az * z0, b = ay * y1 + az * z1;
    double reach = half * (fabs(ay) + fabs(az));
    return (a > reach && b > reach) || (a < -reach && b < -reach);
}

/* Separating axes (Akenine-Moeller 2001): 3 box normals, the triangle's normal, 9 cross products.
 * Touching counts; `half` should be a little too large, to cover rounding. */
static inline bool overlap_cube(const overlap_triangle* t, lim_point centre, double half) {
    if (t->lower.x > centre.x + half || t->upper.x < centre.x - half ||
        t->lower.y > centre.y + half || t->upper.y < centre.y - half ||
        t->lower.z > centre.z + half || t->upper.z < centre.z - half) {
        return false;
    }
    lim_point v[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = p3_sub(t->p[k], centre);
    }
    double reach = half * (fabs(t->normal.x) + fabs(t->normal.y) + fabs(t->normal.z));
    if (fabs(p3_dot(t->normal, v[0])) > reach) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        /* Both ends of an edge project to one number: this corner and the opposite one suffice. */
        lim_point e = t->edge[k], a = v[k], b = v[k == 0 ? 2 : k - 1];
        if (overlap_apart(-e.z, e.y, a.y, a.z, b.y, b.z, half) ||
            overlap_apart(e.z, -e.x, a.x, a.z, b.x, b.z, half) ||
            overlap_apart(-e.y, e.x, a.x, a.y, b.x, b.y, half)) {
            return false;
        }
    }
    return true;
}

/* What all sub-voxels of a triangle share: the interval of projections, made longer by what a cube
 * reaches, on each axis that separates. */
typedef struct overlap_axis {
    double u, v; /* its components that are not 0 */
    double low, high;
} overlap_axis;
typedef struct overlap_axes {
    overlap_axis along[3][3]; /* crosses of the coordinate axes and the edges: along[x] in (y, z) */
    lim_point normal;
    double low, high; /* of the normal */
} overlap_axes;

static inline overlap_axis overlap_axis_of(double u, double v, double a_u, double a_v, double b_u,
                                           double b_v, double half) {
    double a = u * a_u + v * a_v, b = u * b_u + v * b_v, reach = half * (fabs(u) + fabs(v));
    return (overlap_axis){u, v, (a < b ? a : b) - reach, (a < b ? b : a) + reach};
}

static inline overlap_axes overlap_axes_of(const overlap_triangle* t, double half) {
    overlap_axes out = {.normal = t->normal};
    double reach = half * (fabs(t->normal.x) + fabs(t->normal.y) + fabs(t->normal.z));
    double middle = p3_dot(t->normal, t->p[0]);
    out.low = middle - reach;
    out.high = middle + reach;
    for (int k = 0; k < 3; ++k) {
        lim_point e = t->edge[k], a = t->p[k], b = t->p[k == 0 ? 2 : k - 1];
        out.along[0][k] = overlap_axis_of(-e.z, e.y, a.y, a.z, b.y, b.z, half);
        out.along[1][k] = overlap_axis_of(e.z, -e.x, a.x, a.z, b.x, b.z, half);
        out.along[2][k] = overlap_axis_of(-e.y, e.x, a.x, a.y, b.x, b.y, half);
    }
    return out;
}

/* Of a block of 4^3 cubes of edge 1: the first and last along each axis that the triangle's bounds
 * reach; first > last: none. */
typedef struct overlap_range {
    int first[3], last[3];
} overlap_range;

static inline overlap_range overlap_range_of(const overlap_triangle* t, lim_point low,
                                             double half) {
    const double from[3] = {t->lower.x - low.x, t->lower.y - low.y, t->lower.z - low.z};
    const double to[3] = {t->upper.x - low.x, t->upper.y - low.y, t->upper.z - low.z};
    overlap_range r = {{0, 0, 0}, {3, 3, 3}};
    for (int axis = 0; axis < 3; ++axis) {
        while (r.first[axis] < 4 && from[axis] > (double)r.first[axis] + 0.5 + half) {
            r.first[axis]++;
        }
        while (r.last[axis] >= 0 && to[axis] < (double)r.last[axis] + 0.5 - half) {
            r.last[axis]--;
        }
    }
    return r;
}

/* Bit u + 4 v, in the range along two axes: none of three axes separates where the projection of a
 * cube's centre is (low_u + u + 1/2, low_v + v + 1/2). */
static inline uint32_t overlap_square(const overlap_axis axis[3], const overlap_range* r, int of_u,
                                      int of_v, double low_u, double low_v) {
    uint32_t bits = 0;
    for (int v = r->first[of_v]; v <= r->last[of_v]; ++v) {
        double at_v = low_v + 0.5 + (double)v;
        double row[3] = {axis[0].v * at_v, axis[1].v * at_v, axis[2].v * at_v};
        for (int u = r->first[of_u]; u <= r->last[of_u]; ++u) {
            double at_u = low_u + 0.5 + (double)u;
            uint32_t in = 1;
            for (int k = 0; k < 3; ++k) {
                double at = axis[k].u * at_u + row[k];
                in &= (uint32_t)(at >= axis[k].low) & (uint32_t)(at <= axis[k].high);
            }
            bits |= in << (u + 4 * v);
        }
    }
    return bits;
}

/* The cubes of edge 1 of a block of 4^3 with this lower corner that the triangle overlaps, as
 * overlap_cube tells but for rounding: bit x + 4 y + 16 z. `half` as in overlap_axes_of. */
static inline uint64_t overlap_block(const overlap_triangle* t, const overlap_axes* axes,
                                     lim_point low, double half) {
    overlap_range r = overlap_range_of(t, low, half);
    uint64_t found = 0;
    uint32_t yz = overlap_square(axes->along[0], &r, 1, 2, low.y, low.z);
    uint32_t xz = overlap_square(axes->along[1], &r, 0, 2, low.x, low.z);
    uint32_t xy = overlap_square(axes->along[2], &r, 0, 1, low.x, low.y);
    for (int z = r.first[2]; z <= r.last[2]; ++z) {
        for (int y = r.first[1]; y <= r.last[1]; ++y) {
            int row = y + 4 * z;
            uint32_t x = (yz >> row & 1) != 0 ? xz >> (4 * z) & xy >> (4 * y) & 15 : 0;
            lim_point at = p3(low.x + 0.5, low.y + 0.5 + (double)y, low.z + 0.5 + (double)z);
            double side = x != 0 ? p3_dot(axes->normal, at) : 0.0;
            for (int i = 0; x >> i != 0; ++i, side += axes->normal.x) {
                bool in_slab = side >= axes->low && side <= axes->high;
                found |= (uint64_t)((x >> i & 1) != 0 && in_slab) << (4 * row + i);
            }
        }
    }
    return found;
}

/* Area and centre of area of the part of a triangle in a box, by cutting it with the six planes
 * (Sutherland, Hodgman 1974). */
static inline double overlap_area(const lim_point triangle[3], lim_point lower, lim_point upper,
                                  lim_point* out_centre) {
    lim_point polygon[2][12];
    int count = 3, from = 0;
    for (int k = 0; k < 3; ++k) {
        polygon[0][k] = triangle[k];
    }
    const double low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
    for (int plane = 0; plane < 6; ++plane) {
        int axis = plane / 2, kept = 0;
        for (int i = 0; i < count; ++i) {
            lim_point a = polygon[from][i], b = polygon[from][i + 1 < count ? i + 1 : 0];
            double pa = axis == 0 ? a.x : axis == 1 ? a.y : a.z;
            double pb = axis == 0 ? b.x : axis == 1 ? b.y : b.z;
            double da = plane % 2 == 0 ? pa - low[axis] : high[axis] - pa;
            double db = plane % 2 == 0 ? pb - low[axis] : high[axis] - pb;
            if (da >= 0.0 && kept < 12) {
                polygon[1 - from][kept++] = a;
            }
            if ((da < 0.0) != (db < 0.0) && kept < 12) {
                polygon[1 - from][kept++] = p3_mad(a, p3_sub(b, a), da / (da - db));
            }
        }
        from = 1 - from;
        count = kept;
    }
    double area = 0.0;
    lim_point sum = p3(0, 0, 0);
    for (int i = 2; i < count; ++i) {
        lim_point a = polygon[from][0], b = polygon[from][i - 1], c = polygon[from][i];
        double part = 0.5 * p3_length(p3_cross(p3_sub(b, a), p3_sub(c, a)));
        area += part;
        sum = p3_mad(sum, p3_add(p3_add(a, b), c), part / 3.0);
    }
    *out_centre = area > 0.0 ? p3_scale(sum, 1.0 / area) : triangle[0];
    return area;
}

#endif
