/* SPDX-License-Identifier: MIT
 * Job: the incomplete Cholesky factor of a block matrix. In: the matrix. Out: a factor of the same
 * pattern, and solutions with it.
 */
#include "shell/block_matrix.h"

#include <string.h>

/* A pivot must keep this share of the diagonal entry that it came from. */
#define LEAST_PIVOT 1e-3
/* The first raise of the diagonal, as a share of it. */
#define FIRST_RAISE 1e-3

/* c -= a b^T. */
static void subtract_product(double c[9], const double a[9], const double b[9]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] -=
                a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

/* The inverse of the Cholesky factor of a symmetric block (lower part read). */
static bool invert_pivot(const double a[9], const double least[3], double out[9]) {
    double d0 = a[0];
    if (!(d0 > least[0])) {
        return false;
    }
    double l00 = sqrt(d0), l10 = a[3] / l00, l20 = a[6] / l00, d1 = a[4] - l10 * l10;
    if (!(d1 > least[1])) {
        return false;
    }
    double l11 = sqrt(d1), l21 = (a[7] - l20 * l10) / l11, d2 = a[8] - l20 * l20 - l21 * l21;
    if (!(d2 > least[2])) {
        return false;
    }
    double l22 = sqrt(d2);
    memset(out, 0, 9 * sizeof *out);
    out[0] = 1.0 / l00;
    out[4] = 1.0 / l11;
    out[8] = 1.0 / l22;
    out[3] = -l10 * out[0] * out[4];
    out[7] = -l21 * out[4] * out[8];
    out[6] = -(l20 * out[0] + l21 * out[3]) * out[8];
    return true;
}

/* Row i of the factor. The block (i, j) is (A_ij - sum_k L_ik L_jk^T) L_jj^-T. */
static bool factor_row(const block_matrix* m, double shift, double raise, int32_t i,
                       block_matrix* f) {
    int32_t begin = m->start[i], last = m->start[i + 1] - 1;
    for (int32_t at = begin; at <= last; ++at) {
        double* c = f->value + 9 * (size_t)at;
        memcpy(c, m->value + 9 * (size_t)at, 9 * sizeof *c);
        int32_t j = m->column[at], other = m->start[j];
        for (int32_t k = begin; k < at; ++k) {
            while (m->column[other] < m->column[k]) {
                ++other; /* stops at the diagonal of row j at the latest: column[k] < j */
            }
            if (m->column[other] == m->column[k]) {
                subtract_product(c, f->value + 9 * (size_t)k, f->value + 9 * (size_t)other);
            }
        }
        if (at < last) {
            double full[9] = {0};
            subtract_product(full, c, f->value + 9 * (size_t)(m->start[j + 1] - 1));
            for (int k = 0; k < 9; ++k) {
                c[k] = -full[k];
            }
        }
    }
    double pivot[9], least[3];
    double* c = f->value + 9 * (size_t)last;
    memcpy(pivot, c, sizeof pivot);
    for (int k = 0; k < 3; ++k) {
        double whole = fabs(m->value[9 * (size_t)last + 4 * (size_t)k]) + shift;
        pivot[4 * k] += shift + raise * whole;
        least[k] = LEAST_PIVOT * whole;
    }
    return invert_pivot(pivot, least, c);
}

void block_factor(const block_matrix* m, double shift, block_matrix* f) {
    double raise = 0.0;
    for (int32_t i = 0; i < m->rows;) {
        if (factor_row(m, shift, raise, i, f)) {
            ++i;
        } else if (raise < 1e6) {
            raise = raise > 0.0 ? 10.0 * raise : FIRST_RAISE;
            i = 0;
        } else { /* a row of zeros, or what is not a number: nothing to go by */
            double* c = f->value + 9 * (size_t)(m->start[i + 1] - 1);
            memset(c, 0, 9 * sizeof *c);
            c[0] = c[4] = c[8] = 1.0;
            ++i;
        }
    }
}

void block_factor_solve(const block_matrix* f, lim_point* x) {
    for (int32_t i = 0; i < f->rows; ++i) {
        int32_t last = f->start[i + 1] - 1;
        lim_point sum = x[i];
        for (int32_t k = f->start[i]; k < last; ++k) {
            const double* v = f->value + 9 * (size_t)k;
            const lim_point y = x[f->column[k]];
            sum.x -= v[0] * y.x + v[1] * y.y + v[2] * y.z;
            sum.y -= v[3] * y.x + v[4] * y.y + v[5] * y.z;
            sum.z -= v[6] * y.x + v[7] * y.y + v[8] * y.z;
        }
        const double* d = f->value + 9 * (size_t)last;
        x[i] = p3(d[0] * sum.x, d[3] * sum.x + d[4] * sum.y,
                  d[6] * sum.x + d[7] * sum.y + d[8] * sum.z);
    }
    for (int32_t i = f->rows - 1; i >= 0; --i) {
        int32_t last = f->start[i + 1] - 1;
        const double* d = f->value + 9 * (size_t)last;
        const lim_point y = x[i];
        const lim_point out =
            p3(d[0] * y.x + d[3] * y.y + d[6] * y.z, d[4] * y.y + d[7] * y.z, d[8] * y.z);
        x[i] = out;
        for (int32_t k = f->start[i]; k < last; ++k) {
            const double* v = f->value + 9 * (size_t)k;
            lim_point* to = &x[f->column[k]];
            to->x -= v[0] * out.x + v[3] * out.y + v[6] * out.z;
            to->y -= v[1] * out.x + v[4] * out.y + v[7] * out.z;
            to->z -= v[2] * out.x + v[5] * out.y + v[8] * out.z;
        }
    }
}
