/* SPDX-License-Identifier: MIT
 * Job: products and weighted sums, 8 floats at a time. In: rows, blocks. Out: the same bits with
 * every instruction set.
 */
#include "detail/detail_kernel.h"

#include "base/simd.h"

#include <stddef.h>

static void detail_products(const float* row, int32_t rows, int32_t width, const float* u,
                            float* out) {
    for (int32_t r = 0; r < rows; ++r) {
        const float* n = row + (size_t)r * (size_t)width;
        fw sum = fw_zero();
        for (int32_t i = 0; i < width; i += FW_LANES) {
            sum = fw_mad(fw_loadu(n + i), fw_loadu(u + i), sum);
        }
        float lane[FW_LANES], total = 0.0f;
        fw_storeu(lane, sum);
        for (int k = 0; k < FW_LANES; ++k) {
            total += lane[k];
        }
        out[r] = total;
    }
}

static void detail_add(const int32_t* block, const float* value, int32_t count, float weight,
                       float* out) {
    fw w = fw_set1(weight);
    for (int32_t i = 0; i < count; ++i) {
        const float* from = value + (size_t)i * DETAIL_BLOCK;
        float* to = out + (size_t)block[i] * DETAIL_BLOCK;
        for (int k = 0; k < DETAIL_BLOCK; k += FW_LANES) {
            fw_storeu(to + k, fw_mad(w, fw_loadu(from + k), fw_loadu(to + k)));
        }
    }
}

const detail_kernels KERNEL(detail_kernels) = {detail_products, detail_add};
