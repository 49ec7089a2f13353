/* SPDX-License-Identifier: MIT
 * Job: the two passes over members of clusters, 8 at a time, compiled once per instruction set. In:
 * displacements; matrices. Out: sums; pulls. Equations in match/quadratic.h.
 */
#include "match/quadratic_kernel.h"

#include "base/simd.h"

/* The basis at 8 members of a cluster. */
static inline void basis(const match_body* m, int32_t cluster, const int32_t* slot, fw q[9]) {
    const quadratic* fit = m->quadratic;
    fw inv_radius = fw_set1(fit->inv_radius[cluster]);
    for (int k = 0; k < 3; ++k) {
        fw arm = fw_sub(fw_gather(m->nodes->x0[k], slot), fw_set1(fit->c0[k][cluster]));
        q[k] = fw_mul(arm, inv_radius);
    }
    for (int k = 0; k < 6; ++k) {
        int a = k % 3, b = k < 3 ? a : (a + 1) % 3;
        q[3 + k] = fw_sub(fw_mul(q[a], q[b]), fw_set1(fit->mean[cluster][k]));
    }
}

static void quadratic_sums(const match_body* m, const quadratic_run* run, const float shift[3],
                           double out[QUADRATIC_MATRIX]) {
    const quadratic* fit = m->quadratic;
    fw sum[QUADRATIC_MATRIX];
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        sum[k] = fw_zero();
    }
    for (int32_t i = run->begin; i < run->end; i += 8) {
        fw q[QUADRATIC], mass = fw_load(fit->mass + i);
        basis(m, run->cluster, fit->slot + i, q);
        for (int k = 0; k < 3; ++k) {
            fw d = fw_sub(fw_gather(m->nodes->d[k], fit->slot + i), fw_set1(shift[k]));
            fw md = fw_mul(mass, d);
            for (int j = 0; j < QUADRATIC; ++j) {
                sum[QUADRATIC * k + j] = fw_mad(md, q[j], sum[QUADRATIC * k + j]);
            }
        }
    }
    for (int k = 0; k < QUADRATIC_MATRIX; ++k) {
        out[k] = dw_sum(dw_from(sum[k]));
    }
}

static void quadratic_pulls(const match_body* m, const quadratic_run* run) {
    const quadratic* fit = m->quadratic;
    const float* matrix = m->work->matrix[run->cluster];
    for (int32_t i = run->begin; i < run->end; i += 8) {
        fw q[QUADRATIC], share = fw_load(fit->share + i);
        basis(m, run->cluster, fit->slot + i, q);
        for (int k = 0; k < 3; ++k) {
            fw pull = fw_mul(fw_set1(matrix[QUADRATIC * k]), q[0]);
            for (int j = 1; j < QUADRATIC; ++j) {
                pull = fw_mad(fw_set1(matrix[QUADRATIC * k + j]), q[j], pull);
            }
            fw_store(m->work->pull[k] + i, fw_mul(share, pull));
        }
    }
}

const quadratic_kernels KERNEL(quadratic_kernels) = {quadratic_sums, quadratic_pulls};
