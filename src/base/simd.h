/* SPDX-License-Identifier: MIT
 * Wide floats: 8 lanes of float in every backend, written once and compiled per instruction set
 * (base/isa.h). Only + - x / sqrt, compares and selects; no fused multiply-add and no reciprocal
 * estimates, and never a sum across float lanes: so every backend gives the same bits, and the
 * scalar one is the reference. (The bits of a NaN that arithmetic makes are not promised.)
 *
 * fw  8 floats     fw_load fw_store (aligned to 32 bytes) fw_loadu fw_storeu fw_set1 fw_zero
 *                  fw_add fw_sub fw_mul fw_div fw_sqrt fw_neg fw_abs
 *                  fw_min = a < b ? a : b, fw_max = a > b ? a : b (so the second for NaN and for
 *                  zeros of two signs), fw_mad = a b + c in two roundings
 *                  fw_gather (base[index[lane]]), fw_transpose8 (8x8 in place), fw_lane
 *                  fw_columns4 (the first 4 columns of 8 rows), fw_load3 fw_store3 fw_load4
 *                  fw_store4 (8 vectors of 3 or 4 floats one after the other, any alignment)
 *                  fw_pair4 fw_unpair4 (two rows of 4 floats as one, any alignment), fw_spread4
 * (one of the 4 in all places of its row), fw_turn4 (4 pairs of rows: the first rows are
 *                  transposed, and the second)
 * mw  8 booleans   fw_lt fw_le fw_gt fw_ge (false for NaN) mw_and mw_or mw_not mw_any mw_all
 *                  mw_bits (one bit per lane, that of lane 0 lowest)
 *                  fw_select(m, if_true, if_false) copies bits, also those of a NaN
 * dw  8 doubles    dw_load dw_store (aligned to 32 bytes) dw_zero dw_from(fw) dw_add dw_sub dw_mul
 *                  dw_sum = ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))
 */
#ifndef LIMBER_SIMD_H
#define LIMBER_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

enum { FW_LANES = 8 };

/* Of functions whose arguments are constants where they are called: a copy for each, with loops
 * unrolled into registers. Left to itself the compiler makes one copy for all as soon as they are
 * long, at up to twice the cost. */
#define KERNEL_INLINE static inline __attribute__((always_inline))
/* The same of whole passes. Those of the scalar backend, which is there to compare with, stay
 * short. */
#if defined(LIM_ISA_SCALAR)
#define KERNEL_PASS static inline
#else
#define KERNEL_PASS KERNEL_INLINE
#endif

#if defined(LIM_ISA_AVX2)
#include "base/simd_avx2.h"
#elif defined(LIM_ISA_SSE2) || defined(LIM_ISA_NEON) || defined(LIM_ISA_WASM)
#include "base/simd_pair.h"
#else
#include "base/simd_scalar.h"
#endif

/* What follows is the same for every backend. */

static inline fw fw_mad(fw a, fw b, fw c) {
    return fw_add(fw_mul(a, b), c);
}
static inline fw fw_gather(const float* base, const int32_t index[8]) {
    _Alignas(32) float lanes[FW_LANES];
    for (int i = 0; i < FW_LANES; ++i) {
        lanes[i] = base[index[i]];
    }
    return fw_load(lanes);
}
static inline float fw_lane(fw a, int lane) {
    _Alignas(32) float lanes[FW_LANES];
    fw_store(lanes, a);
    return lanes[lane];
}
#if !defined(LIM_ISA_AVX2)
static inline double dw_sum(dw a) {
    _Alignas(32) double lanes[FW_LANES];
    dw_store(lanes, a);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}
#endif

#endif
