/* SPDX-License-Identifier: MIT
 * Job: the rotation of a matrix from nothing. In: any 3x3 matrix. Out: a unit quaternion. For unit
 * q, tr(R(q)^T A) = q^T K q with a symmetric, traceless 4x4 matrix K of sums and differences of A's
 * entries (Davenport 1968; Higham and Noferini 2015 on its use for the polar factor): the answer is
 * the eigenvector of the largest eigenvalue, found by Jacobi's method, and never a reflection.
 */
#include "math/rotation.h"

#include <math.h>
#include <stdbool.h>

enum { SWEEPS = 30 };

/* One Jacobi rotation of K in the plane (p, q); the rows of `vectors` follow. */
static void rotate_plane(double K[4][4], double vectors[4][4], int p, int q) {
    double tau = (K[q][q] - K[p][p]) / (2.0 * K[p][q]);
    double t = 1.0 / (fabs(tau) + sqrt(1.0 + tau * tau));
    t = tau < 0.0 ? -t : t;
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int k = 0; k < 4; ++k) {
        double x = K[k][p], y = K[k][q];
        K[k][p] = c * x - s * y;
        K[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 4; ++k) {
        double x = K[p][k], y = K[q][k];
        K[p][k] = c * x - s * y;
        K[q][k] = s * x + c * y;
        double vx = vectors[p][k], vy = vectors[q][k];
        vectors[p][k] = c * vx - s * vy;
        vectors[q][k] = s * vx + c * vy;
    }
    K[p][q] = K[q][p] = 0.0;
}

void rotation_cold(const double A[9], double q[4]) {
    q[0] = q[1] = q[2] = 0.0;
    q[3] = 1.0;
    double largest = 0.0;
    for (int i = 0; i < 9; ++i) {
        if (!isfinite(A[i])) {
            return;
        }
        largest = fabs(A[i]) > largest ? fabs(A[i]) : largest;
    }
    if (largest == 0.0) {
        return;
    }
    double a[9];
    for (int i = 0; i < 9; ++i) {
        a[i] = A[i] / largest;
    }
    double K[4][4] = {
        {a[0] - a[4] - a[8], a[1] + a[3], a[2] + a[6], a[7] - a[5]},
        {a[1] + a[3], a[4] - a[0] - a[8], a[5] + a[7], a[2] - a[6]},
        {a[2] + a[6], a[5] + a[7], a[8] - a[0] - a[4], a[3] - a[1]},
        {a[7] - a[5], a[2] - a[6], a[3] - a[1], a[0] + a[4] + a[8]},
    };
    double vectors[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        bool changed = false;
        for (int i = 0; i < 3; ++i) {
            for (int j = i + 1; j < 4; ++j) {
                /* Below 1e-40 of the largest entry there is nothing to turn, and tau stays finite.
                 */
                if (fabs(K[i][j]) > 1e-40) {
                    rotate_plane(K, vectors, i, j);
                    changed = true;
                }
            }
        }
        if (!changed) {
            break;
        }
    }
    /* On a tie the last wins: that is the identity when nothing speaks for another. */
    int best = 3;
    for (int i = 2; i >= 0; --i) {
        best = K[i][i] > K[best][best] ? i : best;
    }
    double square = 0.0;
    for (int i = 0; i < 4; ++i) {
        square += vectors[best][i] * vectors[best][i];
    }
    double unit = (vectors[best][3] < 0.0 ? -1.0 : 1.0) / sqrt(square);
    for (int i = 0; i < 4; ++i) {
        q[i] = vectors[best][i] * unit;
    }
}

#define DECLARE(set, suffix)                                                                       \
    void rotation_solve_##suffix(const float* A_soa, float* q_soa, int32_t n, int32_t iterations);
ISA_LIST(DECLARE)

void rotation_solve(isa set, const float* A_soa, float* q_soa, int32_t n, int32_t iterations) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        rotation_solve_##suffix(A_soa, q_soa, n, iterations);                                      \
        break;
        ISA_LIST(CASE)
    default:
        break;
    }
}
