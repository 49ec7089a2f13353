/* SPDX-License-Identifier: MIT
 * Job: elementary functions. In: a double. Out: a double, the same on every machine. Each reduces
 * its argument to a short interval with constants split into parts whose products are exact (Cody
 * and Waite 1980), sums a Taylor series there, and undoes the reduction.
 */
#include "math/trig.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 2^e for -1022 <= e <= 1023. */
static double power_of_two(int e) {
    return from_bits((uint64_t)(e + 1023) << 52);
}

/* x = m 2^e with 0.5 <= |m| < 1, for finite x other than 0. */
static double split_exponent(double x, int* e) {
    int shift = 0;
    if (fabs(x) < 0x1p-1022) {
        x *= 0x1p54;
        shift = 54;
    }
    uint64_t bits = to_bits(x);
    *e = (int)((bits >> 52) & 0x7FF) - 1022 - shift;
    return from_bits((bits & 0x800FFFFFFFFFFFFFu) | 0x3FE0000000000000u);
}

/* x = r + quadrant pi/2 with |r| <= pi/4. pi/2 = P1 + P2 + P3: the first two have 24 bits, so that
 * their products with a quadrant below 2^29 are exact. False when x is too large to have an angle.
 */
static bool reduce_angle(double x, double* r, int* quadrant) {
    static const double P1 = 0x1.921fb4p+0, P2 = 0x1.4442dp-24, P3 = 0x1.8469898cc5170p-48;
    if (!(fabs(x) < 0x1p29)) {
        return false;
    }
    double turns = x * 0x1.45f306dc9c883p-1;
    int32_t k = (int32_t)(turns < 0 ? turns - 0.5 : turns + 0.5);
    double n = (double)k;
    *r = ((x - n * P1) - n * P2) - n * P3;
    *quadrant = (int)((uint32_t)k & 3u);
    return true;
}

/* sin r = r - r^3/3! + r^5/5! - ... for |r| <= pi/4: the first term left out is below 1e-19. */
static double sin_series(double r) {
    double z = r * r;
    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    return r + r * (z * s);
}

/* cos r = 1 - r^2/2! + r^4/4! - ... */
static double cos_series(double r) {
    double z = r * r;
    double s = -1.0 / 6402373705728000.0;
    s = s * z + 1.0 / 20922789888000.0;
    s = s * z - 1.0 / 87178291200.0;
    s = s * z + 1.0 / 479001600.0;
    s = s * z - 1.0 / 3628800.0;
    s = s * z + 1.0 / 40320.0;
    s = s * z - 1.0 / 720.0;
    s = s * z + 1.0 / 24.0;
    return 1.0 - (0.5 * z - z * z * s);
}

/* sin(x + turn pi/2). */
static double sin_turned(double x, int turn) {
    double r = 0.0;
    int quadrant = 0;
    if (!reduce_angle(x, &r, &quadrant) && !isfinite(x)) {
        return NAN;
    }
    switch ((quadrant + turn) & 3) {
    case 0:
        return sin_series(r);
    case 1:
        return cos_series(r);
    case 2:
        return -sin_series(r);
    default:
        return -cos_series(r);
    }
}

double trig_sin(double x) {
    return sin_turned(x, 0);
}

double trig_cos(double x) {
    return sin_turned(x, 1);
}

/* atan t for 0 <= t <= 1: atan t = atan c + atan((t - c)/(1 + t c)) with c the nearest k/8, then
 * u - u^3/3 + u^5/5 - ... for |u| <= 1/16. */
static double atan_unit(double t) {
    static const double at_eighths[9] = {
        0.0,
        0x1.fd5ba9aac2f6ep-4,
        0x1.f5b75f92c80ddp-3,
        0x1.6f61941e4def1p-2,
        0x1.dac670561bb4fp-2,
        0x1.1e00babdefeb4p-1,
        0x1.4978fa3269ee1p-1,
        0x1.700a7c5784634p-1,
        0x1.921fb54442d18p-1,
    };
    int k = (int)(t * 8.0 + 0.5);
    double c = (double)k * 0.125;
    double u = (t - c) / (1.0 + t * c);
    double z = u * u;
    double s = 1.0 / 13.0;
    s = 1.0 / 11.0 - s * z;
    s = 1.0 / 9.0 - s * z;
    s = 1.0 / 7.0 - s * z;
    s = 1.0 / 5.0 - s * z;
    s = 1.0 / 3.0 - s * z;
    return at_eighths[k] + (u - u * (z * s));
}

double trig_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) {
        return NAN;
    }
    double ax = fabs(x), ay = fabs(y);
    double angle;
    if (ax == ay) {
        angle = ax == 0.0 ? 0.0 : TRIG_PI / 4.0; /* also both infinite */
    } else if (ay < ax) {
        angle = atan_unit(ay / ax);
    } else {
        angle = TRIG_PI / 2.0 - atan_unit(ax / ay);
    }
    angle = signbit(x) ? TRIG_PI - angle : angle;
    return signbit(y) ? -angle : angle;
}

double trig_acos(double x) {
    if (x >= 1.0) {
        return 0.0;
    }
    if (x <= -1.0) {
        return TRIG_PI;
    }
    return trig_atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}

/* ln 2 = LN2_HIGH + LN2_LOW, the first with 32 bits: its product with an exponent is exact. */
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;

/* exp x = 2^k exp r with |r| <= ln 2 / 2. */
double trig_exp(double x) {
    if (isnan(x)) {
        return x;
    }
    if (x > 710.0) {
        return INFINITY;
    }
    if (x < -746.0) {
        return 0.0;
    }
    double turns = x * 0x1.71547652b82fep+0;
    int k = (int)(turns < 0 ? turns - 0.5 : turns + 0.5);
    double r = (x - (double)k * LN2_HIGH) - (double)k * LN2_LOW;
    double s = 1.0;
    for (int n = 14; n > 0; --n) {
        s = 1.0 + s * r / (double)n;
    }
    /* In two steps: 2^k alone may be too large or too small where the result is not. */
    int half = k / 2;
    return s * power_of_two(half) * power_of_two(k - half);
}

/* Halley's iteration t <- t (t^3 + 2 a)/(2 t^3 + a) triples the digits; from a straight line
 * through the interval [1/8, 1) three are enough. */
double trig_cbrt(double x) {
    if (x == 0.0 || !isfinite(x)) {
        return x;
    }
    int e = 0;
    double a = split_exponent(fabs(x), &e);
    int third = e >= 0 ? (e + 2) / 3 : -(-e / 3);
    a *= power_of_two(e - 3 * third);
    double t = 0.44 + 0.58 * a;
    for (int i = 0; i < 3; ++i) {
        double cube = t * t * t;
        t = t * ((cube + 2.0 * a) / (2.0 * cube + a));
    }
    t *= power_of_two(third);
    return x < 0.0 ? -t : t;
}
