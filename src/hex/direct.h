/* SPDX-License-Identifier: MIT
 * The coarsest level, by its factor.
 */
#ifndef LIMBER_DIRECT_H
#define LIMBER_DIRECT_H

#include "hex/hex_kernel.h"

/* Sums S (M + scale K) S, one in the directions that are taken out, and factors it. */
void hex_direct_factor(hex_level* l, const hex_kernels* kernels, float scale);
/* x = (...)^-1 b */
void hex_direct_solve(hex_level* l, const hex_kernels* kernels, const float* b, float* x);

#endif
