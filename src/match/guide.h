/* SPDX-License-Identifier: MIT
 * Guides: rotations for regions that have lost their shape. A cluster that is flat, mirrored or
 * collapsed has no rotation of its own to speak of, and neighbours that each choose one end up
 * folded into each other for good. So all such clusters of a component take one common rotation,
 * that of the sum of their moments, each as strong as the cluster pulls: together they are matched
 * as one shape (each about its own centre), which always leads back, and because the sum of A R^T
 * is symmetric no angular momentum is made. When a quarter of a component's clusters are lost, all
 * are. Clusters that have kept a twentieth of their volume have a rotation of their own; where
 * Newton's steps have not yet arrived at it, it is found cold.
 */
#ifndef LIMBER_GUIDE_H
#define LIMBER_GUIDE_H

#include "match/match.h"

/* The lost regions of a component. */
typedef struct match_lost {
    double moments[9], q[4];
    int32_t regions, count; /* all, and lost ones */
} match_lost;

/* Of a watched pass: moments and det of the linear fit of each region, what is wrong with its
 * rotation, and whether that was given. */
struct match_watch {
    float* a[9];
    float* det;
    float* torque2;          /* torque that the rotation leaves over the size of a, squared */
    float* guided;           /* 1: keep q; 0 between passes */
    struct match_lost* lost; /* per component, scratch */
};

/* Guides the regions that need it; false when there is none. */
bool guide_regions(const match_body* m);
/* Every region finds its own rotation again. */
void guide_release(const match_body* m);

#endif
