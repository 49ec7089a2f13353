/* SPDX-License-Identifier: MIT
 * Generalised winding numbers by a hierarchy of dipoles (algorithms of Barill et al. 2018, C.5):
 * near 1 inside, near 0 outside, meaningful for open, doubled, self-intersecting and partly flipped
 * surfaces.
 */
#ifndef LIMBER_WINDING_H
#define LIMBER_WINDING_H

#include "mesh/surface.h"

typedef struct winding winding;

lim_result winding_build(arena* a, const lim_mesh* mesh, winding** out);
/* Accurate to about 0.02 away from the surface (beta = 2.3). */
float winding_number(const winding* w, lim_vec3 at);
/* How many triangles that looks at one by one: a measure of its time that is the same everywhere.
 */
int32_t winding_cost(const winding* w, lim_vec3 at);

#endif
