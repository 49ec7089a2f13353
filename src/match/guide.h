/* SPDX-License-Identifier: MIT
 * Guides: rotations for regions that have lost their shape. A cluster that is flat, mirrored or
 * collapsed has no rotation of its own to speak of, and neighbours that each choose one end up
 * folded into each other for good. So all such clusters of a component take one common rotation,
 * that of the sum of their moments: together they are matched as one shape (each about its own
 * centre), which always leads back, and because the sum A R^T is symmetric no angular momentum is
 * made. A cluster alone gets its own best rotation, found cold (algorithms C.1). Nothing of this
 * happens to clusters that have kept a twentieth of their volume.
 */
#ifndef LIMBER_GUIDE_H
#define LIMBER_GUIDE_H

#include "match/match.h"

/* Of a watched pass: moments and det of the linear fit of each region, and whether its rotation is
 * given. */
struct match_watch {
    float* a[9];
    float* det;
    float* guided; /* 1: keep q; 0 between passes */
    double* sums;  /* 10 per component: moments, and how many regions */
};

/* Guides the regions that need it; false when there is none. */
bool guide_regions(const match_body* m);
/* Every region finds its own rotation again. */
void guide_release(const match_body* m);

#endif
