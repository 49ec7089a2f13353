/* SPDX-License-Identifier: MIT
 * Job: sums of momentum. In: nodes. Out: momentum about the centre, and the rigid motion between
 * two.
 */
#include "hex/momentum.h"

enum { AXES = 3 };

#define INERTIA_LEAST 1e-9 /* determinant over the cube of the trace */
#define TURN_MOST     0.5  /* radians */

static void cross(const double a[AXES], const double b[AXES], double out[AXES]) {
    for (int k = 0; k < AXES; ++k) {
        int i = (k + 1) % AXES, j = (k + 2) % AXES;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static double place(const float* const rest[3], float* const d[3], int k, int32_t n) {
    return (double)rest[k][n] + (double)d[k][n];
}

static void sum_centre(const float* const rest[3], const float* mass, float* const d[3],
                       float* const v[3], int32_t begin, int32_t end, hex_momentum* out) {
    for (int32_t n = begin; n < end; ++n) {
        double m = (double)mass[n];
        out->mass += m;
        for (int k = 0; k < AXES; ++k) {
            out->centre[k] += m * place(rest, d, k, n);
            out->velocity[k] += m * (double)v[k][n];
        }
    }
    for (int k = 0; k < AXES && out->mass > 0.0; ++k) {
        out->centre[k] /= out->mass;
        out->velocity[k] /= out->mass;
    }
}

hex_momentum hex_momentum_of(const float* const rest[3], const float* mass, float* const d[3],
                             float* const v[3], int32_t begin, int32_t end) {
    hex_momentum out = {0};
    sum_centre(rest, mass, d, v, begin, end, &out);
    for (int32_t n = begin; n < end; ++n) {
        double m = (double)mass[n], x[AXES], u[AXES], turn[AXES];
        for (int k = 0; k < AXES; ++k) {
            x[k] = place(rest, d, k, n) - out.centre[k];
            u[k] = (double)v[k][n] - out.velocity[k];
        }
        cross(x, u, turn);
        double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        for (int k = 0; k < AXES; ++k) {
            out.angular[k] += m * turn[k];
            out.inertia[k] += m * (square - x[k] * x[k]);
        }
        out.inertia[3] -= m * x[0] * x[1];
        out.inertia[4] -= m * x[0] * x[2];
        out.inertia[5] -= m * x[1] * x[2];
    }
    return out;
}

void hex_momentum_change(const hex_momentum* from, const hex_momentum* to, double dt,
                         double out_velocity[3], double out_spin[3]) {
    const double* t = from->inertia;
    double xx = t[1] * t[2] - t[5] * t[5], xy = t[4] * t[5] - t[3] * t[2];
    double xz = t[3] * t[5] - t[4] * t[1], det = t[0] * xx + t[3] * xy + t[4] * xz;
    double yy = t[0] * t[2] - t[4] * t[4], yz = t[3] * t[4] - t[0] * t[5];
    double zz = t[0] * t[1] - t[3] * t[3], trace = t[0] + t[1] + t[2], lack[AXES];
    double q = det > INERTIA_LEAST * trace * trace * trace ? 1.0 / det : 0.0;
    for (int k = 0; k < AXES; ++k) {
        lack[k] = to->angular[k] - from->angular[k];
        out_velocity[k] = to->velocity[k] - from->velocity[k];
    }
    out_spin[0] = q * (xx * lack[0] + xy * lack[1] + xz * lack[2]);
    out_spin[1] = q * (xy * lack[0] + yy * lack[1] + yz * lack[2]);
    out_spin[2] = q * (xz * lack[0] + yz * lack[1] + zz * lack[2]);
    double square = 0.0;
    for (int k = 0; k < AXES; ++k) {
        square += out_spin[k] * out_spin[k];
    }
    for (int k = 0; k < AXES && !(square * dt * dt < TURN_MOST * TURN_MOST); ++k) {
        out_spin[k] = 0.0;
    }
}
