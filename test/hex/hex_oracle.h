/* SPDX-License-Identifier: MIT
 * The element as textbooks write it, slow and in double: shape functions of corners, Gauss points
 * in every sub-voxel, all 24 + 9 degrees of freedom.
 */
#ifndef LIMBER_HEX_ORACLE_H
#define LIMBER_HEX_ORACLE_H

#include "hex/element.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Gradients of the 8 shape functions and the 3 incompatible ones at r, of a cube of edge 1. */
static inline void oracle_gradients(const double r[3], double out[11][3]) {
    for (int c = 0; c < 8; ++c) {
        for (int k = 0; k < 3; ++k) {
            out[c][k] = 2.0 * 0.125;
            for (int j = 0; j < 3; ++j) {
                double s = (c >> j & 1) != 0 ? 1.0 : -1.0;
                out[c][k] *= j == k ? s : 1.0 + s * r[j];
            }
        }
    }
    for (int m = 0; m < 3; ++m) {
        for (int k = 0; k < 3; ++k) {
            out[8 + m][k] = m == k ? -4.0 * r[k] : 0.0;
        }
    }
}

/* B of 6 strains, engineering shears. */
static inline void oracle_strains(double g[11][3], double B[6][33]) {
    memset(B, 0, sizeof(double[6][33]));
    for (int c = 0; c < 11; ++c) {
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3;
            B[k][3 * c + k] = g[c][k];
            B[3 + k][3 * c + k] = g[c][a];
            B[3 + k][3 * c + a] = g[c][k];
        }
    }
}

/* The points: 8 in each sub-voxel; f(context, gradients, weight). */
static inline void oracle_points(uint64_t mask,
                                 void (*f)(void* context, double g[11][3], double weight),
                                 void* context) {
    for (int v = 0; v < 64; ++v) {
        double weight = ((mask >> v & 1) != 0 ? 1.0 : HEX_FILLER) / 512.0;
        for (int q = 0; q < 8; ++q) {
            double r[3], g[11][3];
            for (int k = 0; k < 3; ++k) {
                double middle = ((v >> (2 * k) & 3) - 1.5) / 2.0;
                r[k] = middle + ((q >> k & 1) != 0 ? 0.25 : -0.25) / sqrt(3.0);
            }
            oracle_gradients(r, g);
            f(context, g, weight);
        }
    }
}

typedef struct oracle_work {
    double lambda, mu, volume, mean[3], k[33][33];
} oracle_work;

static inline void oracle_mean(void* context, double g[11][3], double weight) {
    oracle_work* w = context;
    w->volume += weight;
    for (int m = 0; m < 3; ++m) {
        w->mean[m] += weight * g[8 + m][m];
    }
}

static inline void oracle_add(void* context, double g[11][3], double weight) {
    oracle_work* w = context;
    double B[6][33];
    for (int m = 0; m < 3; ++m) {
        g[8 + m][m] -= w->mean[m] / w->volume;
    }
    oracle_strains(g, B);
    for (int i = 0; i < 33; ++i) {
        double stress[6], trace = B[0][i] + B[1][i] + B[2][i];
        for (int s = 0; s < 3; ++s) {
            stress[s] = w->lambda * trace + 2.0 * w->mu * B[s][i];
            stress[3 + s] = w->mu * B[3 + s][i];
        }
        for (int j = 0; j < 33; ++j) {
            for (int s = 0; s < 6; ++s) {
                w->k[i][j] += weight * stress[s] * B[s][j];
            }
        }
    }
}

/* The matrix of the corners of a cube with material in `mask`. */
static inline void oracle_element(double young, double poisson, double edge, uint64_t mask,
                                  double out[24][24]) {
    oracle_work w = {.lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
                     .mu = young / (2.0 * (1.0 + poisson))};
    oracle_points(mask, oracle_mean, &w);
    oracle_points(mask, oracle_add, &w);
    for (int p = 32; p >= 24; --p) {
        for (int i = 0; i < p; ++i) {
            double share = w.k[i][p] / w.k[p][p];
            for (int j = 0; j < p; ++j) {
                w.k[i][j] -= share * w.k[p][j];
            }
        }
    }
    for (int i = 0; i < 24; ++i) {
        for (int j = 0; j < 24; ++j) {
            out[i][j] = edge * w.k[i][j];
        }
    }
}

#endif
