/* SPDX-License-Identifier: MIT
 * Job: pick triangles of a skin. In: positions, indices, a ray or a point. Out: triangle, weights,
 * distance. The ray test shears space so that the ray is an axis (Woop, Benthin, Wald, "Watertight
 * ray/triangle intersection", 2013): the edge functions of a shared edge are then exact negatives
 * of each other, and the inclusive test leaves no gap.
 */
#include "skin/query.h"

static lim_point corner(const float* positions, const uint32_t* indices, int32_t triangle, int k) {
    const float* p = positions + (size_t)indices[3 * (size_t)triangle + (size_t)k] * 3;
    return p3((double)p[0], (double)p[1], (double)p[2]);
}

/* The ray in sheared space: axes (x, y, z) permuted so that z is the longest of the direction. */
typedef struct sheared_ray {
    lim_point from;
    int axis; /* the longest: 0, 1, 2 */
    double x, y, z;
} sheared_ray;

static lim_point permute(lim_point p, int axis) {
    return axis == 0 ? p3(p.y, p.z, p.x) : axis == 1 ? p3(p.z, p.x, p.y) : p;
}

static lim_point shear(const sheared_ray* ray, lim_point p) {
    lim_point q = permute(p3_sub(p, ray->from), ray->axis);
    return p3(q.x - ray->x * q.z, q.y - ray->y * q.z, ray->z * q.z);
}

static bool ray_triangle(lim_point a, lim_point b, lim_point c, double weights[3], double* out_t) {
    double u = c.x * b.y - c.y * b.x;
    double v = a.x * c.y - a.y * c.x;
    double w = b.x * a.y - b.y * a.x;
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) {
        return false;
    }
    double sum = u + v + w;
    if (!(fabs(sum) > 0.0)) {
        return false; /* edge on, or not finite */
    }
    weights[0] = u / sum;
    weights[1] = v / sum;
    weights[2] = w / sum;
    *out_t = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
    return true;
}

static skin_hit hit_of(int32_t triangle, const double weights[3], double distance) {
    return (skin_hit){
        triangle, {(float)weights[0], (float)weights[1], (float)weights[2]}, distance};
}

skin_hit skin_ray(const float* positions, const uint32_t* indices, int32_t triangle_count,
                  lim_point from, lim_vec3 direction, double max_t) {
    skin_hit best = {.triangle = -1};
    lim_point d = p3_of(direction);
    int axis = fabs(d.x) >= fabs(d.y) && fabs(d.x) >= fabs(d.z) ? 0
               : fabs(d.y) >= fabs(d.z)                         ? 1
                                                                : 2;
    lim_point q = permute(d, axis);
    if (!(fabs(q.z) > 0.0) || !p3_finite(d) || !p3_finite(from)) {
        return best;
    }
    sheared_ray ray = {from, axis, q.x / q.z, q.y / q.z, 1.0 / q.z};
    for (int32_t i = 0; i < triangle_count; ++i) {
        double weights[3], t;
        if (ray_triangle(shear(&ray, corner(positions, indices, i, 0)),
                         shear(&ray, corner(positions, indices, i, 1)),
                         shear(&ray, corner(positions, indices, i, 2)), weights, &t) &&
            t >= 0.0 && t <= max_t && (best.triangle < 0 || t < best.distance)) {
            best = hit_of(i, weights, t);
        }
    }
    return best;
}

/* Nearest point of the segment a + s (b - a), 0 <= s <= 1. */
static double segment_nearest(lim_point a, lim_point b, lim_point to) {
    lim_point e = p3_sub(b, a);
    double length = p3_dot(e, e);
    double s = length > 0.0 ? p3_dot(p3_sub(to, a), e) / length : 0.0;
    return s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
}

/* Weights of the nearest point and its squared distance: the foot on the plane if it is inside,
 * else the nearest of the three edges. */
static double triangle_nearest(const lim_point p[3], lim_point to, double weights[3]) {
    lim_point e = p3_sub(p[1], p[0]), f = p3_sub(p[2], p[0]), r = p3_sub(to, p[0]);
    lim_point n = p3_cross(e, f);
    double area = p3_dot(n, n);
    if (area > 0.0) {
        double v = p3_dot(p3_cross(r, f), n) / area, w = p3_dot(p3_cross(e, r), n) / area;
        if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
            double height = p3_dot(r, n);
            weights[0] = 1.0 - v - w;
            weights[1] = v;
            weights[2] = w;
            return height * height / area;
        }
    }
    double best = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        double s = segment_nearest(p[k], p[next], to);
        lim_point gap = p3_sub(to, p3_mad(p[k], p3_sub(p[next], p[k]), s));
        double square = p3_dot(gap, gap);
        if (square < best) {
            best = square;
            weights[k] = 1.0 - s;
            weights[next] = s;
            weights[(k + 2) % 3] = 0.0;
        }
    }
    return best;
}

static double box_square(const lim_point p[3], lim_point to) {
    lim_point low = p3_min(p3_min(p[0], p[1]), p[2]), high = p3_max(p3_max(p[0], p[1]), p[2]);
    lim_point out = p3_max(p3_max(p3_sub(low, to), p3_sub(to, high)), p3(0, 0, 0));
    return p3_dot(out, out);
}

skin_hit skin_closest(const float* positions, const uint32_t* indices, int32_t triangle_count,
                      lim_point to, double max_distance) {
    skin_hit best = {.triangle = -1};
    double best_square = max_distance * max_distance;
    for (int32_t i = 0; i < triangle_count; ++i) {
        lim_point p[3] = {corner(positions, indices, i, 0), corner(positions, indices, i, 1),
                          corner(positions, indices, i, 2)};
        if (box_square(p, to) > best_square) {
            continue;
        }
        double weights[3] = {1, 0, 0};
        double square = triangle_nearest(p, to, weights);
        if (square < best_square || (best.triangle < 0 && square <= best_square)) {
            best_square = square;
            best = hit_of(i, weights, sqrt(square));
        }
    }
    return best;
}

lim_vec3 skin_triangle_normal(const float* positions, const uint32_t* indices, int32_t triangle) {
    lim_point a = corner(positions, indices, triangle, 0);
    lim_point n = p3_cross(p3_sub(corner(positions, indices, triangle, 1), a),
                           p3_sub(corner(positions, indices, triangle, 2), a));
    double length = p3_length(n);
    return length > 0.0 && isfinite(length) ? v3_of(p3_scale(n, 1.0 / length)) : v3(0, 0, 0);
}
