/* SPDX-License-Identifier: MIT
 * Job: the operations of base/simd.h for the instruction set this file is compiled for.
 */
#include "simd_kernel.h"

#include "base/simd.h"

simd_table KERNEL(simd_table)(void);

/* A mask as numbers: 1 where true. */
static fw ones(mw m) {
    return fw_select(m, fw_set1(1.0f), fw_zero());
}

static fw operate_wide(int operation, fw a, fw b, fw c, const float* from) {
    switch (operation) {
    case SIMD_ADD:
        return fw_add(a, b);
    case SIMD_SUB:
        return fw_sub(a, b);
    case SIMD_MUL:
        return fw_mul(a, b);
    case SIMD_DIV:
        return fw_div(a, b);
    case SIMD_SQRT:
        return fw_sqrt(a);
    case SIMD_MAD:
        return fw_mad(a, b, c);
    case SIMD_NEG:
        return fw_neg(a);
    case SIMD_ABS:
        return fw_abs(a);
    case SIMD_MIN:
        return fw_min(a, b);
    case SIMD_MAX:
        return fw_max(a, b);
    case SIMD_LT:
        return ones(fw_lt(a, b));
    case SIMD_LE:
        return ones(fw_le(a, b));
    case SIMD_GT:
        return ones(fw_gt(a, b));
    case SIMD_GE:
        return ones(fw_ge(a, b));
    case SIMD_AND:
        return ones(mw_and(fw_lt(a, b), fw_lt(b, c)));
    case SIMD_OR:
        return ones(mw_or(fw_lt(a, b), fw_lt(b, c)));
    case SIMD_NOT:
        return ones(mw_not(fw_lt(a, b)));
    case SIMD_SELECT:
        return fw_select(fw_lt(a, b), b, c);
    case SIMD_ANY_ALL:
        return fw_set1((mw_any(fw_lt(a, b)) ? 1.0f : 0.0f) + (mw_all(fw_lt(a, b)) ? 2.0f : 0.0f));
    case SIMD_BITS:
        return fw_set1((float)mw_bits(fw_lt(a, b)));
    case SIMD_SET1_ZERO:
        return fw_select(fw_lt(a, b), fw_set1(fw_lane(c, 3)), fw_zero());
    case SIMD_UNALIGNED:
        return fw_loadu(from + 1);
    case SIMD_LANE: {
        _Alignas(32) float lanes[FW_LANES];
        for (int i = 0; i < FW_LANES; ++i) {
            lanes[i] = fw_lane(a, FW_LANES - 1 - i);
        }
        return fw_load(lanes);
    }
    default:
        return fw_zero();
    }
}

static void operate(int operation, const float* a, const float* b, const float* c, float* out) {
    /* The unaligned load reads one past a; so it gets a longer copy. */
    float longer[FW_LANES + 1] = {0};
    for (int i = 0; i < FW_LANES; ++i) {
        longer[i + 1] = a[i];
    }
    float shifted[FW_LANES + 1];
    fw result = operate_wide(operation, fw_load(a), fw_load(b), fw_load(c), longer);
    fw_storeu(shifted + 1, result);
    fw_store(out, fw_loadu(shifted + 1));
}

static void transpose(float* m) {
    fw r[8];
    for (int i = 0; i < 8; ++i) {
        r[i] = fw_load(m + 8 * i);
    }
    fw_transpose8(r);
    for (int i = 0; i < 8; ++i) {
        fw_store(m + 8 * i, r[i]);
    }
}

static void columns(const float* m, float* out) {
    fw r[8], c[4];
    for (int i = 0; i < 8; ++i) {
        r[i] = fw_loadu(m + 8 * i);
    }
    fw_columns4(r, c);
    for (int i = 0; i < 4; ++i) {
        fw_storeu(out + 8 * i, c[i]);
    }
}

static void vectors(int width, const float* from, float* out, float* back) {
    fw c[4];
    if (width == 3) {
        fw_load3(from, c);
        fw_store3(back, c);
    } else {
        fw_load4(from, c);
        fw_store4(back, c);
    }
    for (int i = 0; i < width; ++i) {
        fw_storeu(out + 8 * i, c[i]);
    }
}

static void pairs(const float* from, float* out) {
    fw r[4];
    for (int i = 0; i < 4; ++i) {
        r[i] = fw_pair4(from + 4 * i, from + 4 * i + 16);
        fw_unpair4(out + 64 + 4 * i, out + 64 + 4 * i + 16, r[i]);
    }
    fw_storeu(out + 32, fw_spread4(r[0], 0));
    fw_storeu(out + 40, fw_spread4(r[0], 1));
    fw_storeu(out + 48, fw_spread4(r[0], 2));
    fw_storeu(out + 56, fw_spread4(r[0], 3));
    fw_turn4(r);
    for (int i = 0; i < 4; ++i) {
        fw_storeu(out + 8 * i, r[i]);
    }
}

static void gather(const float* base, const int32_t* index, float* out) {
    fw_store(out, fw_gather(base, index));
}

static void doubles(const double* a, const double* b, const float* f, double* out) {
    dw x = dw_load(a), y = dw_load(b);
    dw_store(out, dw_add(x, y));
    dw_store(out + 8, dw_sub(dw_add(x, dw_zero()), y));
    dw_store(out + 16, dw_mul(x, y));
    dw_store(out + 24, dw_from(fw_load(f)));
    out[32] = dw_sum(x);
}

simd_table KERNEL(simd_table)(void) {
    return (simd_table){operate, transpose, columns, vectors, pairs, gather, doubles};
}
