/* SPDX-License-Identifier: MIT
 * The 128-bit backends of base/simd.h (SSE2, NEON of 64-bit ARM, wasm simd128): a wide float is two
 * halves of 4, a wide double four quarters of 2. The first part names each machine's instructions,
 * the second makes pairs of them.
 */
#ifndef LIMBER_SIMD_PAIR_H
#define LIMBER_SIMD_PAIR_H

#if defined(LIM_ISA_SSE2)
#include <emmintrin.h>
typedef __m128 f4;
typedef __m128 m4;
typedef __m128d d2;

#define F4_LOAD(p)               _mm_load_ps(p)
#define F4_LOADU(p)              _mm_loadu_ps(p)
#define F4_STORE(p, a)           _mm_store_ps(p, a)
#define F4_STOREU(p, a)          _mm_storeu_ps(p, a)
#define F4_SET1(x)               _mm_set1_ps(x)
#define F4_ADD(a, b)             _mm_add_ps(a, b)
#define F4_SUB(a, b)             _mm_sub_ps(a, b)
#define F4_MUL(a, b)             _mm_mul_ps(a, b)
#define F4_DIV(a, b)             _mm_div_ps(a, b)
#define F4_SQRT(a)               _mm_sqrt_ps(a)
#define F4_NEG(a)                _mm_xor_ps(a, _mm_set1_ps(-0.0f))
#define F4_ABS(a)                _mm_andnot_ps(_mm_set1_ps(-0.0f), a)
#define F4_MIN(a, b)             _mm_min_ps(a, b)
#define F4_MAX(a, b)             _mm_max_ps(a, b)
#define F4_LT(a, b)              _mm_cmplt_ps(a, b)
#define F4_LE(a, b)              _mm_cmple_ps(a, b)
#define M4_AND(a, b)             _mm_and_ps(a, b)
#define M4_OR(a, b)              _mm_or_ps(a, b)
#define M4_NOT(a)                _mm_xor_ps(a, _mm_castsi128_ps(_mm_set1_epi32(-1)))
#define M4_ANY(a)                (_mm_movemask_ps(a) != 0)
#define M4_ALL(a)                (_mm_movemask_ps(a) == 0xF)
#define M4_BITS(a)               ((unsigned)_mm_movemask_ps(a))
#define F4_SELECT(m, t, f)       _mm_or_ps(_mm_and_ps(m, t), _mm_andnot_ps(m, f))
#define F4_TRANSPOSE(a, b, c, d) _MM_TRANSPOSE4_PS(a, b, c, d)
#define F4_SPREAD(a, k)          _mm_shuffle_ps(a, a, (k)*0x55)
#define D2_LOAD(p)               _mm_load_pd(p)
#define D2_STORE(p, a)           _mm_store_pd(p, a)
#define D2_ZERO()                _mm_setzero_pd()
#define D2_FROM_LO(a)            _mm_cvtps_pd(a)
#define D2_FROM_HI(a)            _mm_cvtps_pd(_mm_movehl_ps(a, a))
#define D2_ADD(a, b)             _mm_add_pd(a, b)
#define D2_SUB(a, b)             _mm_sub_pd(a, b)
#define D2_MUL(a, b)             _mm_mul_pd(a, b)

#elif defined(LIM_ISA_NEON)
#include <arm_neon.h>
typedef float32x4_t f4;
typedef uint32x4_t m4;
typedef float64x2_t d2;

