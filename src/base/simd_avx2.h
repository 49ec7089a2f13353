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
static inline unsigned mw_bits(mw a) {
    return (unsigned)_mm256_movemask_ps(a);
}
static inline bool mw_all(mw a) {
    return _mm256_movemask_ps(a) == 0xFF;
}
static inline fw fw_select(mw m, fw if_true, fw if_false) {
    return _mm256_blendv_ps(if_false, if_true, m);
}

KERNEL_INLINE void fw_transpose8(fw r[8]) {
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

/* Two rows of 4 lanes as the halves of one register. */
static inline __m256 avx2_halves(const float* low, const float* high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
static inline void avx2_store_halves(float* low, float* high, __m256 a) {
    _mm_storeu_ps(low, _mm256_castps256_ps128(a));
    _mm_storeu_ps(high, _mm256_extractf128_ps(a, 1));
}
/* 4x4 in each half. */
static inline void avx2_transpose4(fw r[4]) {
    __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(a, c, 0x44);
    r[1] = _mm256_shuffle_ps(a, c, 0xEE);
    r[2] = _mm256_shuffle_ps(b, d, 0x44);
    r[3] = _mm256_shuffle_ps(b, d, 0xEE);
}
static inline fw fw_pair4(const float* first, const float* second) {
    return avx2_halves(first, second);
}
static inline void fw_unpair4(float* first, float* second, fw a) {
    avx2_store_halves(first, second, a);
}
static inline void fw_turn4(fw r[4]) {
    avx2_transpose4(r);
}
KERNEL_INLINE fw fw_spread4(fw a, int which) {
    switch (which) {
    case 0:
        return _mm256_permute_ps(a, 0x00);
    case 1:
        return _mm256_permute_ps(a, 0x55);
    case 2:
        return _mm256_permute_ps(a, 0xAA);
    default:
        return _mm256_permute_ps(a, 0xFF);
    }
}
static inline void fw_columns4(const fw rows[8], fw out[4]) {
    for (int i = 0; i < 4; ++i) {
        out[i] = _mm256_insertf128_ps(rows[i], _mm256_castps256_ps128(rows[i + 4]), 1);
    }
    avx2_transpose4(out);
}
static inline void fw_load4(const float* from, fw out[4]) {
    for (int i = 0; i < 4; ++i) {
        out[i] = avx2_halves(from + 4 * i, from + 4 * i + 16);
    }
    avx2_transpose4(out);
}
static inline void fw_store4(float* to, const fw in[4]) {
    fw r[4] = {in[0], in[1], in[2], in[3]};
    avx2_transpose4(r);
    for (int i = 0; i < 4; ++i) {
        avx2_store_halves(to + 4 * i, to + 4 * i + 16, r[i]);
    }
}
/* In each half 4 vectors are 12 floats: x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3. */
static inline void fw_load3(const float* from, fw out[3]) {
    __m256 a = avx2_halves(from, from + 12), b = avx2_halves(from + 4, from + 16);
    __m256 c = avx2_halves(from + 8, from + 20);
    __m256 front = _mm256_shuffle_ps(a, b, 0x49); /* y0 z0 y1 z1 */
    __m256 back = _mm256_shuffle_ps(b, c, 0x9E);  /* x2 y2 x3 y3 */
    out[0] = _mm256_shuffle_ps(a, back, 0x8C);
    out[1] = _mm256_shuffle_ps(front, back, 0xD8);
    out[2] = _mm256_shuffle_ps(front, c, 0xCD);
}
static inline void fw_store3(float* to, const fw in[3]) {
    __m256 xy = _mm256_shuffle_ps(in[0], in[1], 0x88); /* x0 x2 y0 y2 */
    __m256 yz = _mm256_shuffle_ps(in[1], in[2], 0xDD); /* y1 y3 z1 z3 */
    __m256 zx = _mm256_shuffle_ps(in[2], in[0], 0xD8); /* z0 z2 x1 x3 */
    avx2_store_halves(to, to + 12, _mm256_shuffle_ps(xy, zx, 0x88));
    avx2_store_halves(to + 4, to + 16, _mm256_shuffle_ps(yz, xy, 0xD8));
    avx2_store_halves(to + 8, to + 20, _mm256_shuffle_ps(zx, yz, 0xDD));
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

/* Neighbours, neighbours of these, and the halves: what base/simd.h says, without leaving
 * registers. */
static inline double dw_sum(dw a) {
    __m256d pairs = _mm256_hadd_pd(a.lo, a.hi);
    __m128d quads = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    return _mm_cvtsd_f64(_mm_add_sd(quads, _mm_unpackhi_pd(quads, quads)));
}

#endif
