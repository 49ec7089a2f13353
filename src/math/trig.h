/* SPDX-License-Identifier: MIT
 * Elementary functions in double from + - x / sqrt only: the same bits on every machine, which the
 * system's libm does not promise. Relative error below 1e-13 on the ranges named, a few units in
 * the last place in the common ones. NaN in gives NaN out, unless said otherwise.
 */
#ifndef LIMBER_TRIG_H
#define LIMBER_TRIG_H

#define TRIG_PI 0x1.921fb54442d18p+1

/* Radians. Accurate for |x| < 2^29; a larger angle has no meaning left and counts as 0. Infinite
 * gives NaN. */
double trig_sin(double x);
double trig_cos(double x);
/* 0 to pi; below -1 counts as -1, above 1 as 1. */
double trig_acos(double x);
/* -pi to pi with the signs of C's atan2, also for zeros and infinities. */
double trig_atan2(double y, double x);
/* Infinity above 709.79, denormals and 0 below -708.4. */
double trig_exp(double x);
double trig_cbrt(double x);

#endif