/* min and max by compare and select: the instructions treat NaN and zeros otherwise. */
#define F4_LOAD(p)         vld1q_f32(p)
#define F4_LOADU(p)        vld1q_f32(p)
#define F4_STORE(p, a)     vst1q_f32(p, a)
#define F4_STOREU(p, a)    vst1q_f32(p, a)
#define F4_SET1(x)         vdupq_n_f32(x)
#define F4_ADD(a, b)       vaddq_f32(a, b)
#define F4_SUB(a, b)       vsubq_f32(a, b)
#define F4_MUL(a, b)       vmulq_f32(a, b)
#define F4_DIV(a, b)       vdivq_f32(a, b)
#define F4_SQRT(a)         vsqrtq_f32(a)
#define F4_NEG(a)          vnegq_f32(a)
#define F4_ABS(a)          vabsq_f32(a)
#define F4_MIN(a, b)       vbslq_f32(vcltq_f32(a, b), a, b)
#define F4_MAX(a, b)       vbslq_f32(vcgtq_f32(a, b), a, b)
#define F4_LT(a, b)        vcltq_f32(a, b)
#define F4_LE(a, b)        vcleq_f32(a, b)
#define M4_AND(a, b)       vandq_u32(a, b)
#define M4_OR(a, b)        vorrq_u32(a, b)
#define M4_NOT(a)          vmvnq_u32(a)
#define M4_ANY(a)          (vmaxvq_u32(a) != 0)
#define M4_ALL(a)          (vminvq_u32(a) != 0)
#define M4_BITS(a)         ((unsigned)vaddvq_u32(vandq_u32(a, (uint32x4_t){1, 2, 4, 8})))
#define F4_SELECT(m, t, f) vbslq_f32(m, t, f)
#define F4_TRANSPOSE(a, b, c, d)                                                                   \
    do {                                                                                           \
        float32x4_t t0_ = vzip1q_f32(a, c), t1_ = vzip2q_f32(a, c);                                \
        float32x4_t t2_ = vzip1q_f32(b, d), t3_ = vzip2q_f32(b, d);                                \
        a = vzip1q_f32(t0_, t2_);                                                                  \
        b = vzip2q_f32(t0_, t2_);                                                                  \
        c = vzip1q_f32(t1_, t3_);                                                                  \
        d = vzip2q_f32(t1_, t3_);                                                                  \
    } while (0)
#define F4_SPREAD(a, k) vdupq_laneq_f32(a, k)
#define D2_LOAD(p)      vld1q_f64(p)
#define D2_STORE(p, a)  vst1q_f64(p, a)
#define D2_ZERO()       vdupq_n_f64(0.0)
#define D2_FROM_LO(a)   vcvt_f64_f32(vget_low_f32(a))
#define D2_FROM_HI(a)   vcvt_high_f64_f32(a)
#define D2_ADD(a, b)    vaddq_f64(a, b)
#define D2_SUB(a, b)    vsubq_f64(a, b)
#define D2_MUL(a, b)    vmulq_f64(a, b)

#else
#include <wasm_simd128.h>
typedef v128_t f4;
typedef v128_t m4;
typedef v128_t d2;

/* pmin(x, y) is y < x ? y : x and pmax(x, y) is x < y ? y : x, so the operands change places. */
#define F4_LOAD(p)         wasm_v128_load(p)
#define F4_LOADU(p)        wasm_v128_load(p)
#define F4_STORE(p, a)     wasm_v128_store(p, a)
#define F4_STOREU(p, a)    wasm_v128_store(p, a)
#define F4_SET1(x)         wasm_f32x4_splat(x)
#define F4_ADD(a, b)       wasm_f32x4_add(a, b)
#define F4_SUB(a, b)       wasm_f32x4_sub(a, b)
#define F4_MUL(a, b)       wasm_f32x4_mul(a, b)
#define F4_DIV(a, b)       wasm_f32x4_div(a, b)
#define F4_SQRT(a)         wasm_f32x4_sqrt(a)
#define F4_NEG(a)          wasm_f32x4_neg(a)
#define F4_ABS(a)          wasm_f32x4_abs(a)
#define F4_MIN(a, b)       wasm_f32x4_pmin(b, a)
#define F4_MAX(a, b)       wasm_f32x4_pmax(b, a)
#define F4_LT(a, b)        wasm_f32x4_lt(a, b)
#define F4_LE(a, b)        wasm_f32x4_le(a, b)
#define M4_AND(a, b)       wasm_v128_and(a, b)
#define M4_OR(a, b)        wasm_v128_or(a, b)
#define M4_NOT(a)          wasm_v128_not(a)
#define M4_ANY(a)          wasm_v128_any_true(a)
#define M4_ALL(a)          wasm_i32x4_all_true(a)
#define M4_BITS(a)         ((unsigned)wasm_i32x4_bitmask(a))
#define F4_SELECT(m, t, f) wasm_v128_bitselect(t, f, m)
#define F4_TRANSPOSE(a, b, c, d)                                                                   \
    do {                                                                                           \
        v128_t t0_ = wasm_i32x4_shuffle(a, c, 0, 4, 1, 5);                                         \
        v128_t t1_ = wasm_i32x4_shuffle(a, c, 2, 6, 3, 7);                                         \
        v128_t t2_ = wasm_i32x4_shuffle(b, d, 0, 4, 1, 5);                                         \
        v128_t t3_ = wasm_i32x4_shuffle(b, d, 2, 6, 3, 7);                                         \
        a = wasm_i32x4_shuffle(t0_, t2_, 0, 4, 1, 5);                                              \
        b = wasm_i32x4_shuffle(t0_, t2_, 2, 6, 3, 7);                                              \
        c = wasm_i32x4_shuffle(t1_, t3_, 0, 4, 1, 5);                                              \
        d = wasm_i32x4_shuffle(t1_, t3_, 2, 6, 3, 7);                                              \
    } while (0)
