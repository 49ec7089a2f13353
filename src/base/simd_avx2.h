/* SPDX-License-Identifier: MIT
 * The AVX2 backend of base/simd.h: one 256-bit register per wide float, two per wide double.
 */
#ifndef LIMBER_SIMD_AVX2_H
#define LIMBER_SIMD_AVX2_H

#include <immintrin.h>

typedef __m256 fw;
typedef __m256 mw;
typedef struct dw {
    __m256d lo, hi;
} dw;

static inline fw fw_load(const float* from) {
    return _mm256_load_ps(from);
}
static inline fw fw_loadu(const float* from) {
    return _mm256_loadu_ps(from);
}
static inline void fw_store(float* to, fw a) {
    _mm256_store_ps(to, a);
}
static inline void fw_storeu(float* to, fw a) {
    _mm256_storeu_ps(to, a);
}
static inline fw fw_set1(float x) {
    return _mm256_set1_ps(x);
}
static inline fw fw_zero(void) {
    return _mm256_setzero_ps();
}
static inline fw fw_add(fw a, fw b) {
    return _mm256_add_ps(a, b);
}
static inline fw fw_sub(fw a, fw b) {
    return _mm256_sub_ps(a, b);
}
static inline fw fw_mul(fw a, fw b) {
    return _mm256_mul_ps(a, b);
}
static inline fw fw_div(fw a, fw b) {
    return _mm256_div_ps(a, b);
}
static inline fw fw_sqrt(fw a) {
    return _mm256_sqrt_ps(a);
}
static inline fw fw_neg(fw a) {
    return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f));
}
static inline fw fw_abs(fw a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
/* The instructions give their second operand unless the first is strictly less (greater). */
static inline fw fw_min(fw a, fw b) {
    return _mm256_min_ps(a, b);
}
static inline fw fw_max(fw a, fw b) {
    return _mm256_max_ps(a, b);
}

static inline mw fw_lt(fw a, fw b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline mw fw_le(fw a, fw b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
static inline mw fw_gt(fw a, fw b) {
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
static inline mw fw_ge(fw a, fw b) {
    return _mm256_cmp_ps(a, b, _CMP_GE_OQ);
}
static inline mw mw_and(mw a, mw b) {
    return _mm256_and_ps(a, b);
}
static inline mw mw_or(mw a, mw b) {
    return _mm256_or_ps(a, b);
}
static inline mw mw_not(mw a) {
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}
static inline bool mw_any(mw a) {
    return _mm256_movemask_ps(a) != 0;
}
static inline bool mw_all(mw a) {
    return _mm256_movemask_ps(a) == 0xFF;
}
static inline fw fw_select(mw m, fw if_true, fw if_false) {
    return _mm256_blendv_ps(if_false, if_true, m);
}

static inline void fw_transpose8(fw r[8]) {
    /* Pairs, then quads within each half, then the halves. */
    __m256 p[8], q[8];
    for (int i = 0; i < 4; ++i) {
        p[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        p[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 2; ++i) {
        q[4 * i] = _mm256_shuffle_ps(p[4 * i], p[4 * i + 2], 0x44);
        q[4 * i + 1] = _mm256_shuffle_ps(p[4 * i], p[4 * i + 2], 0xEE);
        q[4 * i + 2] = _mm256_shuffle_ps(p[4 * i + 1], p[4 * i + 3], 0x44);
        q[4 * i + 3] = _mm256_shuffle_ps(p[4 * i + 1], p[4 * i + 3], 0xEE);
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm256_permute2f128_ps(q[i], q[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(q[i], q[i + 4], 0x31);
    }
}

static inline dw dw_load(const double* from) {
    return (dw){_mm256_load_pd(from), _mm256_load_pd(from + 4)};
}
static inline void dw_store(double* to, dw a) {
    _mm256_store_pd(to, a.lo);
    _mm256_store_pd(to + 4, a.hi);
}
static inline dw dw_zero(void) {
    return (dw){_mm256_setzero_pd(), _mm256_setzero_pd()};
}
static inline dw dw_from(fw a) {
    return (dw){_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))};
}
static inline dw dw_add(dw a, dw b) {
    return (dw){_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)};
}
static inline dw dw_sub(dw a, dw b) {
    return (dw){_mm256_sub_pd(a.lo, b.lo), _mm256_sub_pd(a.hi, b.hi)};
}
static inline dw dw_mul(dw a, dw b) {
    return (dw){_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)};
}

#endif
