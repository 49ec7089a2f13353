/* SPDX-License-Identifier: MIT
 * What the surface says about the material, brought to the nodes.
 */
#ifndef LIMBER_PAINTED_H
#define LIMBER_PAINTED_H

#include "mesh/surface.h"

#include <limber/model.h>

/* Factors of density and stiffness per node; null where the surface says nothing. */
typedef struct node_factors {
    float *density, *stiffness;
} node_factors;

/* The descriptor with the mesh's own values where it has none of its own. */
lim_model_desc painted_desc(const lim_mesh* mesh, const lim_model_desc* desc);
/* For `count` nodes at places in the mesh's unit space: a mean of the values at the nearest few
 * welded points. In: a painted_desc. O(n log n). */
lim_result painted_take(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                        const lim_vec3* at, int32_t count, node_factors* out);

#endif
