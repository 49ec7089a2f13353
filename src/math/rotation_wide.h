/* SPDX-License-Identifier: MIT
 * Rotations of 8 matrices at a time, warm started: one step of Newton's method on the quaternion
 * towards the proper rotation R that maximises tr(R^T A) (the polar factor when det A > 0), after
 * Kugelstadt, Koschier and Bender 2018, with a safeguard of our own.
 *
 * With B = R^T A and R exp[omega] in place of R, tr(R^T A) grows by g.omega - omega.H omega / 2
 * where g = (B21 - B12, B02 - B20, B10 - B01),   H = tr(B) I - S,   S = (B + B^T)/2. Newton's step
 * is omega = (H + shift I)^-1 g; the shift only damps it (Levenberg, Marquardt), so the fixed point
 * stays the exact factor, and a twist that A leaves undetermined stays as it is. Where H + shift I
 * is not safely positive (more than a right angle away; inverted and nearly ambiguous; collinear)
 * tr(B) is replaced by 33/32 |A|, which makes the matrix positive for every R because |S| <= |B| =
 * |A|: still uphill, still the same fixed points, and away from a saddle the error grows about
 * threefold per step, against 1.7 for the plain gradient step.
 *
 * Exact at rest: A symmetric to the bit and q = (0, 0, 0, 1) leave q as it is. Also a stationary
 * point that is no maximum (a turn by exactly 180 degrees) is one: cold starts use rotation_cold.
 */
#ifndef LIMBER_ROTATION_WIDE_H
#define LIMBER_ROTATION_WIDE_H

#include "base/simd.h"

/* R - I, row major, without forming 1 - 1: small rotations keep their digits. */
static inline void rotation_matrix_minus_identity(const fw q[4], fw N[9]) {
    fw x2 = fw_add(q[0], q[0]), y2 = fw_add(q[1], q[1]), z2 = fw_add(q[2], q[2]);
    fw xx = fw_mul(q[0], x2), yy = fw_mul(q[1], y2), zz = fw_mul(q[2], z2);
    fw xy = fw_mul(q[0], y2), xz = fw_mul(q[0], z2), yz = fw_mul(q[1], z2);
    fw wx = fw_mul(q[3], x2), wy = fw_mul(q[3], y2), wz = fw_mul(q[3], z2);
    N[0] = fw_neg(fw_add(yy, zz));
    N[1] = fw_sub(xy, wz);
    N[2] = fw_add(xz, wy);
    N[3] = fw_add(xy, wz);
    N[4] = fw_neg(fw_add(xx, zz));
    N[5] = fw_sub(yz, wx);
    N[6] = fw_sub(xz, wy);
    N[7] = fw_add(yz, wx);
    N[8] = fw_neg(fw_add(xx, yy));
}

/* Dot product of three. */
static inline fw rotation_dot(fw ax, fw ay, fw az, fw bx, fw by, fw bz) {
    return fw_add(fw_add(fw_mul(ax, bx), fw_mul(ay, by)), fw_mul(az, bz));
}

/* A symmetric matrix M by its cofactors and determinant. */
typedef struct rotation_cofactors {
    fw xx, yy, zz, xy, xz, yz, det;
} rotation_cofactors;

/* M has the diagonal m and, off it, the entries s (xy, xz, yz) with the other sign. */
static inline rotation_cofactors rotation_invert(const fw m[3], const fw s[3]) {
    rotation_cofactors c;
    c.xx = fw_sub(fw_mul(m[1], m[2]), fw_mul(s[2], s[2]));
    c.yy = fw_sub(fw_mul(m[0], m[2]), fw_mul(s[1], s[1]));
    c.zz = fw_sub(fw_mul(m[0], m[1]), fw_mul(s[0], s[0]));
    c.xy = fw_add(fw_mul(s[1], s[2]), fw_mul(s[0], m[2]));
    c.xz = fw_add(fw_mul(s[0], s[2]), fw_mul(s[1], m[1]));
    c.yz = fw_add(fw_mul(s[0], s[1]), fw_mul(s[2], m[0]));
    c.det = fw_sub(fw_mul(m[0], c.xx), fw_add(fw_mul(s[0], c.xy), fw_mul(s[1], c.xz)));
    return c;
}

/* A matrix made ready for steps: what does not depend on q. */
typedef struct rotation_scaled {
    fw a[9];   /* A, its largest entry about 1 */
    fw shift;  /* in the units of a */
    fw size;   /* |a| */
    fw margin; /* 1e-4 |a|^3 */
} rotation_scaled;

/* Scales so that the largest entry is about 1: products of three neither overflow nor vanish. The
 * floor keeps the inverse finite; a zero matrix stays zero. */
KERNEL_INLINE rotation_scaled rotation_scale(const fw A[9], fw shift) {
    rotation_scaled m;
    fw largest = fw_abs(A[0]);
    for (int i = 1; i < 9; ++i) {
        largest = fw_max(fw_abs(A[i]), largest);
    }
    fw scale = fw_div(fw_set1(1.0f), fw_max(largest, fw_set1(0x1p-126f)));
    fw size2 = fw_zero();
    for (int i = 0; i < 9; ++i) {
        m.a[i] = fw_mul(A[i], scale);
        size2 = fw_add(size2, fw_mul(m.a[i], m.a[i]));
    }
    m.shift = fw_mul(shift, scale);
    m.size = fw_sqrt(size2);
    m.margin = fw_mul(fw_set1(1e-4f), fw_mul(size2, m.size));
    return m;
}

