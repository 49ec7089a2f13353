/* SPDX-License-Identifier: MIT
 * The baseline for trained detail: linear regression (Seiler, Spillmann and Harders 2012, eq. 5),
 *     w = (U^T U)^-1 U^T u
 * with the examples' displacements as the columns of U. It gives back each example exactly, and of
 * -u_1 the inverted detail -d_1: wrinkles of compression, inside out, where the body is stretched.
 */
#ifndef LIMBER_LINEAR_REGRESSION_H
#define LIMBER_LINEAR_REGRESSION_H

#include "base/arena.h"

/* example: count rows of `width` floats; u: one. Examples that depend on each other share their
 * weight: `ridge` (relative to the largest |u_i|^2, > 0) decides. O(count^2 width + count^3). */
lim_result linear_regression(arena* scratch, const float* example, int32_t count, int32_t width,
                             double ridge, const float* u, double* out_weight);

#endif
