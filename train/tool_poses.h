/* SPDX-License-Identifier: MIT
 * Where a tool presses in training: places spread evenly over the part of the skin that is to be
 * trained, with depths, leans and drags from a seed. Poses are in such an order that the first n
 * are spread over the whole part for any n.
 */
#ifndef LIMBER_TOOL_POSES_H
#define LIMBER_TOOL_POSES_H

#include "base/arena.h"
#include "math/vec3.h"
#include "scenes/scene.h"

#include <limber/world.h>

typedef struct tool_pose {
    lim_point point; /* of the skin at rest, world */
    lim_vec3 axis;   /* out of the body: the normal there, leaned; unit */
    lim_vec3 drag;   /* after pressing, metres; 0: none */
    float depth;     /* metres */
} tool_pose;

/* Fills `count` poses. LIM_ERROR_ARGUMENT when no skin lies where the training says. */
lim_result tool_poses_make(arena* scratch, const lim_skin_view* skin, const scene_training* t,
                           uint64_t seed, int32_t count, tool_pose* out);

#endif