/* One step of rotation_newton for a matrix made ready. */
KERNEL_INLINE void rotation_step(const rotation_scaled* ready, fw q[4]) {
    const fw* a = ready->a;
    fw one = fw_set1(1.0f);
    fw r[9], b[9];
    rotation_matrix_minus_identity(q, r);
    r[0] = fw_add(r[0], one);
    r[4] = fw_add(r[4], one);
    r[8] = fw_add(r[8], one);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            b[3 * i + j] = rotation_dot(r[i], r[3 + i], r[6 + i], a[j], a[3 + j], a[6 + j]);
        }
    }
    fw gx = fw_sub(b[7], b[5]), gy = fw_sub(b[2], b[6]), gz = fw_sub(b[3], b[1]);
    fw half = fw_set1(0.5f);
    fw off[3] = {fw_mul(half, fw_add(b[1], b[3])), fw_mul(half, fw_add(b[2], b[6])),
                 fw_mul(half, fw_add(b[5], b[7]))};

    /* M = H + shift I. Is it positive? By its minors, the last with a margin: below it rounding in
     * g would move q by more than 1e-3. The branch saves time only: lanes are chosen one by one. */
    fw b8 = fw_add(b[8], ready->shift);
    fw m[3] = {fw_add(b[4], b8), fw_add(b[0], b8), fw_add(fw_add(b[0], b[4]), ready->shift)};
    rotation_cofactors c = rotation_invert(m, off);
    mw safe =
        mw_and(mw_and(fw_gt(m[0], fw_zero()), fw_gt(c.zz, fw_zero())), fw_gt(c.det, ready->margin));
    if (!mw_all(safe)) {
        fw t = fw_mul(fw_set1(1.03125f), ready->size);
        m[0] = fw_select(safe, m[0], fw_sub(t, b[0]));
        m[1] = fw_select(safe, m[1], fw_sub(t, b[4]));
        m[2] = fw_select(safe, m[2], fw_sub(t, b[8]));
        c = rotation_invert(m, off);
    }

    /* omega = adj(M) g / det M. The quaternion (omega/2, 1) is made as (o, w) = (adj(M) g / 2, det
     * M), which normalising makes the same; |omega| <= 1.5 by a lower bound on w (with the sum of
     * the parts, which is no shorter than the length). */
    gx = fw_mul(half, gx);
    gy = fw_mul(half, gy);
    gz = fw_mul(half, gz);
    fw ox = rotation_dot(c.xx, c.xy, c.xz, gx, gy, gz);
    fw oy = rotation_dot(c.xy, c.yy, c.yz, gx, gy, gz);
    fw oz = rotation_dot(c.xz, c.yz, c.zz, gx, gy, gz);
    fw sum = fw_add(fw_add(fw_abs(ox), fw_abs(oy)), fw_abs(oz));
    fw w = fw_max(c.det, fw_mul(sum, fw_set1(1.0f / 0.75f)));

    /* q (o, w) over its length, which is the product of the two lengths. Divided, not multiplied by
     * an inverse: at rest o = 0, the length is w to the bit, and w / w = 1. */
    fw n[4];
    n[0] = fw_add(fw_mul(q[0], w), rotation_dot(q[3], q[1], fw_neg(q[2]), ox, oz, oy));
    n[1] = fw_add(fw_mul(q[1], w), rotation_dot(q[3], q[2], fw_neg(q[0]), oy, ox, oz));
    n[2] = fw_add(fw_mul(q[2], w), rotation_dot(q[3], q[0], fw_neg(q[1]), oz, oy, ox));
    n[3] = fw_sub(fw_mul(q[3], w), rotation_dot(q[0], q[1], q[2], ox, oy, oz));
    fw q2 = fw_add(rotation_dot(q[0], q[1], q[2], q[0], q[1], q[2]), fw_mul(q[3], q[3]));
    fw length2 = fw_mul(q2, fw_add(rotation_dot(ox, oy, oz, ox, oy, oz), fw_mul(w, w)));
    fw length = fw_sqrt(length2);
    /* A zero matrix, one that is not finite, and one of the last denormals leave q alone. */
    mw use = mw_and(fw_gt(length2, fw_set1(1e-36f)), fw_lt(length2, fw_set1(1e36f)));
    for (int i = 0; i < 4; ++i) {
        q[i] = fw_select(use, fw_div(n[i], length), q[i]);
    }
}

/* One step: q (x, y, z, w; unit) towards the rotation of A (row major). Works at any scale of A;
 * `shift` >= 0 is in A's units. A lane whose A is zero or not finite keeps its q to the bit.
 * Several steps on one A are cheaper by rotation_scale once and rotation_step for each, with the
 * same bits.
 */
static inline void rotation_newton(const fw A[9], fw q[4], fw shift) {
    rotation_scaled ready = rotation_scale(A, shift);
    rotation_step(&ready, q);
}

#endif
