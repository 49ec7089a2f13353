/* SPDX-License-Identifier: MIT
 * Job: sums of records along lists, compiled once per instruction set. In: lists, records of 2 or 3
 * strips. Out: the output records. One record is one or a few cache lines, so a gather is a handful
 * of aligned loads; the additions run in list order.
 */
#include "base/simd.h"
#include "net/net.h"

/* One output: the sum of `count` records of `strips` strips. A constant `strips` unrolls the loop.
 */
static inline void sum_list(const int32_t* list, int32_t count, const float* records,
                            int32_t strips, float* out) {
    fw sum[NET_FORWARD_STRIPS];
    for (int32_t s = 0; s < strips; ++s) {
        sum[s] = fw_zero();
    }
    if (count > 0) {
        const float* first = records + (size_t)list[0] * (size_t)strips * 8;
        for (int32_t s = 0; s < strips; ++s) {
            sum[s] = fw_load(first + 8 * s);
        }
        for (int32_t e = 1; e < count; ++e) {
            const float* input = records + (size_t)list[e] * (size_t)strips * 8;
            for (int32_t s = 0; s < strips; ++s) {
                sum[s] = fw_add(sum[s], fw_load(input + 8 * s));
            }
        }
    }
    for (int32_t s = 0; s < strips; ++s) {
        fw_store(out + 8 * s, sum[s]);
    }
}

static inline void sum_range(const int32_t* offset, const int32_t* items, float* records,
                             int32_t strips, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        sum_list(items + offset[i], offset[i + 1] - offset[i], records, strips,
                 records + (size_t)i * (size_t)strips * 8);
    }
}

static void sum_any(const int32_t* offset, const int32_t* items, float* records, int32_t strips,
                    int32_t begin, int32_t end) {
    if (strips == 3) {
        sum_range(offset, items, records, 3, begin, end);
    } else if (strips == 2) {
        sum_range(offset, items, records, 2, begin, end);
    } else {
        sum_range(offset, items, records, 1, begin, end);
    }
}

static void net_forward(const net* n, float* records, int32_t strips, int32_t begin, int32_t end) {
    sum_any(n->forward_offset, n->forward, records, strips, begin, end);
}

static void net_adjoint(const net* n, float* records, int32_t strips, int32_t begin, int32_t end) {
    sum_any(n->back_offset, n->back, records, strips, begin, end);
}

const net_kernels KERNEL(net_kernels) = {net_forward, net_adjoint};
