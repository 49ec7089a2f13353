/* SPDX-License-Identifier: MIT
 * Sums over a block of slots, compiled per instruction set (node/node_kernel.c).
 */
#ifndef LIMBER_SUMS_KERNEL_H
#define LIMBER_SUMS_KERNEL_H

#include "base/isa.h"
#include "node/node.h"

/* Per block: m, m d (3), m v (3), m x cross v (3), m x x^T (6: xx yy zz xy xz yz), m v^2 / 2, and
 * m x y^T (9), with y = x0 - anchor, x = y + d. */
typedef struct node_kernels {
    void (*sums)(const node_state* n, int32_t begin, int32_t end, const float anchor[3],
                 double out[NODE_SUMS]);
    /* d += h v */
    void (*drift)(const node_state* n, int32_t begin, int32_t end, float h);
} node_kernels;

const node_kernels* node_kernels_for(isa set);

#endif
