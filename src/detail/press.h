/* SPDX-License-Identifier: MIT
 * Several tools on one body: each has a window, and within it correlates, blends and stamps as if
 * it were alone. Windows share the body by how near each point is to each tool at rest, omega_k =
 * f_k / sum f,   f_k = strength_k / (|X - c_k|^2 + reach^2)^2, smooth everywhere, adding up to 1,
 * and 1 everywhere for a tool that is alone. A tool correlates the part of the displacement in its
 * window with whole examples: what of an example lies outside does not fit, so tools that stand in
 * each other's way fade towards the plain skin.
 */
#ifndef LIMBER_PRESS_H
#define LIMBER_PRESS_H

#include "math/vec3.h"

typedef struct detail_press {
    lim_vec3 point, normal; /* where it touches, in the rest shape; normal: unit, outward */
    float strength; /* above 0; a tool that has let go fades from 1 to 0 where others press */
} detail_press;

/* omega of one of the presses at points of the rest shape (3 arrays), for count points. */
void press_window(const detail_press* presses, int32_t press_count, int32_t which, float reach,
                  const float* const x0[3], int32_t count, float* out);
/* part = window u (u as displacement_of fills it, window per node), and its size
 * sqrt(sum window u^2). */
float press_part(const float* u, const float* window, int32_t nodes, float* part);

#endif
