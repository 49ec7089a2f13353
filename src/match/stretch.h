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
/* Larger determinants count as this: s is no less than a quarter. */
#define STRETCH_MOST 64.0f

static inline double dmat3_determinant(const dmat3* a) {
    const double* m = a->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* The volume factor s and the share t of a fit with determinant det. */
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

#endif
