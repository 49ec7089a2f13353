/* SPDX-License-Identifier: MIT
 * The kernels of quadratic goals, compiled per instruction set (match/quadratic_kernel.c).
 */
#ifndef LIMBER_QUADRATIC_KERNEL_H
#define LIMBER_QUADRATIC_KERNEL_H

#include "match/quadratic.h"

typedef struct quadratic_kernels {
    /* sum m (d - shift) q~^T over a run */
    void (*sums)(const match_body* m, const quadratic_run* run, const float shift[3],
                 double out[QUADRATIC_MATRIX]);
    /* what the cluster pulls at each member of a run: share * matrix q~ */
    void (*pulls)(const match_body* m, const quadratic_run* run);
} quadratic_kernels;

const quadratic_kernels* quadratic_kernels_for(isa set);

#endif
