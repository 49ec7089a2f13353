/* SPDX-License-Identifier: MIT
 * Motion by keys: where a thing is at any time between a few given moments.
 */
#ifndef LIMBER_SCENE_MOTION_H
#define LIMBER_SCENE_MOTION_H

#include "math/quat.h"
#include "scene.h"

/* A rigid change of place: x -> pivot + turn (x - pivot) + move. */
typedef struct motion_pose {
    lim_point pivot, move;
    dquat turn;
} motion_pose;

/* Null when the motion can be used, else what is wrong with it. */
const char* motion_fault(const scene_motion* m);
/* The pose at a time of the scene; no change for a motion without keys and before its begin. */
motion_pose motion_at(const scene_motion* m, double time);
/* A place and an orientation as the pose changes them. */
lim_point motion_place(const motion_pose* pose, lim_point at);
dquat motion_turn(const motion_pose* pose, dquat turn);

#endif
