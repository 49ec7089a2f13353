/* SPDX-License-Identifier: MIT
 * Job: conjugate gradients on a block matrix. In: matrix, factor, right side. Out: the solution as
 * far as asked; in a direction in which the matrix is not positive, what had been found before.
 */
#include "shell/block_matrix.h"

#include <string.h>

static void add_rank(const block_rank* rank, const lim_point* x, int32_t rows, lim_point* out) {
    if (rank->v == NULL) {
        return;
    }
    double s = rank->scale * block_dot(rank->v, x, rows);
    for (int32_t i = 0; i < rows; ++i) {
        out[i] = p3_mad(out[i], rank->v[i], s);
    }
}

block_solved block_solve(const block_matrix* m, double shift, const block_rank* rank,
                         const block_matrix* factor, const lim_point* b, double tolerance,
                         int32_t most, const block_work* w, lim_point* x) {
    int32_t n = m->rows;
    size_t bytes = (size_t)n * sizeof *x;
    double enough = tolerance * tolerance * block_dot(b, b, n), before = 0.0;
    memset(x, 0, bytes);
    memcpy(w->residual, b, bytes);
    block_solved done = {0, false};
    for (; done.iterations < most; ++done.iterations) {
        memcpy(w->z, w->residual, bytes);
        block_factor_solve(factor, w->z);
        double now = block_dot(w->residual, w->z, n);
        double keep = done.iterations > 0 ? now / before : 0.0;
        before = now;
        for (int32_t i = 0; i < n; ++i) {
            w->way[i] = keep == 0.0 ? w->z[i] : p3_mad(w->z[i], w->way[i], keep);
        }
        block_matrix_apply(m, shift, w->way, w->image);
        add_rank(rank, w->way, n, w->image);
        double bend = block_dot(w->way, w->image, n);
        if (!(bend > 0.0)) {
            done.bent = true;
            if (done.iterations == 0) {
                memcpy(x, w->way, bytes);
            }
            break;
        }
        double step = now / bend;
        for (int32_t i = 0; i < n; ++i) {
            x[i] = p3_mad(x[i], w->way[i], step);
            w->residual[i] = p3_mad(w->residual[i], w->image[i], -step);
        }
        if (block_dot(w->residual, w->residual, n) <= enough) {
            ++done.iterations;
            break;
        }
    }
    return done;
}
