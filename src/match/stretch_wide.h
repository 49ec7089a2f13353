/* SPDX-License-Identifier: MIT
 * The linear fit of 8 regions at a time, and goals that follow it (Mueller et al. 2005, section
 * 4.2). The fit is
 *     F = (A + kappa R) Q = 1 + X,   X = (B + kappa (R - 1)) Q,   Q = (A0 + kappa 1)^-1
 * with A = A0 + B the moments of the region: exact for affine motions but for kappa, a small share
 * of the trace of A0, with which directions in which the region has no extent go as R says. At rest
 * X is exactly 0.
 *
 * The goal is R + t (F - R) + k V. V keeps the volume: with f^3 = det F,
 *     V = (1 - f) / f^2 (3 / tr Q) cof(F) Q,
 * near rest the least motion of the region's mass that takes det F to 1, to first order; where the
 * region is stretched so far that this would be more than twice too much, it is twice that motion,
 * 2 (1 - det F) / (cof(F) Q : cof(F)) cof(F) Q. The paper scales
 * instead, F / f, which is the same for a round region that swells; but scaling is not the slope of
 * any energy, and pumps: boxes of 8 clusters with beta = 0.9 blew up within 10,000 steps without
 * damping, where this one keeps its energy. Both leave angular momentum alone (F A0 Q cof(F)^T
 * = det F 1 is symmetric).
 *
 * k is how many times stiffer the volume is than the shape (match/stretch.h): what the share of
 * volume asks for (of linear goals at least beta), as far as the step bears it.
 *
 * t = beta where the region is sound. Below a third of its volume t and k fall, and at a twentieth
 * they are 0: the fit of a flat region says nothing about
 * the lost direction, and mirrored ones (det < 0) must not be followed.
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

/* s = 1 / f and the share t. */
static inline void stretch_gains(fw det, fw beta, fw* s, fw* t) {
    fw low = fw_set1(STRETCH_NONE);
    fw bounded = fw_min(fw_max(det, low), fw_set1(STRETCH_MOST));
    fw ramp = fw_div(fw_sub(bounded, low), fw_set1(STRETCH_WHOLE - STRETCH_NONE));
    *s = stretch_inverse_cbrt(bounded);
    *t = fw_mul(beta, fw_min(ramp, fw_set1(1.0f)));
}

/* V; s = 1 / f. */
static inline void stretch_volume(const stretch* f, const fw inverse[6], fw s, fw out[9]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    fw one = fw_set1(1.0f), a[9], norm = fw_zero();
    for (int k = 0; k < 9; ++k) {
        a[k] = k % 4 == 0 ? fw_add(one, f->x[k]) : f->x[k];
    }
    for (int i = 0; i < 3; ++i) {
        int p = 3 * ((i + 1) % 3), q = 3 * ((i + 2) % 3);
        fw c[3];
        for (int j = 0; j < 3; ++j) {
            int u = (j + 1) % 3, v = (j + 2) % 3;
            c[j] = fw_sub(fw_mul(a[p + u], a[q + v]), fw_mul(a[p + v], a[q + u]));
        }
        for (int j = 0; j < 3; ++j) {
            fw sum = fw_add(fw_add(fw_mul(c[0], inverse[symmetric[j]]),
                                   fw_mul(c[1], inverse[symmetric[3 + j]])),
                            fw_mul(c[2], inverse[symmetric[6 + j]]));
            out[3 * i + j] = sum;
            norm = fw_mad(c[j], sum, norm);
        }
    }
    fw least = fw_set1(1e-30f), trace = fw_add(fw_add(inverse[0], inverse[1]), inverse[2]);
    fw grow = fw_mul(fw_sub(s, one), s); /* (1 - f) / f^2 */
    fw scale = fw_div(fw_mul(fw_set1(3.0f), grow), fw_max(trace, least));
    fw most = fw_abs(fw_div(fw_mul(fw_set1(2.0f), fw_sub(one, f->det)), fw_max(norm, least)));
    scale = fw_max(fw_min(scale, most), fw_neg(most));
    for (int k = 0; k < 9; ++k) {
        out[k] = fw_mul(scale, out[k]);
    }
}

/* less: R - 1 in, the goal's matrix less 1 out: less + t (X - less) + k V. */
static inline void stretch_goal(const stretch* f, const fw inverse[6], fw beta, fw bulk,
                                fw less[9]) {
    fw s, sound, v[9];
    stretch_gains(f->det, fw_set1(1.0f), &s, &sound);
    stretch_volume(f, inverse, s, v);
    fw t = fw_mul(beta, sound), u = fw_mul(sound, bulk);
    for (int k = 0; k < 9; ++k) {
        fw to = fw_mad(u, v[k], fw_mul(t, fw_sub(f->x[k], less[k])));
        less[k] = fw_add(less[k], to);
    }
}

/* How the material itself is turned and stretched, for the skin: less: R - 1 in, R - 1 + t (F - R)
 * out, with the larger of the shares. What keeps the volume is a pull, many times what is asked
 * for, and no shape. A few nodes nearly in a plane, as a cut may leave them, have a fit that says
 * anything across it: what is beyond STRETCH_SEEN is not shown, or contacts would throw the piece
 * by a skin that is nowhere near its nodes. */
static inline void stretch_seen(const stretch* f, fw share, fw less[9]) {
    fw s, t, away[9], far = fw_zero(), most = fw_set1(STRETCH_SEEN);
    stretch_gains(f->det, share, &s, &t);
    for (int k = 0; k < 9; ++k) {
        away[k] = fw_sub(f->x[k], less[k]);
        far = fw_mad(away[k], away[k], far);
    }
    mw beyond = fw_gt(far, fw_mul(most, most));
    t = fw_select(beyond, fw_mul(t, fw_div(most, fw_sqrt(far))), t);
    for (int k = 0; k < 9; ++k) {
        less[k] = fw_mad(t, away[k], less[k]);
    }
}

#endif
