/* SPDX-License-Identifier: MIT
 * Rotations of matrices outside the wide kernels: the cold start, and the wide one over arrays.
 */
#ifndef LIMBER_ROTATION_H
#define LIMBER_ROTATION_H

#include <stdint.h>

#include "base/isa.h"

/* The unit quaternion (x, y, z, w with w >= 0) of the proper rotation that maximises tr(R^T A), for
 * any A (row major): inverted, flat, collinear. Where several do it is one of them; the identity
 * for a zero or non-finite A. In double, about a microsecond. */
void rotation_cold(const double A[9], double q[4]);

/* Warm starts over arrays: `iterations` steps of rotation_newton (math/rotation_wide.h) without
 * shift. A is 9 arrays of n entries, row major, one after the other; q is 4 (x, y, z, w). `set`
 * must be available. The same bits with every set. */
void rotation_solve(isa set, const float* A_soa, float* q_soa, int32_t n, int32_t iterations);

#endif
