/* SPDX-License-Identifier: MIT
 * The linear fit of 8 regions at a time, and goals that follow it (Mueller et al. 2005, section
 * 4.2; algorithms B.1). The fit is
 *     F = (A + kappa R)(A0 + kappa 1)^-1 = 1 + X,   X = (B + kappa (R - 1)) (A0 + kappa 1)^-1
 * with A = A0 + B the moments of the region: exact for affine motions but for kappa, a small share
 * of the trace of A0, with which directions in which the region has no extent go as R says. At rest
 * X is exactly 0.
 *
 * The goal is R + t (s F - R): s = det(F)^(-1/3) keeps the volume, and t = beta where the region is
 * sound. Below a third of its volume t falls, and at a twentieth it is 0: s F would stretch a flat
 * region to ten times its size, and mirrored ones (det < 0) must not be followed.
 */
#ifndef LIMBER_STRETCH_WIDE_H
#define LIMBER_STRETCH_WIDE_H

#include "base/simd.h"
#include "match/stretch.h"

typedef struct stretch {
    fw x[9]; /* F - 1 */
    fw det;  /* of F */
} stretch;

/* b: the moments less those at rest; inverse: of A0 + kappa 1 (xx yy zz xy xz yz); less: R - 1. */
static inline stretch stretch_of(const fw b[9], const fw inverse[6], fw kappa, const fw less[9]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    stretch f;
    for (int k = 0; k < 3; ++k) {
        fw row[3];
        for (int j = 0; j < 3; ++j) {
            row[j] = fw_mad(kappa, less[3 * k + j], b[3 * k + j]);
        }
        for (int j = 0; j < 3; ++j) {
            f.x[3 * k + j] = fw_add(fw_add(fw_mul(row[0], inverse[symmetric[j]]),
                                           fw_mul(row[1], inverse[symmetric[3 + j]])),
                                    fw_mul(row[2], inverse[symmetric[6 + j]]));
        }
    }
    const fw* x = f.x;
    fw one = fw_set1(1.0f), a = fw_add(one, x[0]), e = fw_add(one, x[4]), i = fw_add(one, x[8]);
    fw c0 = fw_sub(fw_mul(e, i), fw_mul(x[5], x[7]));
    fw c1 = fw_sub(fw_mul(x[5], x[6]), fw_mul(x[3], i));
    fw c2 = fw_sub(fw_mul(x[3], x[7]), fw_mul(e, x[6]));
    f.det = fw_add(fw_add(fw_mul(a, c0), fw_mul(x[1], c1)), fw_mul(x[2], c2));
    return f;
}

/* x^(-1/3) for 1e-3 <= x <= 64 by Newton's method from x^(-1/4), to a few units in the last place;
 * exactly 1 at 1. */
static inline fw stretch_inverse_cbrt(fw x) {
    fw y = fw_div(fw_set1(1.0f), fw_sqrt(fw_sqrt(x)));
    for (int k = 0; k < 6; ++k) {
        fw cube = fw_mul(fw_mul(y, y), fw_mul(y, x));
        y = fw_mul(y, fw_div(fw_sub(fw_set1(4.0f), cube), fw_set1(3.0f)));
    }
    return y;
}

/* Volume factor s and share t. */
static inline void stretch_gains(fw det, fw beta, fw* s, fw* t) {
    fw low = fw_set1(STRETCH_NONE);
    fw bounded = fw_min(fw_max(det, low), fw_set1(STRETCH_MOST));
    fw ramp = fw_div(fw_sub(bounded, low), fw_set1(STRETCH_WHOLE - STRETCH_NONE));
    *s = stretch_inverse_cbrt(bounded);
    *t = fw_mul(beta, fw_min(ramp, fw_set1(1.0f)));
}

/* less: R - 1 in, the goal's matrix less 1 out: less + t ((s - 1) 1 + s X - less). */
static inline void stretch_goal(const stretch* f, fw beta, fw less[9]) {
    fw s, t;
    stretch_gains(f->det, beta, &s, &t);
    fw grow = fw_sub(s, fw_set1(1.0f));
    for (int k = 0; k < 9; ++k) {
        fw to = fw_mul(s, f->x[k]);
        to = k % 4 == 0 ? fw_add(grow, to) : to;
        less[k] = fw_add(less[k], fw_mul(t, fw_sub(to, less[k])));
    }
}

#endif
