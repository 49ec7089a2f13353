/* SPDX-License-Identifier: MIT
 * Quaternions (x, y, z, w) in double, for frames and offline work; the regions' live in simd code.
 */
#ifndef LIMBER_QUAT_H
#define LIMBER_QUAT_H

#include "math/mat3.h"

typedef struct dquat {
    double x, y, z, w;
} dquat;

static inline dquat dquat_identity(void) {
    return (dquat){0, 0, 0, 1};
}
/* Unit quaternion; the identity for a zero or non-finite one. */
static inline dquat dquat_unit(dquat q) {
    double n = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(n > 1e-60) || !isfinite(n)) {
        return dquat_identity();
    }
    double s = 1.0 / sqrt(n);
    return (dquat){q.x * s, q.y * s, q.z * s, q.w * s};
}
static inline dquat dquat_of(lim_quat q) {
    return dquat_unit((dquat){(double)q.x, (double)q.y, (double)q.z, (double)q.w});
}
static inline lim_quat quat_of(dquat q) {
    return (lim_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}
static inline dquat dquat_mul(dquat a, dquat b) {
    return (dquat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                   a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline dquat dquat_conjugate(dquat q) {
    return (dquat){-q.x, -q.y, -q.z, q.w};
}
static inline dmat3 dquat_matrix(dquat q) {
    double x = q.x, y = q.y, z = q.z, w = q.w;
    return (dmat3){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}
/* The quaternion of a rotation matrix, from its largest component (no division by something small).
 */
static inline dquat dquat_of_matrix(const dmat3* r) {
    const double* m = r->m;
    const double four[4] = {1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8],
                            1 + m[0] + m[4] + m[8]};
    int largest = 3;
    for (int k = 0; k < 3; ++k) {
        largest = four[k] > four[largest] ? k : largest;
    }
    switch (largest) {
    case 0:
        return dquat_unit((dquat){four[0], m[1] + m[3], m[2] + m[6], m[7] - m[5]});
    case 1:
        return dquat_unit((dquat){m[1] + m[3], four[1], m[5] + m[7], m[2] - m[6]});
    case 2:
        return dquat_unit((dquat){m[2] + m[6], m[5] + m[7], four[2], m[3] - m[1]});
    default:
        return dquat_unit((dquat){m[7] - m[5], m[2] - m[6], m[3] - m[1], four[3]});
    }
}
static inline lim_point dquat_rotate(dquat q, lim_point p) {
    lim_point u = p3(q.x, q.y, q.z);
    lim_point t = p3_scale(p3_cross(u, p), 2.0);
    return p3_add(p3_mad(p, t, q.w), p3_cross(u, t));
}

#endif
