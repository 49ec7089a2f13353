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

/* Cofactors and determinant of M = t I - S. */
typedef struct rotation_inverse {
    fw xx, yy, zz, xy, xz, yz, det, mxx;
} rotation_inverse;

/* b gives the diagonal of S, then its three other entries and their products. */
static inline rotation_inverse rotation_invert(fw t, const fw b[9], fw xy, fw xz, fw yz, fw xy2,
                                               fw xz2, fw yz2, fw xy_xz, fw xy_yz, fw xz_yz) {
    rotation_inverse m;
    fw yy = fw_sub(t, b[4]), zz = fw_sub(t, b[8]);
    m.mxx = fw_sub(t, b[0]);
    m.xx = fw_sub(fw_mul(yy, zz), yz2);
    m.yy = fw_sub(fw_mul(m.mxx, zz), xz2);
    m.zz = fw_sub(fw_mul(m.mxx, yy), xy2);
    m.xy = fw_add(xz_yz, fw_mul(xy, zz));
    m.xz = fw_add(xy_yz, fw_mul(xz, yy));
    m.yz = fw_add(xy_xz, fw_mul(yz, m.mxx));
    m.det = fw_sub(fw_mul(m.mxx, m.xx), fw_add(fw_mul(xy, m.xy), fw_mul(xz, m.xz)));
    return m;
}

/* One step: q (x, y, z, w; unit) towards the rotation of A (row major). Works at any scale of A;
 * `shift` >= 0 is in A's units. A lane whose A is zero or not finite keeps its q to the bit. */
static inline void rotation_newton(const fw A[9], fw q[4], fw shift) {
    fw one = fw_set1(1.0f);

    /* Scale so that the largest entry is about 1: products of three neither overflow nor vanish.
     * The floor keeps the inverse finite; a zero matrix stays zero. */
    fw largest = fw_abs(A[0]);
    for (int i = 1; i < 9; ++i) {
        largest = fw_max(fw_abs(A[i]), largest);
    }
    fw scale = fw_div(one, fw_max(largest, fw_set1(0x1p-126f)));
    fw a[9], size2 = fw_zero();
    for (int i = 0; i < 9; ++i) {
        a[i] = fw_mul(A[i], scale);
        size2 = fw_add(size2, fw_mul(a[i], a[i]));
    }
    fw size = fw_sqrt(size2);

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
    fw xy = fw_mul(half, fw_add(b[1], b[3])), xz = fw_mul(half, fw_add(b[2], b[6]));
    fw yz = fw_mul(half, fw_add(b[5], b[7]));

    /* M = t I - S with t = tr B + shift, and its cofactors. (The off-diagonal entries of M are
     * those of S with the other sign.) */
    fw t = fw_add(fw_add(b[0], b[4]), fw_add(b[8], fw_mul(shift, scale)));
    fw xy2 = fw_mul(xy, xy), xz2 = fw_mul(xz, xz), yz2 = fw_mul(yz, yz);
    fw xy_xz = fw_mul(xy, xz), xy_yz = fw_mul(xy, yz), xz_yz = fw_mul(xz, yz);
    rotation_inverse m = rotation_invert(t, b, xy, xz, yz, xy2, xz2, yz2, xy_xz, xy_yz, xz_yz);

    /* Is M positive? By its minors, the last with a margin of 1e-4 |A|^3: below it rounding in g
     * would move q by more than 1e-3. The branch saves time only: lanes are chosen one by one. */
    fw margin = fw_mul(fw_set1(1e-4f), fw_mul(size2, size));
    mw safe = mw_and(mw_and(fw_gt(m.mxx, fw_zero()), fw_gt(m.zz, fw_zero())), fw_gt(m.det, margin));
    if (!mw_all(safe)) {
        t = fw_select(safe, t, fw_mul(fw_set1(1.03125f), size));
        m = rotation_invert(t, b, xy, xz, yz, xy2, xz2, yz2, xy_xz, xy_yz, xz_yz);
    }

    /* omega = M^-1 g = adj(M) g / det M, with |omega| <= 1.5 (the sum of its parts, which is no
     * shorter) and halved for the quaternion, all in one division. */
    fw ox = rotation_dot(m.xx, m.xy, m.xz, gx, gy, gz);
    fw oy = rotation_dot(m.xy, m.yy, m.yz, gx, gy, gz);
    fw oz = rotation_dot(m.xz, m.yz, m.zz, gx, gy, gz);
    fw length = fw_add(fw_add(fw_abs(ox), fw_abs(oy)), fw_abs(oz));
    fw inverse = fw_div(half, fw_max(m.det, fw_mul(length, fw_set1(1.0f / 1.5f))));
    ox = fw_mul(ox, inverse);
    oy = fw_mul(oy, inverse);
    oz = fw_mul(oz, inverse);

    /* q (omega/2, 1), normalised; its square is between 1 and 1.6 for a unit q. */
    fw n[4];
    n[0] = fw_add(q[0], fw_add(fw_mul(q[3], ox), fw_sub(fw_mul(q[1], oz), fw_mul(q[2], oy))));
    n[1] = fw_add(q[1], fw_add(fw_mul(q[3], oy), fw_sub(fw_mul(q[2], ox), fw_mul(q[0], oz))));
    n[2] = fw_add(q[2], fw_add(fw_mul(q[3], oz), fw_sub(fw_mul(q[0], oy), fw_mul(q[1], ox))));
    n[3] = fw_sub(q[3], rotation_dot(q[0], q[1], q[2], ox, oy, oz));
    fw square = fw_add(rotation_dot(n[0], n[1], n[2], n[0], n[1], n[2]), fw_mul(n[3], n[3]));
    fw unit = fw_div(one, fw_sqrt(square));
    mw use = mw_and(fw_gt(largest, fw_zero()),
                    mw_and(fw_gt(square, fw_set1(0.25f)), fw_lt(square, fw_set1(4.0f))));
    for (int i = 0; i < 4; ++i) {
        q[i] = fw_select(use, fw_mul(n[i], unit), q[i]);
    }
}

#endif
