/* SPDX-License-Identifier: MIT
 * Lines and points over a finished picture.
 */
#ifndef LIMBER_OVERLAY_H
#define LIMBER_OVERLAY_H

#include "base/arena.h"
#include "io/view.h"

/* depth, veil: 1/distance of the nearest surface and of the nearest veil per pixel, 0 where there
 * is none. */
lim_result overlay_draw(arena* memory, lim_image* image, const lim_picture* picture, const view* v,
                        const float* depth, const float* veil);

#endif