#define F4_SPREAD(a, k) wasm_i32x4_shuffle(a, a, k, k, k, k)
#define D2_LOAD(p)      wasm_v128_load(p)
#define D2_STORE(p, a)  wasm_v128_store(p, a)
#define D2_ZERO()       wasm_f64x2_splat(0.0)
#define D2_FROM_LO(a)   wasm_f64x2_promote_low_f32x4(a)
#define D2_FROM_HI(a)   wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a, a, 2, 3, 2, 3))
#define D2_ADD(a, b)    wasm_f64x2_add(a, b)
#define D2_SUB(a, b)    wasm_f64x2_sub(a, b)
#define D2_MUL(a, b)    wasm_f64x2_mul(a, b)
#endif

typedef struct fw {
    f4 lo, hi;
} fw;
typedef struct mw {
    m4 lo, hi;
} mw;
typedef struct dw {
    d2 quarter[4];
} dw;

static inline fw fw_load(const float* from) {
    return (fw){F4_LOAD(from), F4_LOAD(from + 4)};
}
static inline fw fw_loadu(const float* from) {
    return (fw){F4_LOADU(from), F4_LOADU(from + 4)};
}
static inline void fw_store(float* to, fw a) {
    F4_STORE(to, a.lo);
    F4_STORE(to + 4, a.hi);
}
static inline void fw_storeu(float* to, fw a) {
    F4_STOREU(to, a.lo);
    F4_STOREU(to + 4, a.hi);
}
static inline fw fw_set1(float x) {
    return (fw){F4_SET1(x), F4_SET1(x)};
}
static inline fw fw_zero(void) {
    return fw_set1(0.0f);
}
static inline fw fw_add(fw a, fw b) {
    return (fw){F4_ADD(a.lo, b.lo), F4_ADD(a.hi, b.hi)};
}
static inline fw fw_sub(fw a, fw b) {
    return (fw){F4_SUB(a.lo, b.lo), F4_SUB(a.hi, b.hi)};
}
static inline fw fw_mul(fw a, fw b) {
    return (fw){F4_MUL(a.lo, b.lo), F4_MUL(a.hi, b.hi)};
}
static inline fw fw_div(fw a, fw b) {
    return (fw){F4_DIV(a.lo, b.lo), F4_DIV(a.hi, b.hi)};
}
static inline fw fw_sqrt(fw a) {
    return (fw){F4_SQRT(a.lo), F4_SQRT(a.hi)};
}
static inline fw fw_neg(fw a) {
    return (fw){F4_NEG(a.lo), F4_NEG(a.hi)};
}
static inline fw fw_abs(fw a) {
    return (fw){F4_ABS(a.lo), F4_ABS(a.hi)};
}
static inline fw fw_min(fw a, fw b) {
    return (fw){F4_MIN(a.lo, b.lo), F4_MIN(a.hi, b.hi)};
}
static inline fw fw_max(fw a, fw b) {
    return (fw){F4_MAX(a.lo, b.lo), F4_MAX(a.hi, b.hi)};
}

