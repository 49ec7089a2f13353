/* SPDX-License-Identifier: MIT
 * The coarse side of a pose: a world of its own in which the tool comes to the body from outside,
 * presses, goes along the surface where the pose says so, and stays until the body rests.
 */
#ifndef LIMBER_COARSE_PRESS_H
#define LIMBER_COARSE_PRESS_H

#include "train/tool_poses.h"
#include "world/world.h"

/* What all poses start from: a world as bytes. */
typedef struct press_start {
    const void* bytes;
    size_t size;
    lim_body body;
    lim_collider tool;
    double dt, settle; /* seconds */
} press_start;

typedef struct coarse_press {
    lim_world* world; /* the caller's to destroy */
    bool rests;       /* came to rest in time */
} coarse_press;

lim_result coarse_press_run(const press_start* start, const tool_pose* pose, arena* scratch,
                            const lim_host* host, coarse_press* out);

#endif
