/* SPDX-License-Identifier: MIT
 * Some components of a material.
 */
#ifndef LIMBER_MATTER_PART_H
#define LIMBER_MATTER_PART_H

#include "sample/matter.h"

/* takes: per fragment, the same for all of a component. Arrays in `a`; out_source: per fragment
 * that of `m`, ascending. */
lim_result matter_part(arena* a, const matter* m, const uint8_t* takes, matter* out,
                       int32_t** out_source);

#endif