static inline mw fw_lt(fw a, fw b) {
    return (mw){F4_LT(a.lo, b.lo), F4_LT(a.hi, b.hi)};
}
static inline mw fw_le(fw a, fw b) {
    return (mw){F4_LE(a.lo, b.lo), F4_LE(a.hi, b.hi)};
}
static inline mw fw_gt(fw a, fw b) {
    return fw_lt(b, a);
}
static inline mw fw_ge(fw a, fw b) {
    return fw_le(b, a);
}
static inline mw mw_and(mw a, mw b) {
    return (mw){M4_AND(a.lo, b.lo), M4_AND(a.hi, b.hi)};
}
static inline mw mw_or(mw a, mw b) {
    return (mw){M4_OR(a.lo, b.lo), M4_OR(a.hi, b.hi)};
}
static inline mw mw_not(mw a) {
    return (mw){M4_NOT(a.lo), M4_NOT(a.hi)};
}
static inline bool mw_any(mw a) {
    return M4_ANY(a.lo) || M4_ANY(a.hi);
}
static inline unsigned mw_bits(mw a) {
    return M4_BITS(a.lo) | M4_BITS(a.hi) << 4;
}
static inline bool mw_all(mw a) {
    return M4_ALL(a.lo) && M4_ALL(a.hi);
}
static inline fw fw_select(mw m, fw if_true, fw if_false) {
    return (fw){F4_SELECT(m.lo, if_true.lo, if_false.lo), F4_SELECT(m.hi, if_true.hi, if_false.hi)};
}

static inline void fw_transpose8(fw r[8]) {
    /* Each 4x4 block in itself, then the two off the diagonal change places. */
    F4_TRANSPOSE(r[0].lo, r[1].lo, r[2].lo, r[3].lo);
    F4_TRANSPOSE(r[0].hi, r[1].hi, r[2].hi, r[3].hi);
    F4_TRANSPOSE(r[4].lo, r[5].lo, r[6].lo, r[7].lo);
    F4_TRANSPOSE(r[4].hi, r[5].hi, r[6].hi, r[7].hi);
    for (int i = 0; i < 4; ++i) {
        f4 swap = r[i].hi;
        r[i].hi = r[i + 4].lo;
        r[i + 4].lo = swap;
    }
}

static inline fw fw_pair4(const float* first, const float* second) {
    return (fw){F4_LOADU(first), F4_LOADU(second)};
}
static inline void fw_unpair4(float* first, float* second, fw a) {
    F4_STOREU(first, a.lo);
    F4_STOREU(second, a.hi);
}
static inline void fw_turn4(fw r[4]) {
    F4_TRANSPOSE(r[0].lo, r[1].lo, r[2].lo, r[3].lo);
    F4_TRANSPOSE(r[0].hi, r[1].hi, r[2].hi, r[3].hi);
}
KERNEL_INLINE fw fw_spread4(fw a, int which) {
    switch (which) {
    case 0:
        return (fw){F4_SPREAD(a.lo, 0), F4_SPREAD(a.hi, 0)};
    case 1:
        return (fw){F4_SPREAD(a.lo, 1), F4_SPREAD(a.hi, 1)};
    case 2:
        return (fw){F4_SPREAD(a.lo, 2), F4_SPREAD(a.hi, 2)};
    default:
        return (fw){F4_SPREAD(a.lo, 3), F4_SPREAD(a.hi, 3)};
    }
}

/* Rows a, b, c, d of 4 lanes become half of each of out[0..3]. */
#define PAIR_COLUMNS(half, a, b, c, d)                                                             \
    do {                                                                                           \
        f4 a_ = a, b_ = b, c_ = c, d_ = d;                                                         \
        F4_TRANSPOSE(a_, b_, c_, d_);                                                              \
        out[0].half = a_;                                                                          \
        out[1].half = b_;                                                                          \
        out[2].half = c_;                                                                          \
        out[3].half = d_;                                                                          \
    } while (0)

