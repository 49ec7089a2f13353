/* SPDX-License-Identifier: MIT
 * Job: weights by linear regression. In: examples, the present displacement. Out: weights that may
 * be negative and of any size. Normal equations by Cholesky, in double.
 */
#include "bench/linear_regression.h"

#include <math.h>

static double product(const float* a, const float* b, int32_t width) {
    double sum = 0.0;
    for (int32_t i = 0; i < width; ++i) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

lim_result linear_regression(arena* scratch, const float* example, int32_t count, int32_t width,
                             double ridge, const float* u, double* w) {
    size_t n = (size_t)count;
    double *m = ARENA_ARRAY(scratch, double, n*n), largest = 0.0;
    LIM_TRY_MEMORY(m);
    for (size_t i = 0; i < n; ++i) {
        const float* own = example + i * (size_t)width;
        for (size_t k = 0; k <= i; ++k) {
            m[i * n + k] = product(own, example + k * (size_t)width, width);
        }
        largest = m[i * n + i] > largest ? m[i * n + i] : largest;
        w[i] = product(own, u, width);
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k <= i; ++k) {
            double sum = m[i * n + k] + (i == k ? ridge * largest : 0.0);
            for (size_t j = 0; j < k; ++j) {
                sum -= m[i * n + j] * m[k * n + j];
            }
            m[i * n + k] = i == k ? sqrt(sum) : sum / m[k * n + k];
        }
        for (size_t k = 0; k < i; ++k) {
            w[i] -= m[i * n + k] * w[k];
        }
        w[i] /= m[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k) {
            w[i] -= m[k * n + i] * w[k];
        }
        w[i] /= m[i * n + i];
    }
    return LIM_OK;
}
