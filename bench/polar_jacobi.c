/* SPDX-License-Identifier: MIT
 * Job: one polar decomposition, scalar. In: A, the eigenvectors of last time. Out: R with A = R S.
 * V^T A^T A V is made diagonal by sweeps of plane rotations; with V of the last step it nearly is
 * already. The columns of A V are then orthogonal, and their directions are R V. The direction of
 * the shortest comes from the other two, so R is proper also for a flat or inverted A.
 */
#include "bench/polar_jacobi.h"

#include <math.h>

enum { SWEEPS = 8 };
static const float OFF = 1e-6f;  /* largest entry off the diagonal, of the trace */
static const float THIN = 1e-3f; /* singular values below this share of the largest are noise */

static float dot(const float* a, const float* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float* a, const float* b, float* out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = M c for a row-major M. */
static void times(const float M[9], const float* c, float* out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = dot(M + 3 * k, c);
    }
}

/* Takes the part along the unit vector `from` out of a and makes it a unit vector; false when
 * nothing is left. */
static int make_unit(float* a, const float* from) {
    if (from != 0) {
        float along = dot(a, from);
        for (int k = 0; k < 3; ++k) {
            a[k] -= along * from[k];
        }
    }
    float length = sqrtf(dot(a, a));
    if (!(length > 1e-30f)) {
        return 0;
    }
    float inverse = 1.0f / length;
    for (int k = 0; k < 3; ++k) {
        a[k] *= inverse;
    }
    return 1;
}

/* One plane rotation of S (symmetric) and of the columns v[p], v[q]; none where |S[p][q]| is at
 * most `least`. */
static void rotate(float S[3][3], float v[3][3], int p, int q, float least) {
    float off = S[p][q];
    if (fabsf(off) <= least) {
        return;
    }
    float tau = (S[q][q] - S[p][p]) / (2.0f * off);
    float t = (tau < 0.0f ? -1.0f : 1.0f) / (fabsf(tau) + sqrtf(1.0f + tau * tau));
    float c = 1.0f / sqrtf(1.0f + t * t), s = t * c;
    int r = 3 - p - q;
    float rp = S[r][p], rq = S[r][q];
    S[p][p] -= t * off;
    S[q][q] += t * off;
    S[p][q] = S[q][p] = 0.0f;
    S[r][p] = S[p][r] = c * rp - s * rq;
    S[r][q] = S[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; ++k) {
        float a = v[p][k], b = v[q][k];
        v[p][k] = c * a - s * b;
        v[q][k] = s * a + c * b;
    }
}

/* v: columns of V as rows. b: columns of A V as rows. */
static void columns(const float A[9], float v[3][3], float b[3][3]) {
    for (int k = 0; k < 3; ++k) {
        times(A, v[k], b[k]);
    }
}

int32_t polar_jacobi(const float A[9], float V[9], float R[9]) {
    float v[3][3], b[3][3], S[3][3];
    for (int k = 0; k < 3; ++k) {
        v[0][k] = V[3 * k];
        v[1][k] = V[3 * k + 1];
    }
    /* rounding must not add up in V over the steps */
    make_unit(v[0], 0);
    make_unit(v[1], v[0]);
    cross(v[0], v[1], v[2]);
    columns(A, v, b);
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            S[i][j] = S[j][i] = dot(b[i], b[j]);
        }
    }
    float least = OFF * (S[0][0] + S[1][1] + S[2][2]);
    int32_t sweeps = 0;
    while (sweeps < SWEEPS &&
           (fabsf(S[0][1]) > least || fabsf(S[0][2]) > least || fabsf(S[1][2]) > least)) {
        rotate(S, v, 0, 1, least);
        rotate(S, v, 0, 2, least);
        rotate(S, v, 1, 2, least);
        sweeps++;
    }
    if (sweeps > 0) {
        columns(A, v, b);
    }
    for (int k = 0; k < 3; ++k) {
        V[3 * k] = v[0][k];
        V[3 * k + 1] = v[1][k];
        V[3 * k + 2] = v[2][k];
    }
    /* i, j, k in cyclic order, k the shortest; `far` the longer of i and j */
    float size[3] = {dot(b[0], b[0]), dot(b[1], b[1]), dot(b[2], b[2])};
    int k = size[0] < size[1] ? (size[0] < size[2] ? 0 : 2) : (size[1] < size[2] ? 1 : 2);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    int far = size[i] < size[j] ? j : i, near = i + j - far;
    float last[3];
    times(R, v[near], last);
    if (!make_unit(b[far], 0)) {
        return sweeps; /* A is zero: R stays */
    }
    if (!(size[near] > THIN * THIN * size[far]) || !make_unit(b[near], b[far])) {
        /* a line: the turn about it stays as it was, or is anything */
        for (int n = 0; n < 3; ++n) {
            b[near][n] = last[n];
        }
        for (int n = 0; n < 3 && !make_unit(b[near], b[far]); ++n) {
            b[near][0] = b[near][1] = b[near][2] = 0.0f;
            b[near][n] = 1.0f;
        }
    }
    cross(b[i], b[j], b[k]);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            R[3 * row + column] =
                b[0][row] * v[0][column] + b[1][row] * v[1][column] + b[2][row] * v[2][column];
        }
    }
    return sweeps;
}