static inline void fw_columns4(const fw rows[8], fw out[4]) {
    PAIR_COLUMNS(lo, rows[0].lo, rows[1].lo, rows[2].lo, rows[3].lo);
    PAIR_COLUMNS(hi, rows[4].lo, rows[5].lo, rows[6].lo, rows[7].lo);
}
static inline void fw_load4(const float* from, fw out[4]) {
    PAIR_COLUMNS(lo, F4_LOADU(from), F4_LOADU(from + 4), F4_LOADU(from + 8), F4_LOADU(from + 12));
    PAIR_COLUMNS(hi, F4_LOADU(from + 16), F4_LOADU(from + 20), F4_LOADU(from + 24),
                 F4_LOADU(from + 28));
}
/* Rows of 3 by loads of 4, the last by itself: nothing behind it is read. */
static inline void fw_load3(const float* from, fw out3[3]) {
    fw out[4];
    float last[4] = {from[21], from[22], from[23], 0.0f};
    PAIR_COLUMNS(lo, F4_LOADU(from), F4_LOADU(from + 3), F4_LOADU(from + 6), F4_LOADU(from + 9));
    PAIR_COLUMNS(hi, F4_LOADU(from + 12), F4_LOADU(from + 15), F4_LOADU(from + 18), F4_LOADU(last));
    for (int k = 0; k < 3; ++k) {
        out3[k] = out[k];
    }
}
#undef PAIR_COLUMNS
static inline void fw_store4(float* to, const fw in[4]) {
    for (int half = 0; half < 2; ++half) {
        f4 a = half == 0 ? in[0].lo : in[0].hi, b = half == 0 ? in[1].lo : in[1].hi;
        f4 c = half == 0 ? in[2].lo : in[2].hi, d = half == 0 ? in[3].lo : in[3].hi;
        F4_TRANSPOSE(a, b, c, d);
        F4_STOREU(to + 16 * half, a);
        F4_STOREU(to + 16 * half + 4, b);
        F4_STOREU(to + 16 * half + 8, c);
        F4_STOREU(to + 16 * half + 12, d);
    }
}
/* Each row of 3 is stored as 4, its last float overwritten by the next row. */
static inline void fw_store3(float* to, const fw in[3]) {
    for (int half = 0; half < 2; ++half) {
        f4 a = half == 0 ? in[0].lo : in[0].hi, b = half == 0 ? in[1].lo : in[1].hi;
        f4 c = half == 0 ? in[2].lo : in[2].hi, d = F4_SET1(0.0f);
        F4_TRANSPOSE(a, b, c, d);
        float last[4];
        F4_STOREU(last, d);
        F4_STOREU(to + 12 * half, a);
        F4_STOREU(to + 12 * half + 3, b);
        F4_STOREU(to + 12 * half + 6, c);
        for (int k = 0; k < 3; ++k) {
            to[12 * half + 9 + k] = last[k];
        }
    }
}

static inline dw dw_load(const double* from) {
    return (dw){{D2_LOAD(from), D2_LOAD(from + 2), D2_LOAD(from + 4), D2_LOAD(from + 6)}};
}
static inline void dw_store(double* to, dw a) {
    for (int i = 0; i < 4; ++i) {
        D2_STORE(to + 2 * i, a.quarter[i]);
    }
}
static inline dw dw_zero(void) {
    return (dw){{D2_ZERO(), D2_ZERO(), D2_ZERO(), D2_ZERO()}};
}
static inline dw dw_from(fw a) {
    return (dw){{D2_FROM_LO(a.lo), D2_FROM_HI(a.lo), D2_FROM_LO(a.hi), D2_FROM_HI(a.hi)}};
}
static inline dw dw_add(dw a, dw b) {
    dw r;
    for (int i = 0; i < 4; ++i) {
        r.quarter[i] = D2_ADD(a.quarter[i], b.quarter[i]);
    }
    return r;
}
static inline dw dw_sub(dw a, dw b) {
    dw r;
    for (int i = 0; i < 4; ++i) {
        r.quarter[i] = D2_SUB(a.quarter[i], b.quarter[i]);
    }
    return r;
}
static inline dw dw_mul(dw a, dw b) {
    dw r;
    for (int i = 0; i < 4; ++i) {
        r.quarter[i] = D2_MUL(a.quarter[i], b.quarter[i]);
    }
    return r;
}

#endif
