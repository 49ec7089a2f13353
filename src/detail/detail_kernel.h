/* SPDX-License-Identifier: MIT
 * The two loops of detail that cost time, compiled per instruction set (detail/detail_kernel.c):
 * products of one displacement with those of all examples, and weighted sums of fields.
 */
#ifndef LIMBER_DETAIL_KERNEL_H
#define LIMBER_DETAIL_KERNEL_H

#include "base/isa.h"
#include <stdint.h>

enum {
    DETAIL_LANES = 8,
    DETAIL_BLOCK = 3 * DETAIL_LANES /* floats of a block of a field: 8 x, 8 y, 8 z */
};

typedef struct detail_kernels {
    /* The product of u with each of `rows` rows; width: a multiple of 8. Summed lane by lane, the
     * lanes in order at the end. */
    void (*products)(const float* row, int32_t rows, int32_t width, const float* u, float* out);
    /* out[block[i]] += weight value[i] for blocks of DETAIL_BLOCK floats. */
    void (*add)(const int32_t* block, const float* value, int32_t count, float weight, float* out);
} detail_kernels;

const detail_kernels* detail_kernels_for(isa set);

#endif
