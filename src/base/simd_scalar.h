/* SPDX-License-Identifier: MIT
 * The scalar backend of base/simd.h: plain loops over 8 lanes, the reference for the others.
 */
#ifndef LIMBER_SIMD_SCALAR_H
#define LIMBER_SIMD_SCALAR_H

#include <math.h>

typedef struct fw {
    float lane[8];
} fw;
typedef struct mw {
    bool lane[8];
} mw;
typedef struct dw {
    double lane[8];
} dw;

#define SCALAR_EACH(type, expression)                                                              \
    type r;                                                                                        \
    for (int i = 0; i < 8; ++i) {                                                                  \
        r.lane[i] = (expression);                                                                  \
    }                                                                                              \
    return r

static inline fw fw_loadu(const float* from) {
    SCALAR_EACH(fw, from[i]);
}
static inline fw fw_load(const float* from) {
    return fw_loadu(from);
}
static inline void fw_storeu(float* to, fw a) {
    for (int i = 0; i < 8; ++i) {
        to[i] = a.lane[i];
    }
}
static inline void fw_store(float* to, fw a) {
    fw_storeu(to, a);
}
static inline fw fw_set1(float x) {
    SCALAR_EACH(fw, x);
}
static inline fw fw_zero(void) {
    return fw_set1(0.0f);
}
static inline fw fw_add(fw a, fw b) {
    SCALAR_EACH(fw, a.lane[i] + b.lane[i]);
}
static inline fw fw_sub(fw a, fw b) {
    SCALAR_EACH(fw, a.lane[i] - b.lane[i]);
}
static inline fw fw_mul(fw a, fw b) {
    SCALAR_EACH(fw, a.lane[i] * b.lane[i]);
}
static inline fw fw_div(fw a, fw b) {
    SCALAR_EACH(fw, a.lane[i] / b.lane[i]);
}
static inline fw fw_sqrt(fw a) {
    SCALAR_EACH(fw, sqrtf(a.lane[i]));
}
static inline fw fw_neg(fw a) {
    SCALAR_EACH(fw, -a.lane[i]);
}
static inline fw fw_abs(fw a) {
    SCALAR_EACH(fw, fabsf(a.lane[i]));
}
static inline fw fw_min(fw a, fw b) {
    SCALAR_EACH(fw, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
static inline fw fw_max(fw a, fw b) {
    SCALAR_EACH(fw, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}

static inline mw fw_lt(fw a, fw b) {
    SCALAR_EACH(mw, a.lane[i] < b.lane[i]);
}
static inline mw fw_le(fw a, fw b) {
    SCALAR_EACH(mw, a.lane[i] <= b.lane[i]);
}
static inline mw fw_gt(fw a, fw b) {
    SCALAR_EACH(mw, a.lane[i] > b.lane[i]);
}
static inline mw fw_ge(fw a, fw b) {
    SCALAR_EACH(mw, a.lane[i] >= b.lane[i]);
}
static inline mw mw_and(mw a, mw b) {
    SCALAR_EACH(mw, a.lane[i] && b.lane[i]);
}
static inline mw mw_or(mw a, mw b) {
    SCALAR_EACH(mw, a.lane[i] || b.lane[i]);
}
static inline mw mw_not(mw a) {
    SCALAR_EACH(mw, !a.lane[i]);
}
static inline bool mw_any(mw a) {
    bool any = false;
    for (int i = 0; i < 8; ++i) {
        any = any || a.lane[i];
    }
    return any;
}
static inline unsigned mw_bits(mw a) {
    unsigned bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits |= (unsigned)a.lane[i] << i;
    }
    return bits;
}
static inline bool mw_all(mw a) {
    bool all = true;
    for (int i = 0; i < 8; ++i) {
        all = all && a.lane[i];
    }
    return all;
}
static inline fw fw_select(mw m, fw if_true, fw if_false) {
    SCALAR_EACH(fw, m.lane[i] ? if_true.lane[i] : if_false.lane[i]);
}

static inline void fw_transpose8(fw r[8]) {
    for (int i = 0; i < 8; ++i) {
        for (int j = i + 1; j < 8; ++j) {
            float swap = r[i].lane[j];
            r[i].lane[j] = r[j].lane[i];
            r[j].lane[i] = swap;
        }
    }
}

static inline void fw_columns4(const fw rows[8], fw out[4]) {
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 4; ++k) {
            out[k].lane[i] = rows[i].lane[k];
        }
    }
}
static inline void fw_load3(const float* from, fw out[3]) {
    for (int i = 0; i < 24; ++i) {
        out[i % 3].lane[i / 3] = from[i];
    }
}
static inline void fw_store3(float* to, const fw in[3]) {
    for (int i = 0; i < 24; ++i) {
        to[i] = in[i % 3].lane[i / 3];
    }
}
static inline void fw_load4(const float* from, fw out[4]) {
    for (int i = 0; i < 32; ++i) {
        out[i % 4].lane[i / 4] = from[i];
    }
}
static inline void fw_store4(float* to, const fw in[4]) {
    for (int i = 0; i < 32; ++i) {
        to[i] = in[i % 4].lane[i / 4];
    }
}

static inline fw fw_pair4(const float* first, const float* second) {
    SCALAR_EACH(fw, i < 4 ? first[i] : second[i - 4]);
}
static inline void fw_unpair4(float* first, float* second, fw a) {
    for (int i = 0; i < 4; ++i) {
        first[i] = a.lane[i];
        second[i] = a.lane[i + 4];
    }
}
static inline void fw_turn4(fw r[4]) {
    fw was[4] = {r[0], r[1], r[2], r[3]};
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 8; ++k) {
            r[i].lane[k] = was[k % 4].lane[k / 4 * 4 + i];
        }
    }
}
static inline fw fw_spread4(fw a, int which) {
    SCALAR_EACH(fw, a.lane[i / 4 * 4 + which]);
}

static inline dw dw_load(const double* from) {
    SCALAR_EACH(dw, from[i]);
}
static inline void dw_store(double* to, dw a) {
    for (int i = 0; i < 8; ++i) {
        to[i] = a.lane[i];
    }
}
static inline dw dw_zero(void) {
    SCALAR_EACH(dw, 0.0);
}
static inline dw dw_from(fw a) {
    SCALAR_EACH(dw, (double)a.lane[i]);
}
static inline dw dw_add(dw a, dw b) {
    SCALAR_EACH(dw, a.lane[i] + b.lane[i]);
}
static inline dw dw_sub(dw a, dw b) {
    SCALAR_EACH(dw, a.lane[i] - b.lane[i]);
}
static inline dw dw_mul(dw a, dw b) {
    SCALAR_EACH(dw, a.lane[i] * b.lane[i]);
}

#undef SCALAR_EACH

#endif
