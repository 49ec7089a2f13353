/* SPDX-License-Identifier: MIT
 * One camera for all pictures of a film: it stands still and holds everything that moves.
 */
#ifndef LIMBER_FRAMING_H
#define LIMBER_FRAMING_H

#include "cli/film.h"

/* What pictures of these frames must show. */
typedef struct framing {
    const film* f;
    const int32_t* frames; /* null: all of them */
    int32_t count;
    bool plain; /* nothing of the inside */
} framing;

/* The nearest camera that shows, in every frame, each body (with its cells and nodes, where the
 * film has them) and tool whole, and those colliders near them that are not much larger than the
 * bodies together. Direction, up and angle are those of `given`, or pleasant ones when it is null.
 * A body that has left far behind what else there is does not count. O(vertices). */
lim_camera framing_fit(const framing* s, const lim_camera* given, float aspect);
/* `given` itself where it shows all of that and the subject fills most of the picture; else
 * framing_fit. */
lim_camera framing_choose(const framing* s, const lim_camera* given, float aspect);
/* Width over height of what framing_fit shows, from 0.6 to 2.2. */
float framing_aspect(const framing* s, const lim_camera* given);
/* How much of the picture the subject spans, across or upwards, whichever is more: above 1 it is
 * cropped. */
float framing_span(const framing* s, const lim_camera* camera, float aspect);

#endif
