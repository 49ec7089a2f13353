/* SPDX-License-Identifier: MIT
 * Half precision (IEEE 754 binary16) by integer arithmetic: the same bits on every machine.
 */
#ifndef LIMBER_HALF_H
#define LIMBER_HALF_H

#include <stdint.h>
#include <string.h>

/* Exact. */
static inline float half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u;
    uint32_t fraction = half & 0x3FFu;
    uint32_t bits = sign | (exponent + 112u) << 23 | fraction << 13;
    float value;
    if (exponent == 0) { /* 0 and denormals: fraction 2^-24 */
        value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    bits = exponent == 31 ? sign | 0x7F800000u | fraction << 13 : bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To nearest, ties to even; beyond 65,504 by more than half a step to infinity. A NaN stays one. */
static inline uint16_t half_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
    if (size > 0x7F800000u) {
        return (uint16_t)(sign | 0x7E00u);
    }
    if (size >= 0x477FF000u) {
        return (uint16_t)(sign | 0x7C00u);
    }
    uint32_t shift = 13u, whole = size - (112u << 23);
    if (size < 113u << 23) { /* a denormal: the fraction with its leading bit, shifted down */
        uint32_t exponent = size >> 23;
        if (exponent < 102u) {
            return (uint16_t)sign;
        }
        shift = 126u - exponent;
        whole = (size & 0x7FFFFFu) | 0x800000u;
    }
    uint32_t kept = whole >> shift, rest = whole & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
    kept += rest > tie || (rest == tie && (kept & 1u) != 0);
    return (uint16_t)(sign | kept);
}

#endif
