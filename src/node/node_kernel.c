/* SPDX-License-Identifier: MIT
 * Job: passes over the node arrays, compiled once per instruction set. In: ranges of slots
 * (multiples of 8). Out: block sums, moved nodes. Block sums add 8 groups of 8 in float lane by
 * lane, then the lanes in double: the error is some 1e-7 of the block's own absolute sum and does
 * not grow with the body.
 */
#include "base/simd.h"
#include "node/sums_kernel.h"

enum { FLUSH = 64 }; /* slots summed in float before the lanes go to double */

static void node_sums(const node_state* n, int32_t begin, int32_t end, const float anchor[3],
                      double out[NODE_SUMS]) {
    dw total[NODE_SUMS];
    const fw origin[3] = {fw_set1(anchor[0]), fw_set1(anchor[1]), fw_set1(anchor[2])};
    for (int k = 0; k < NODE_SUMS; ++k) {
        total[k] = dw_zero();
    }
    for (int32_t block = begin; block < end; block += FLUSH) {
        fw sum[NODE_SUMS];
        for (int k = 0; k < NODE_SUMS; ++k) {
            sum[k] = fw_zero();
        }
        int32_t stop = block + FLUSH < end ? block + FLUSH : end;
        for (int32_t i = block; i < stop; i += 8) {
            fw m = fw_load(n->mass + i);
            fw x0[3], d[3], x[3], v[3], mx[3], mv[3];
            for (int k = 0; k < 3; ++k) {
                x0[k] = fw_sub(fw_load(n->x0[k] + i), origin[k]);
                d[k] = fw_load(n->d[k] + i);
                x[k] = fw_add(x0[k], d[k]);
                v[k] = fw_load(n->v[k] + i);
                mx[k] = fw_mul(m, x[k]);
                mv[k] = fw_mul(m, v[k]);
            }
            sum[0] = fw_add(sum[0], m);
            for (int k = 0; k < 3; ++k) {
                int a = (k + 1) % 3, b = (k + 2) % 3;
                sum[1 + k] = fw_add(sum[1 + k], fw_mul(m, d[k]));
                sum[4 + k] = fw_add(sum[4 + k], mv[k]);
                fw turning = fw_sub(fw_mul(x[a], mv[b]), fw_mul(x[b], mv[a]));
                sum[7 + k] = fw_add(sum[7 + k], turning);
                sum[10 + k] = fw_add(sum[10 + k], fw_mul(mx[k], x[k]));
            }
            sum[13] = fw_add(sum[13], fw_mul(mx[0], x[1]));
            sum[14] = fw_add(sum[14], fw_mul(mx[0], x[2]));
            sum[15] = fw_add(sum[15], fw_mul(mx[1], x[2]));
            fw energy =
                fw_add(fw_add(fw_mul(mv[0], v[0]), fw_mul(mv[1], v[1])), fw_mul(mv[2], v[2]));
            sum[16] = fw_add(sum[16], fw_mul(fw_set1(0.5f), energy));
            for (int k = 0; k < 9; ++k) {
                sum[17 + k] = fw_add(sum[17 + k], fw_mul(mx[k / 3], x0[k % 3]));
            }
        }
        for (int k = 0; k < NODE_SUMS; ++k) {
            total[k] = dw_add(total[k], dw_from(sum[k]));
        }
    }
    for (int k = 0; k < NODE_SUMS; ++k) {
        out[k] = dw_sum(total[k]);
    }
}

static void node_drift(const node_state* n, int32_t begin, int32_t end, float h) {
    fw step = fw_set1(h);
    for (int32_t i = begin; i < end; i += 8) {
        for (int k = 0; k < 3; ++k) {
            fw d = fw_load(n->d[k] + i), v = fw_load(n->v[k] + i);
            fw_store(n->d[k] + i, fw_mad(step, v, d));
        }
    }
}

const node_kernels KERNEL(node_kernels) = {node_sums, node_drift};
