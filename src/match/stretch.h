/* SPDX-License-Identifier: MIT
 * What match/stretch_wide.h does, in double for one region: for constants, for the few clusters of
 * quadratic goals, and for the slow energy.
 */
#ifndef LIMBER_STRETCH_H
#define LIMBER_STRETCH_H

#include "math/mat3.h"
#include "math/trig.h"

#define STRETCH_KAPPA 1e-4f /* of the trace */
/* det F from which on goals follow the fit, and where they do so wholly. */
#define STRETCH_NONE  0.05f
#define STRETCH_WHOLE 0.3f
/* The norm of F - R at most, as the skin shows it: stretched to three times its length. */
#define STRETCH_SEEN 2.0f
/* Larger determinants count as this: s is no less than a quarter. */
#define STRETCH_MOST 64.0f
/* The stiffness of volume over that of shape, at most: Poisson's ratio 0.494. */
#define STRETCH_BULK 120.0
/* alpha (1 + k) at most: beyond 4 a step is too long for the oscillation, beyond 2 for one that
 * viscosity damps wholly. */
#define STRETCH_TOTAL 1.5

/* k for a share of volume, 0..1, which is Poisson's ratio in parts of its most: the goals alone
 * have E = 2 G = 3 K, with k they have K = E (1 + k) / 3, so nu = k / (2 k + 3). */
static inline double stretch_asked_bulk(double volume) {
    double most = STRETCH_BULK / (2.0 * STRETCH_BULK + 3.0), nu = most * volume;
    return 3.0 * nu / (1.0 - 2.0 * nu);
}

/* What the step bears of it, alpha (1 + k) <= total; not less than the shape's own stiffness. */
static inline double stretch_bulk(double alpha, double volume, double total) {
    double asked = stretch_asked_bulk(volume), most = total / alpha - 1.0;
    most = most > 1.0 ? most : 1.0;
    return asked < most ? asked : most;
}

/* A bar with k is stiffer than its goals: E = 9 K G / (3 K + G). What the goals' modulus has to be
 * for one of 1. */
static inline double stretch_softer(double bulk) {
    return (1.5 + bulk) / (1.5 + 1.5 * bulk);
}

static inline double dmat3_determinant(const dmat3* a) {
    const double* m = a->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* Of a matrix with this determinant, which is not 0. */
static inline dmat3 dmat3_inverse(const dmat3* a, double det) {
    dmat3 out;
    for (int k = 0; k < 9; ++k) {
        int p = (k % 3 + 1) % 3 * 3, q = (k % 3 + 2) % 3 * 3;
        int i = (k / 3 + 1) % 3, j = (k / 3 + 2) % 3;
        out.m[k] = (a->m[p + i] * a->m[q + j] - a->m[p + j] * a->m[q + i]) / det;
    }
    return out;
}

/* s = det^(-1/3) and the share t of a fit with determinant det. */
static inline void stretch_share(double det, double beta, double* s, double* t) {
    const double low = (double)STRETCH_NONE, most = (double)STRETCH_MOST;
    double bounded = det > low ? det : low;
    bounded = bounded < most ? bounded : most;
    double ramp = (bounded - low) / ((double)STRETCH_WHOLE - low);
    *s = bounded != 1.0 ? 1.0 / trig_cbrt(bounded) : 1.0; /* at rest to the bit */
    *t = beta * (ramp < 1.0 ? ramp : 1.0);
}

/* (A0 + kappa 1)^-1 of symmetric moments (xx yy zz xy xz yz); 0 for a region without extent. */
static inline void stretch_inverse(const double a0[6], double out[6]) {
    double trace = a0[0] + a0[1] + a0[2], kappa = (double)STRETCH_KAPPA * trace;
    double a = a0[0] + kappa, b = a0[1] + kappa, c = a0[2] + kappa;
    double d = a0[3], e = a0[4], f = a0[5];
    double adjugate[6] = {b * c - f * f, a * c - e * e, a * b - d * d,
                          e * f - d * c, d * f - b * e, d * e - a * f};
    double det = a * adjugate[0] + d * adjugate[3] + e * adjugate[4];
    for (int k = 0; k < 6; ++k) {
        out[k] = trace > 0.0 && det > 0.0 ? adjugate[k] / det : 0.0;
    }
}

/* What following a fit changes of sum m |x - R q|^2, the energy of a rigid goal but for its gain;
 * beside: sum m |F q - R q|^2. */
static inline double stretch_energy(double det, const double inverse[6], double beta, double bulk,
                                    double beside) {
    double s, sound, trace = inverse[0] + inverse[1] + inverse[2];
    stretch_share(det, 1.0, &s, &sound);
    double f = 1.0 / s, swell = trace > 0.0 ? 9.0 / trace * (1.0 - f) * (1.0 - f) : 0.0;
    return sound * (bulk * swell - beta * beside);
}

/* V of a fit F with determinant det; inverse: Q. */
static inline dmat3 stretch_keep_volume(const dmat3* f, double det, const double inverse[6]) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double s, unused, norm = 0.0, trace = inverse[0] + inverse[1] + inverse[2];
    stretch_share(det, 1.0, &s, &unused);
    dmat3 v = {{0}};
    for (int k = 0; k < 27; ++k) {
        int i = k / 9, j = k / 3 % 3, l = k % 3; /* V_il += cof_ij Q_jl */
        int p = 3 * ((i + 1) % 3), q = 3 * ((i + 2) % 3), a = (j + 1) % 3, b = (j + 2) % 3;
        double cofactor = f->m[p + a] * f->m[q + b] - f->m[p + b] * f->m[q + a];
        v.m[3 * i + l] += cofactor * inverse[symmetric[3 * j + l]];
    }
    for (int k = 0; k < 9; ++k) {
        int p = 3 * ((k / 3 + 1) % 3), q = 3 * ((k / 3 + 2) % 3), a = (k + 1) % 3, b = (k + 2) % 3;
        norm += v.m[k] * (f->m[p + a] * f->m[q + b] - f->m[p + b] * f->m[q + a]);
    }
    double scale = trace > 0.0 ? 3.0 / trace * (s - 1.0) * s : 0.0;
    double most = norm > 0.0 ? fabs(2.0 * (1.0 - det) / norm) : 0.0;
    scale = scale > most ? most : scale < -most ? -most : scale;
    for (int k = 0; k < 9; ++k) {
        v.m[k] *= scale;
    }
    return v;
}

#endif
