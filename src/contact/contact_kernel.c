/* SPDX-License-Identifier: MIT
 * Job: contact with colliders, eight slots or places at a time. In: node state, places. Out: gaps,
 * moves, what nodes cover. Lanes are independent, and of what they have found the least or the
 * largest counts: the same on every instruction set.
 */
#include "contact/contact_kernel.h"

#include "base/simd.h"

extern const contact_kernels KERNEL(contact_kernels);

static inline float largest_of(fw v, float most) {
    float lane[FW_LANES];
    fw_storeu(lane, v);
    for (int k = 0; k < FW_LANES; ++k) {
        most = lane[k] > most ? lane[k] : most;
    }
    return most;
}

static inline float least_of(fw v, float least) {
    return -largest_of(fw_neg(v), -least);
}

static inline fw dot(lim_vec3 normal, const fw x[3]) {
    fw sum = fw_mul(fw_set1(normal.x), x[0]);
    return fw_mad(fw_set1(normal.z), x[2], fw_mad(fw_set1(normal.y), x[1], sum));
}

static inline void load(float* const from[3], int32_t i, fw x[3]) {
    for (int k = 0; k < 3; ++k) {
        x[k] = fw_loadu(from[k] + i);
    }
}

static float longest(float* const vectors[3], int32_t begin, int32_t end) {
    fw most = fw_zero();
    for (int32_t i = begin; i < end; i += FW_LANES) {
        fw x[3];
        load(vectors, i, x);
        most = fw_max(fw_mad(x[2], x[2], fw_mad(x[1], x[1], fw_mul(x[0], x[0]))), most);
    }
    return largest_of(most, 0.0f);
}

static void along(float* const vectors[3], lim_vec3 normal, int32_t begin, int32_t end,
                  float* out) {
    for (int32_t i = begin; i < end; i += FW_LANES) {
        fw x[3];
        load(vectors, i, x);
        fw_storeu(out + i, dot(normal, x));
    }
}

static void gaps(float* const place[3], lim_vec3 normal, float offset, float more, int32_t begin,
                 int32_t end, float* out) {
    fw from = fw_set1(offset), deep = fw_set1(more);
    for (int32_t i = begin; i < end; i += FW_LANES) {
        fw x[3];
        load(place, i, x);
        fw_storeu(out + i, fw_add(fw_sub(dot(normal, x), from), deep));
    }
}

static float moves(const node_state* nodes, int32_t begin, int32_t end, float* const io[3]) {
    fw most = fw_zero();
    for (int32_t i = begin; i < end; i += FW_LANES) {
        fw square = fw_zero();
        for (int k = 0; k < 3; ++k) {
            fw way = fw_sub(fw_loadu(nodes->d[k] + i), fw_loadu(io[k] + i));
            fw_storeu(io[k] + i, way);
            square = fw_mad(way, way, square);
        }
        most = fw_max(square, most);
    }
    return largest_of(most, 0.0f);
}

/* Squares of |B| of 8 nodes. */
static inline fw bends_of(const float* affine) {
    fw row[8];
    _Alignas(32) float last[FW_LANES];
    for (int k = 0; k < 8; ++k) {
        row[k] = fw_loadu(affine + 16 * k);
        last[k] = affine[16 * k + 8];
    }
    fw_transpose8(row);
    fw sum = fw_mul(row[0], row[0]), b8 = fw_load(last);
    for (int k = 1; k < 8; ++k) {
        sum = fw_mad(row[k], row[k], sum);
    }
    return fw_mad(b8, b8, sum);
}

static void bends(const node_state* nodes, int32_t begin, int32_t end, float* out,
                  contact_extent* io) {
    const float at_low[3] = {io->low.x, io->low.y, io->low.z};
    const float at_high[3] = {io->high.x, io->high.y, io->high.z};
    fw low[3], high[3], most = fw_zero(), zero = fw_zero();
    for (int k = 0; k < 3; ++k) {
        low[k] = fw_set1(at_low[k]);
        high[k] = fw_set1(at_high[k]);
    }
    for (int32_t i = begin; i < end; i += FW_LANES) {
        fw square = bends_of(nodes->affine + 16 * (size_t)i);
        mw there = fw_gt(fw_loadu(nodes->mass + i), zero);
        fw_storeu(out + i, fw_sqrt(square));
        most = fw_max(fw_select(there, square, zero), most);
        for (int k = 0; k < 3; ++k) {
            fw x = fw_add(fw_loadu(nodes->x0[k] + i), fw_loadu(nodes->d[k] + i));
            low[k] = fw_select(there, fw_min(x, low[k]), low[k]);
            high[k] = fw_select(there, fw_max(x, high[k]), high[k]);
        }
    }
    io->low =
        v3(least_of(low[0], at_low[0]), least_of(low[1], at_low[1]), least_of(low[2], at_low[2]));
    io->high = v3(largest_of(high[0], at_high[0]), largest_of(high[1], at_high[1]),
                  largest_of(high[2], at_high[2]));
    io->bend = largest_of(most, io->bend);
}

/* What is not finite is low. */
static inline unsigned not_above(fw place, fw height) {
    return 0xFFu & ~mw_bits(fw_gt(place, height));
}

static void low(const node_state* nodes, lim_vec3 normal, float height, const float* bend,
                const float* reach, int32_t begin, int32_t end, uint8_t* out) {
    fw most = fw_set1(height), sure = fw_set1(1.0f + CONTACT_SLACK);
    for (int32_t i = begin; i < end; i += FW_LANES) {
        fw x[3], d[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = fw_loadu(nodes->x0[k] + i);
        }
        load(nodes->d, i, d);
        fw place = fw_add(dot(normal, x), dot(normal, d));
        if (reach != NULL) {
            fw away = fw_mul(fw_add(sure, fw_loadu(bend + i)), fw_loadu(reach + i));
            place = fw_sub(place, away);
        }
        out[(i - begin) / FW_LANES] = (uint8_t)not_above(place, most);
    }
}

static int32_t next_low(const float* places, lim_vec3 normal, float height, int32_t i,
                        int32_t count) {
    fw most = fw_set1(height);
    for (; i + FW_LANES <= count; i += FW_LANES) {
        fw x[3];
        fw_load3(places + 3 * (size_t)i, x);
        if (not_above(dot(normal, x), most) != 0) {
            return i;
        }
    }
    return i;
}

const contact_kernels KERNEL(contact_kernels) = {.gaps = gaps,
                                                 .moves = moves,
                                                 .longest = longest,
                                                 .along = along,
                                                 .bends = bends,
                                                 .low = low,
                                                 .next_low = next_low};
