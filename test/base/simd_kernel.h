/* SPDX-License-Identifier: MIT
 * Every operation of base/simd.h behind one function per instruction set, for test_simd.c.
 */
#ifndef LIMBER_SIMD_KERNEL_H
#define LIMBER_SIMD_KERNEL_H

#include "base/isa.h"

#include <stddef.h>
#include <stdint.h>

enum {
    SIMD_ADD,
    SIMD_SUB,
    SIMD_MUL,
    SIMD_DIV,
    SIMD_SQRT,
    SIMD_MAD,
    SIMD_NEG, /* from here on the bits of a NaN count too */
    SIMD_ABS,
    SIMD_MIN,
    SIMD_MAX,
    SIMD_LT,
    SIMD_LE,
    SIMD_GT,
    SIMD_GE,
    SIMD_AND,
    SIMD_OR,
    SIMD_NOT,
    SIMD_SELECT,
    SIMD_ANY_ALL,
    SIMD_BITS,
    SIMD_SET1_ZERO,
    SIMD_UNALIGNED,
    SIMD_LANE,
    SIMD_OPERATIONS
};

/* out[8] = operation(a[8], b[8], c[8]); a, b, c, out aligned to 32 bytes. */
typedef void simd_operate(int operation, const float* a, const float* b, const float* c,
                          float* out);
/* 64 floats, transposed in place. */
typedef void simd_transpose(float* m);
/* out[0..31] = the first 4 columns of 8 rows of 8 in m. */
typedef void simd_columns(const float* m, float* out);
/* 8 vectors of 3 or 4 floats: columns (8 floats each) from them, and back. */
typedef void simd_vectors(int width, const float* from, float* columns, float* back);
/* 4 pairs of rows of 4 from `from` (rows 0 and 4, 1 and 5, 2 and 6, 3 and 7): out[0..31] turned,
 * [32..63] each of the 4 places of rows 0 and 4 spread, [64..95] back where they came from. */
typedef void simd_pairs(const float* from, float* out);
typedef void simd_gather(const float* base, const int32_t* index, float* out);
/* out[0..7] = a + b, [8..15] = a - b, [16..23] = a b, [24..31] = f as doubles, [32] = sum of a. */
typedef void simd_doubles(const double* a, const double* b, const float* f, double* out);

typedef struct simd_table {
    simd_operate* operate;
    simd_transpose* transpose;
    simd_columns* columns;
    simd_vectors* vectors;
    simd_pairs* pairs;
    simd_gather* gather;
    simd_doubles* doubles;
} simd_table;

#endif
