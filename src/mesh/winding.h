/* SPDX-License-Identifier: MIT
 * Generalised winding numbers by a hierarchy of dipoles (Barill et al. 2018): near 1 inside, near 0
 * outside, meaningful for open, doubled, self-intersecting and partly flipped surfaces.
 */
#ifndef LIMBER_WINDING_H
#define LIMBER_WINDING_H

#include "mesh/surface.h"

typedef struct winding winding;

lim_result winding_build(arena* a, const lim_mesh* mesh, winding** out);
/* Off by 0.01 in the mean and 0.05 at most (beta = 2): far from what could mistake 0 for 1. */
float winding_number(const winding* w, lim_vec3 at);
/* How many triangles that looks at one by one: a measure of its time that is the same everywhere.
 */
int32_t winding_cost(const winding* w, lim_vec3 at);

#endif
