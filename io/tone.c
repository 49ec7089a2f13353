/* SPDX-License-Identifier: MIT
 * Job: the curves between light and screen. In: a value. Out: the value on the other side. Roots
 * are found by Newton's iteration in double with a fixed number of steps.
 */
#include "io/tone.h"

#include <math.h>

/* x^(1/n) for 0 < x <= 1 and n = 3 or 5: r <- r - (r^n - x) / (n r^(n-1)), from above, so that the
 * steps fall monotonically; 40 of them reach the last bit from x = 1e-6. */
static double root(double x, int32_t n) {
    double r = 1.0;
    for (int32_t i = 0; i < 40; ++i) {
        double power = r * r;
        power = n == 5 ? power * power : power;
        r -= (r * power - x) / ((double)n * power);
    }
    return r;
}

float tone_srgb(float linear) {
    if (!(linear > 0.0f)) {
        return 0.0f;
    }
    if (linear >= 1.0f) {
        return 1.0f;
    }
    if (linear <= 0.0031308f) {
        return 12.92f * linear;
    }
    /* x^(1/2.4) = x^(1/4) x^(1/6) */
    double x = (double)linear;
    return (float)(1.055 * (sqrt(sqrt(x)) * sqrt(root(x, 3))) - 0.055);
}

float tone_tan(float x) {
    /* Lambert's continued fraction x/(1 - x^2/(3 - x^2/(5 - ...))); 10 terms give all bits here. */
    double square = (double)x * (double)x, value = 21.0;
    for (int32_t k = 19; k >= 1; k -= 2) {
        value = (double)k - square / value;
    }
    return (float)((double)x / value);
}

void tone_table_fill(tone_table* table) {
    for (int32_t i = 0; i < TONE_STEPS; ++i) {
        table->byte[i] = (uint8_t)(tone_srgb((float)i / (float)(TONE_STEPS - 1)) * 255.0f + 0.5f);
    }
}
