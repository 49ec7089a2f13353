/* SPDX-License-Identifier: MIT
 * 3x3 matrices, row major: mat3 (float) and dmat3 (double). A symmetric one is 6 numbers in the
 * order xx, yy, zz, xy, xz, yz wherever it is stored.
 */
#ifndef LIMBER_MAT3_H
#define LIMBER_MAT3_H

#include "math/vec3.h"

typedef struct mat3 {
    float m[9];
} mat3;
typedef struct dmat3 {
    double m[9];
} dmat3;

static inline dmat3 dmat3_identity(void) {
    return (dmat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}
static inline lim_point dmat3_mul(const dmat3* a, lim_point b) {
    return p3(a->m[0] * b.x + a->m[1] * b.y + a->m[2] * b.z,
              a->m[3] * b.x + a->m[4] * b.y + a->m[5] * b.z,
              a->m[6] * b.x + a->m[7] * b.y + a->m[8] * b.z);
}
static inline lim_point dmat3_mul_transposed(const dmat3* a, lim_point b) {
    return p3(a->m[0] * b.x + a->m[3] * b.y + a->m[6] * b.z,
              a->m[1] * b.x + a->m[4] * b.y + a->m[7] * b.z,
              a->m[2] * b.x + a->m[5] * b.y + a->m[8] * b.z);
}
static inline dmat3 dmat3_product(const dmat3* a, const dmat3* b) {
    dmat3 out = {{0}};
    for (int k = 0; k < 27; ++k) {
        out.m[k / 3] += a->m[k / 9 * 3 + k % 3] * b->m[k % 3 * 3 + k / 3 % 3];
    }
    return out;
}
/* a b for a symmetric a (xx, yy, zz, xy, xz, yz). */
static inline lim_point sym3_mul(const double a[6], lim_point b) {
    return p3(a[0] * b.x + a[3] * b.y + a[4] * b.z, a[3] * b.x + a[1] * b.y + a[5] * b.z,
              a[4] * b.x + a[5] * b.y + a[2] * b.z);
}
/* Solves a x = b for a symmetric positive a (xx, yy, zz, xy, xz, yz) by its adjugate; a `floor` on
 * the determinant, relative to trace^3, keeps thin cases finite (pseudo-inverse in the limit). */
static inline lim_point sym3_solve(const double a[6], lim_point b, double floor) {
    double c00 = a[1] * a[2] - a[5] * a[5], c01 = a[4] * a[5] - a[3] * a[2];
    double c02 = a[3] * a[5] - a[4] * a[1], c11 = a[0] * a[2] - a[4] * a[4];
    double c12 = a[3] * a[4] - a[0] * a[5], c22 = a[0] * a[1] - a[3] * a[3];
    double det = a[0] * c00 + a[3] * c01 + a[4] * c02;
    double trace = a[0] + a[1] + a[2];
    double least = floor * trace * trace * trace;
    det = det > least ? det : least;
    if (!(det > 0.0)) {
        return p3(0, 0, 0);
    }
    return p3((c00 * b.x + c01 * b.y + c02 * b.z) / det, (c01 * b.x + c11 * b.y + c12 * b.z) / det,
              (c02 * b.x + c12 * b.y + c22 * b.z) / det);
}

#endif
