/* SPDX-License-Identifier: MIT
 * Products of float matrices, for oracles.
 */
#ifndef LIMBER_MAT3_KIT_H
#define LIMBER_MAT3_KIT_H

#include "math/mat3.h"

static inline lim_vec3 mat3_mul(const mat3* a, lim_vec3 b) {
    return v3(a->m[0] * b.x + a->m[1] * b.y + a->m[2] * b.z,
              a->m[3] * b.x + a->m[4] * b.y + a->m[5] * b.z,
              a->m[6] * b.x + a->m[7] * b.y + a->m[8] * b.z);
}

/* Cofactor matrix: how normals transform under a. */
static inline mat3 mat3_cofactor(const mat3* a) {
    const float* m = a->m;
    return (mat3){{m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
                   m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],
                   m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5],
                   m[0] * m[4] - m[1] * m[3]}};
}

#endif
