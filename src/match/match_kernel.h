/* SPDX-License-Identifier: MIT
 * The kernels of matching, compiled per instruction set (match/match_kernel.c). Ranges are slots or
 * regions, multiples of 8.
 */
#ifndef LIMBER_MATCH_KERNEL_H
#define LIMBER_MATCH_KERNEL_H

#include "match/match.h"

/* The rigid motion that a component's own damping pulls towards: v = a + w cross x. */
typedef struct match_rigid {
    float a[3], w[3];
} match_rigid;

typedef struct match_kernels {
    /* node state -> forward records of the nodes */
    void (*leaves)(const match_body* m, int32_t begin, int32_t end);
    /* sums over the region lists -> rotations -> adjoint records of the regions */
    void (*regions)(const match_body* m, int32_t begin, int32_t end);
    /* adjoint records of the regions from the quaternions alone, nothing but g (R - 1) */
    void (*rotations)(const match_body* m, int32_t begin, int32_t end);
    /* sums over each node's lists -> velocities; residual impulse m dv (3) and m x cross dv (3) */
    void (*goals)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                  bool want_affine, double out_residual[6]);
    /* sums over each node's lists -> affine part alone */
    void (*affine)(const match_body* m, int32_t begin, int32_t end);
} match_kernels;

const match_kernels* match_kernels_for(isa set);

#endif
