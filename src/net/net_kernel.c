/* SPDX-License-Identifier: MIT
 * Job: sums of records along lists, compiled once per instruction set. In: lists, records of 2 or 3
 * strips. Out: the output records. One record is one or a few cache lines, so a gather is a handful
 * of aligned loads; the additions run in list order.
 */
#include "net/gather.h"

KERNEL_PASS void sum_range(const int32_t* offset, const int32_t* items, const float* weight,
                           float* records, int32_t strips, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        fw sum[NET_FORWARD_STRIPS];
        gather_list(items + offset[i], weight != NULL ? weight + offset[i] : NULL,
                    offset[i + 1] - offset[i], records, strips, sum);
        for (int32_t s = 0; s < strips; ++s) {
            fw_store(records + (size_t)i * (size_t)strips * 8 + 8 * s, sum[s]);
        }
    }
}

/* One copy of the loop for each number of strips, with weights and without. */
KERNEL_PASS void sum_strips(const int32_t* offset, const int32_t* items, const float* weight,
                            float* records, int32_t strips, int32_t begin, int32_t end) {
    if (weight != NULL) {
        sum_range(offset, items, weight, records, strips, begin, end);
    } else {
        sum_range(offset, items, NULL, records, strips, begin, end);
    }
}

static void sum_any(const int32_t* offset, const int32_t* items, const float* weight,
                    float* records, int32_t strips, int32_t begin, int32_t end) {
    if (strips == 3) {
        sum_strips(offset, items, weight, records, 3, begin, end);
    } else if (strips == 2) {
        sum_strips(offset, items, weight, records, 2, begin, end);
    } else {
        sum_strips(offset, items, weight, records, 1, begin, end);
    }
}

static void net_forward(const net* n, float* records, int32_t strips, int32_t begin, int32_t end) {
    sum_any(n->forward_offset, n->forward, n->forward_weight, records, strips, begin, end);
}

static void net_adjoint(const net* n, float* records, int32_t strips, int32_t begin, int32_t end) {
    sum_any(n->back_offset, n->back, n->back_weight, records, strips, begin, end);
}

const net_kernels KERNEL(net_kernels) = {net_forward, net_adjoint};
