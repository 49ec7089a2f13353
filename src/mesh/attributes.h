/* SPDX-License-Identifier: MIT
 * What a surface says about the material under it, one value per vertex: factors of density and
 * stiffness, wished sizes of cells.
 */
#ifndef LIMBER_ATTRIBUTES_H
#define LIMBER_ATTRIBUTES_H

#include <limber/base.h>

enum { ATTRIBUTE_DENSITY, ATTRIBUTE_STIFFNESS, ATTRIBUTE_SIZE, ATTRIBUTES };

/* Whether a value may be one: a factor from 1e-6 to 1e6, a size from 0 to 1e9. */
static inline bool attribute_fits(int which, float value) {
    float least = which == ATTRIBUTE_SIZE ? 0.0f : 1e-6f;
    float most = which == ATTRIBUTE_SIZE ? 1e9f : 1e6f;
    return value >= least && value <= most; /* false for NaN */
}
/* Fails with a text that names call, field, vertex and cure; values may be null. */
lim_result attribute_check(const lim_host* host, const char* call, const char* field, int which,
                           const float* values, int32_t count);

#endif
