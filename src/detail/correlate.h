/* SPDX-License-Identifier: MIT
 * Which examples fit the present deformation, after Seiler, Spillmann and Harders 2012,
 * section 5.2. With n = u / |u| and n_i = u_i / |u_i| of the examples, r_i = n_i . n,   G_i = K((1
 * - r_i) / sigma),   K(t) = (exp(-t^2) - e^-4) / (1 - e^-4), t < 2, phi_i = G_i / max(sum G, tau),
 * w_i = min(|u| / |u_i|, 1.5) phi_i. The paper prints G(sigma, r), which gives a perfect match
 * nothing; the distance 1 - r is what its text means. K reaches 0 without a step, and below tau the
 * sum fades instead of being normalised: so detail vanishes where nothing fits, and an opposite
 * deformation (r <= 0, as sigma <= 0.5) has none. Of many examples only the best `most` weigh: each
 * G less the next one's, G_i <- max(0, G_i - G_(most + 1)), so that nothing jumps when two examples
 * change ranks.
 */
#ifndef LIMBER_CORRELATE_H
#define LIMBER_CORRELATE_H

#include "detail/detail_kernel.h"

typedef struct detail_examples {
    int32_t count, width; /* width: displacement_width of the nodes */
    const float* way;     /* count rows: n_i */
    const float* size;    /* |u_i| > 0 */
    float sigma;          /* 0.01 to 0.5 */
    float tau;            /* > 0 */
    int32_t most;         /* how many weigh, at least 1 */
} detail_examples;

#define DETAIL_TAU       0.1f
#define DETAIL_MOST      10
#define DETAIL_OVERSHOOT 1.5f /* an example grows at most to this size */

/* phi and w per example, for u of size |u| (of which it may be a window's part: size is that part's
 * then). room: `count` floats. Weights are all 0 where size is 0. */
void detail_correlate(isa set, const detail_examples* e, const float* u, float size, float* room,
                      float* out_weight);
/* The kernel: 1 at 0, 0 from 2 on. */
float detail_falloff(float t);
/* The mean over examples of the mean distance 1 - r to their `mix` nearest others, within 0.01 and
 * 0.5; 0.5 when there is only one. room: `count` floats. */
float detail_sigma(isa set, const detail_examples* e, int32_t mix, float* room);

#endif
