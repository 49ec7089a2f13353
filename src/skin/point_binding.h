/* SPDX-License-Identifier: MIT
 * Bindings over points that lie in no cells. A place that is a node's own hangs on that node alone;
 * any other on its up to 8 nearest with the weights (1 - r^2 / rho^2)^2 over their sum, rho the
 * distance of the ninth: a node comes in and leaves with weight 0, so weights are continuous.
 */
#ifndef LIMBER_POINT_BINDING_H
#define LIMBER_POINT_BINDING_H

#include "skin/binding.h"

typedef struct point_bind {
    int32_t node_count;
    const int32_t* node_slot;
    const float* x0[3]; /* per slot */
    const int32_t* slot_component;
    const int32_t* own; /* node of each of the first own_count places */
    int32_t own_count;
} point_bind;

lim_result bindings_build_points(arena* a, arena* scratch, const point_bind* nodes,
                                 const lim_vec3* places, int32_t count, bindings* out);

#endif
