/* SPDX-License-Identifier: MIT
 * The accurate side of a pose: a thin shell over the skin's own triangles, held to the coarse skin
 * where something touches it, where it is pinned and, if the training says so, far from the tool;
 * the rest of it goes where it is in equilibrium. What the coarse body presses thinner grows
 * sideways, so that it bulges about the tool (Seiler et al. 2012, section 6).
 */
#ifndef LIMBER_ACCURATE_SKIN_H
#define LIMBER_ACCURATE_SKIN_H

#include "scenes/scene.h"
#include "shell/shell.h"
#include "world/world.h"

/* The skin at rest as the shell sees it; the same for all poses. */
typedef struct accurate_rest {
    const detail_skin* skin; /* unit lengths */
    double metres;           /* per unit length */
    const uint8_t* pinned;   /* per point */
    /* per triangle: where the inward normal of its middle comes out again, and how far; null: no
     * bulging */
    const int32_t* across; /* triangle, or -1 */
    const float* weight;   /* 3 of its corners */
    const float* thick;    /* metres */
} accurate_rest;

/* Made from a world in which the body is at rest. In `a`. O(triangles^2) with bulging. */
lim_result accurate_rest_make(arena* a, const lim_world* world, lim_body body,
                              const detail_skin* skin, const scene_training* t, accurate_rest* out);

/* Positions (metres, world axes, relative to the plain skin's origin, per point) of the accurate
 * skin for the coarse one as it is now. LIM_OK also when it has not converged: the report says so.
 */
lim_result accurate_skin_solve(const accurate_rest* rest, lim_world* world, lim_body body,
                               lim_collider tool, const scene_training* t, lim_vec3 about,
                               arena* scratch, const lim_host* host, lim_point* out,
                               shell_report* out_report);

#endif
