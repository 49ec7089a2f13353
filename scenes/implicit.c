/* SPDX-License-Identifier: MIT
 *
 * The field of a shape. In: a list of parts. Out: value, gradient, colour and bounds.
 *
 * Each part has a distance-like function (exact for capsules of one radius, boxes and tori; first
 * order for ellipsoids: |p/r| (|p/r| - 1) / |p/r^2|). Parts are folded in list order with the cubic
 * smooth minimum min(a, b) - k h^3 / 6, h = max(k - |a - b|, 0) / k, which has two continuous
 * derivatives, so that normals of blends are smooth as well. Rough parts then move the surface in
 * and out by noise.
 */
#include "implicit.h"

#include "base/hash.h"

#define NOTHING 1e9 /* the value of a shape without parts */

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double clamp01(double x) {
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

implicit_part* implicit_add(implicit_shape* shape, implicit_kind kind, lim_point a, lim_point size,
                            double blend, const float rgb[3]) {
    if (shape->count == IMPLICIT_PART_LIMIT) {
        return &shape->part[shape->count - 1];
    }
    implicit_part* part = &shape->part[shape->count++];
    *part = (implicit_part){.kind = kind,
                            .role = IMPLICIT_ADD,
                            .a = a,
                            .b = a,
                            .size = size,
                            .blend = blend,
                            .turn = dquat_identity(),
                            .centre = a,
                            .rgb = {rgb[0], rgb[1], rgb[2]}};
    part->reach = kind == IMPLICIT_TORUS ? size.x + size.y
                  : kind == IMPLICIT_BOX ? p3_length(size)
                                         : larger(size.x, larger(size.y, size.z));
    return part;
}

implicit_part* implicit_capsule(implicit_shape* shape, lim_point a, lim_point b, double radius_a,
                                double radius_b, double blend, const float rgb[3]) {
    implicit_part* part =
        implicit_add(shape, IMPLICIT_CAPSULE, a, p3(radius_a, radius_b, 0), blend, rgb);
    part->b = b;
    part->centre = p3_scale(p3_add(a, b), 0.5);
    part->reach += 0.5 * p3_length(p3_sub(b, a));
    return part;
}

static double ellipsoid_value(lim_point p, lim_point r) {
    lim_point q = p3(p.x / r.x, p.y / r.y, p.z / r.z);
    lim_point g = p3(q.x / r.x, q.y / r.y, q.z / r.z);
    double steep = p3_length(g);
    double least = smaller(r.x, smaller(r.y, r.z));
    double k = p3_length(q);
    /* At the very centre the quotient is 0 / 0; its value there is -least. Far from a thin
     * ellipsoid it falls below the distance to the surrounding ball, which is then the better
     * bound. */
    double value = steep > 1e-9 / least ? k * (k - 1.0) / steep : -least;
    return larger(value, p3_length(p) - larger(r.x, larger(r.y, r.z)));
}

static double capsule_value(lim_point p, const implicit_part* part) {
    lim_point axis = p3_sub(part->b, part->a), from = p3_sub(p, part->a);
    double length2 = p3_dot(axis, axis);
    double t = length2 > 0.0 ? clamp01(p3_dot(from, axis) / length2) : 0.0;
    double radius = part->size.x + (part->size.y - part->size.x) * t;
    return p3_length(p3_mad(from, axis, -t)) - radius;
}

static double box_value(lim_point p, lim_point half, double round) {
    lim_point d =
        p3(fabs(p.x) - half.x + round, fabs(p.y) - half.y + round, fabs(p.z) - half.z + round);
    lim_point out = p3(larger(d.x, 0.0), larger(d.y, 0.0), larger(d.z, 0.0));
    return p3_length(out) + smaller(larger(d.x, larger(d.y, d.z)), 0.0) - round;
}

static double torus_value(lim_point p, lim_point size) {
    double ring = sqrt(p.x * p.x + p.z * p.z) - size.x;
    return sqrt(ring * ring + p.y * p.y) - size.y;
}

static double part_value(const implicit_part* part, lim_point at) {
    if (part->kind == IMPLICIT_CAPSULE) {
        return capsule_value(at, part);
    }
    lim_point p = dquat_rotate(dquat_conjugate(part->turn), p3_sub(at, part->a));
    switch (part->kind) {
    case IMPLICIT_BOX:
        return box_value(p, part->size, part->round);
    case IMPLICIT_TORUS:
        return torus_value(p, part->size);
    default:
        return ellipsoid_value(p, part->size);
    }
}

static double smooth_min(double a, double b, double k) {
    double low = smaller(a, b);
    if (!(k > 0.0)) {
        return low;
    }
    double h = larger(k - fabs(a - b), 0.0) / k;
    return low - h * h * h * k / 6.0;
}

/* A number from -1 to 1 for each corner of a grid. */
static double corner_noise(const int64_t at[3]) {
    uint64_t h = hash_mix((uint64_t)at[0]);
    h = hash_mix(h ^ (uint64_t)at[1]);
    h = hash_mix(h ^ (uint64_t)at[2]);
    return (double)(h >> 40) / 8388607.5 - 1.0;
}

/* Value noise: corners joined by 6 t^5 - 15 t^4 + 10 t^3, which has two continuous derivatives. */
static double noise(lim_point p) {
    const double at[3] = {p.x, p.y, p.z};
    int64_t low[3];
    double s[3];
    for (int k = 0; k < 3; ++k) {
        double whole = floor(at[k]), t = at[k] - whole;
        low[k] = (int64_t)whole;
        s[k] = t * t * t * (t * (6.0 * t - 15.0) + 10.0);
    }
    double sum = 0.0;
    for (int c = 0; c < 8; ++c) {
        double weight = 1.0;
        int64_t corner[3];
        for (int k = 0; k < 3; ++k) {
            int upper = c >> k & 1;
            corner[k] = low[k] + upper;
            weight *= upper ? s[k] : 1.0 - s[k];
        }
        sum += weight * corner_noise(corner);
    }
    return sum;
}

/* How far the surface is pushed out, smoothly less towards the border of the part. */
static double roughness(const implicit_part* part, lim_point at) {
    double t = clamp01(0.5 - part_value(part, at) / larger(part->blend, 1e-6));
    if (!(t > 0.0)) {
        return 0.0;
    }
    lim_point p = p3(at.x * part->b.x, at.y * part->b.y, at.z * part->b.z);
    return part->round * t * t * (3.0 - 2.0 * t) * noise(p);
}

/* True when the part's value is at least `limit`, told by the ball around it. */
static bool is_beyond(const implicit_part* part, lim_point at, double limit) {
    lim_point d = p3_sub(at, part->centre);
    double far = limit + part->reach;
    return far <= 0.0 || p3_dot(d, d) >= far * far;
}

/* What a part makes of the value of those before it. */
static double fold(const implicit_part* part, lim_point at, double value) {
    if (part->role == IMPLICIT_ROUGH) {
        return value - roughness(part, at);
    }
    double other = part->role == IMPLICIT_CARVE ? -value : value;
    if (part->role == IMPLICIT_PAINT || is_beyond(part, at, other + part->blend)) {
        return value; /* the smooth minimum would leave it as it is */
    }
    double joined = smooth_min(other, part_value(part, at), part->blend);
    return part->role == IMPLICIT_CARVE ? -joined : joined;
}

void implicit_near_find(const implicit_shape* shape, lim_point middle, double radius,
                        implicit_near* out) {
    *out = (implicit_near){.shape = shape, .middle = middle, .radius = radius};
    double value = NOTHING;
    for (int32_t i = 0; i < shape->count; ++i) {
        const implicit_part* part = &shape->part[i];
        /* Beyond this a rough part pushes nothing out, and any other leaves the value as it is. */
        double limit = part->role == IMPLICIT_ROUGH
                           ? 0.5 * part->blend
                           : (part->role == IMPLICIT_CARVE ? -value : value) + part->blend;
        if (part->role != IMPLICIT_PAINT &&
            !is_beyond(part, middle,
                       larger(limit, -part->reach) + (1.0 + IMPLICIT_STEEPEST) * radius)) {
            out->part[out->count++] = (uint8_t)i;
        }
        value = fold(part, middle, value);
    }
}

double implicit_near_value(const implicit_near* near, lim_point at) {
    double value = NOTHING;
    for (int32_t i = 0; i < near->count; ++i) {
        value = fold(&near->shape->part[near->part[i]], at, value);
    }
    return value;
}

lim_point implicit_near_gradient(const implicit_near* near, lim_point at, double h) {
    double s = 0.5 / h;
    return p3((implicit_near_value(near, p3(at.x + h, at.y, at.z)) -
               implicit_near_value(near, p3(at.x - h, at.y, at.z))) *
                  s,
              (implicit_near_value(near, p3(at.x, at.y + h, at.z)) -
               implicit_near_value(near, p3(at.x, at.y - h, at.z))) *
                  s,
              (implicit_near_value(near, p3(at.x, at.y, at.z + h)) -
               implicit_near_value(near, p3(at.x, at.y, at.z - h))) *
                  s);
}

void implicit_colour(const implicit_shape* shape, lim_point at, float out_rgb[3]) {
    /* Parts are weighted by how much nearer they are than the others, over a narrow band. */
    double nearest = 1e9;
    for (int32_t i = 0; i < shape->count; ++i) {
        if (shape->part[i].role == IMPLICIT_ADD) {
            nearest = smaller(nearest, part_value(&shape->part[i], at));
        }
    }
    double rgb[3] = {0, 0, 0}, sum = 0.0;
    for (int32_t i = 0; i < shape->count; ++i) {
        const implicit_part* part = &shape->part[i];
        if (part->role != IMPLICIT_ADD) {
            continue;
        }
        double band = larger(0.25 * part->blend, 1e-3);
        double w = larger(1.0 - (part_value(part, at) - nearest) / band, 0.0);
        for (int c = 0; c < 3; ++c) {
            rgb[c] += w * (double)part->rgb[c];
        }
        sum += w;
    }
    for (int c = 0; c < 3; ++c) {
        rgb[c] = sum > 0.0 ? rgb[c] / sum : 0.5;
    }
    for (int32_t i = 0; i < shape->count; ++i) {
        const implicit_part* part = &shape->part[i];
        if (part->role != IMPLICIT_PAINT) {
            continue;
        }
        double w = clamp01(0.5 - part_value(part, at) / larger(part->blend, 1e-6));
        for (int c = 0; c < 3; ++c) {
            rgb[c] += w * ((double)part->rgb[c] - rgb[c]);
        }
    }
    for (int c = 0; c < 3; ++c) {
        out_rgb[c] = (float)rgb[c];
    }
}

lim_box implicit_bounds(const implicit_shape* shape) {
    lim_box box = {{1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}};
    double bumps = 0.0;
    for (int32_t i = 0; i < shape->count; ++i) {
        bumps += shape->part[i].role == IMPLICIT_ROUGH ? shape->part[i].round : 0.0;
    }
    for (int32_t i = 0; i < shape->count; ++i) {
        const implicit_part* part = &shape->part[i];
        if (part->role != IMPLICIT_ADD) {
            continue;
        }
        lim_point reach;
        if (part->kind == IMPLICIT_CAPSULE) {
            double r = larger(part->size.x, part->size.y);
            reach = p3(r, r, r);
        } else {
            /* The turned box of the part: |M| times its half extents. */
            lim_point half = part->size;
            if (part->kind == IMPLICIT_TORUS) {
                half = p3(half.x + half.y, half.y, half.x + half.y);
            }
            dmat3 m = dquat_matrix(part->turn);
            reach = p3(fabs(m.m[0]) * half.x + fabs(m.m[1]) * half.y + fabs(m.m[2]) * half.z,
                       fabs(m.m[3]) * half.x + fabs(m.m[4]) * half.y + fabs(m.m[5]) * half.z,
                       fabs(m.m[6]) * half.x + fabs(m.m[7]) * half.y + fabs(m.m[8]) * half.z);
        }
        /* A blend swells the union by at most k/6 per fold. */
        double swell = part->blend / 6.0 + bumps;
        reach = p3_add(reach, p3(swell, swell, swell));
        box.lower = p3_min(box.lower, p3_min(p3_sub(part->a, reach), p3_sub(part->b, reach)));
        box.upper = p3_max(box.upper, p3_max(p3_add(part->a, reach), p3_add(part->b, reach)));
    }
    return box;
}
