/* SPDX-License-Identifier: MIT
 * The sine of 8 angles at a time, for what needs no more than five digits: waves of wind. The angle
 * less whole turns (Cody, Waite 1980: the turn in two parts, the first of few bits, so that its
 * multiples are exact), folded at a quarter turn, then the Taylor polynomial of degree 9. Error
 * below 1e-5 for angles up to 1e4 and growing as their own rounding beyond; above 1e6 the sine
 * counts as 0. NaN gives 0.
 */
#ifndef LIMBER_SINE_WIDE_H
#define LIMBER_SINE_WIDE_H

#include "base/simd.h"

static inline fw fw_sine(fw angle) {
    const float pi = 3.14159265f, shift = 12582912.0f; /* 1.5 2^23: adding it rounds to whole */
    fw turns = fw_mul(angle, fw_set1(0.159154943f));
    turns = fw_sub(fw_add(turns, fw_set1(shift)), fw_set1(shift));
    fw x = fw_sub(angle, fw_mul(turns, fw_set1(6.28125f)));
    x = fw_sub(x, fw_mul(turns, fw_set1(1.93530718e-3f)));
    x = fw_min(x, fw_sub(fw_set1(pi), x));
    x = fw_max(x, fw_sub(fw_set1(-pi), x));
    fw square = fw_mul(x, x);
    fw sum = fw_mad(square, fw_set1(2.75573192e-6f), fw_set1(-1.98412698e-4f));
    sum = fw_mad(square, sum, fw_set1(8.33333333e-3f));
    sum = fw_mad(square, sum, fw_set1(-1.66666667e-1f));
    sum = fw_mad(fw_mul(square, x), sum, x);
    return fw_select(fw_lt(fw_abs(angle), fw_set1(1e6f)), sum, fw_zero());
}

#endif
