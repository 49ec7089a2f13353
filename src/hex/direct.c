/* SPDX-License-Identifier: MIT
 * Job: the coarsest level. In: its elements' matrices, rotations, masses and filters. Out: a factor
 * of their sum, and solutions.
 */
#include "hex/direct.h"

#include <string.h>

enum { AXES = 3 };

static void rotation_of(const hex_level* l, int32_t lane, double r[9]) {
    const float* turn =
        l->turn + (size_t)(lane / HEX_LANES) * 9 * HEX_LANES + (size_t)(lane % HEX_LANES);
    for (int k = 0; k < 9; ++k) {
        r[k] = (double)turn[HEX_LANES * k] + (k % 4 == 0 ? 1.0 : 0.0);
    }
}

/* R B R^T, B the block of two corners. */
static void turned_block(const float* full, const double r[9], int c, int d, double out[9]) {
    double t[9];
    for (int i = 0; i < 9; ++i) {
        t[i] = 0.0;
        for (int k = 0; k < AXES; ++k) {
            t[i] +=
                r[3 * (i / 3) + k] * (double)full[HEX_DEGREES * (AXES * c + k) + AXES * d + i % 3];
        }
    }
    for (int i = 0; i < 9; ++i) {
        out[i] = t[3 * (i / 3)] * r[3 * (i % 3)] + t[3 * (i / 3) + 1] * r[3 * (i % 3) + 1] +
                 t[3 * (i / 3) + 2] * r[3 * (i % 3) + 2];
    }
}

/* Row and column filters of a block between two nodes. */
static void filter_block(const hex_level* l, int32_t i, int32_t j, double block[9]) {
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const int32_t of[2] = {l->filter_of[i], l->filter_of[j]};
    for (int side = 0; side < 2; ++side) {
        if (of[side] < 0) {
            continue;
        }
        const float* s = l->filter + 6 * (size_t)of[side];
        double was[9];
        memcpy(was, block, sizeof was);
        for (int k = 0; k < 9; ++k) {
            int a = k / 3, b = k % 3;
            block[k] = 0.0;
            for (int m = 0; m < AXES; ++m) {
                block[k] += side == 0 ? (double)s[place[3 * a + m]] * was[3 * m + b]
                                      : was[3 * a + m] * (double)s[place[3 * m + b]];
            }
        }
    }
}

/* The lower triangle. */
static void add_block(skyline* s, int32_t row_place, int32_t column_place, const double block[9]) {
    for (int k = 0; k < 9; ++k) {
        int32_t i = AXES * row_place + k / 3, j = AXES * column_place + k % 3;
        if (j < i) {
            s->a[s->start[i] + (size_t)j] += block[k];
        } else if (j == i) {
            s->pivot[i] += block[k];
        }
    }
}

static void add_element(hex_level* l, int32_t e, float scale) {
    skyline* s = &l->direct;
    const float* full = l->full + (size_t)e * HEX_DEGREES * HEX_DEGREES;
    double r[9], block[9];
    rotation_of(l, l->lane[e], r);
    for (int i = 0; i < HEX_CORNERS * HEX_CORNERS; ++i) {
        int c = i / HEX_CORNERS, d = i % HEX_CORNERS;
        int32_t row = l->corner[e][c], column = l->corner[e][d];
        if (s->place[column] > s->place[row]) {
            continue;
        }
        turned_block(full, r, c, d, block);
        filter_block(l, row, column, block);
        for (int k = 0; k < 9; ++k) {
            block[k] *= (double)scale;
        }
        add_block(s, s->place[row], s->place[column], block);
    }
}

static void add_mass(hex_level* l, int32_t node) {
    double m = (double)l->mass[4 * (size_t)node], block[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
    filter_block(l, node, node, block);
    for (int k = 0; k < 9 && l->filter_of[node] >= 0; ++k) {
        static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        const float* s = l->filter + 6 * (size_t)l->filter_of[node];
        block[k] += m * ((k % 4 == 0 ? 1.0 : 0.0) - (double)s[place[k]]);
    }
    add_block(&l->direct, l->direct.place[node], l->direct.place[node], block);
}

void hex_direct_factor(hex_level* l, const hex_kernels* kernels, float scale) {
    skyline* s = &l->direct;
    memset(s->a, 0, s->entries * sizeof *s->a);
    memset(s->pivot, 0, (size_t)s->size * sizeof *s->pivot);
    for (int32_t e = 0; e < l->elements; ++e) {
        add_element(l, e, scale);
    }
    for (int32_t n = 0; n < l->nodes; ++n) {
        add_mass(l, n);
    }
    kernels->factor(s);
}

void hex_direct_solve(hex_level* l, const hex_kernels* kernels, const float* b, float* x) {
    skyline* s = &l->direct;
    for (int32_t n = 0; n < l->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            s->unknown[AXES * s->place[n] + k] = (double)b[4 * (size_t)n + (size_t)k];
        }
    }
    kernels->solve(s, s->unknown);
    for (int32_t n = 0; n < l->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            x[4 * (size_t)n + (size_t)k] = (float)s->unknown[AXES * s->place[n] + k];
        }
    }
}
