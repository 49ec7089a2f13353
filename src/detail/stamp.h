/* SPDX-License-Identifier: MIT
 * Stamps: detail that goes along with the point that a tool presses (Seiler et al. 2012, section
 * 5.3). A stamp is a square of the tangent plane at the contact point, in the rest shape, with a
 * grid of displacements; a point s of the skin is looked up at P(s) = ((s - c) . t1, (s - c) . t2).
 *
 * The tangents t1, t2 of any normal are those of one chosen normal, turned by the least rotation
 * that takes that normal there: so they turn smoothly as the contact moves, wherever it came from,
 * but at the opposite normal, where the stamp fades out. A displacement is stored in the axes (t1,
 * t2, normal) turned on by the least rotation to the normal of the point itself, so that on a
 * curved skin what bulged outwards bulges outwards.
 *
 * What lies on the far side projects to the same place: a point counts as near as its normal faces
 * that of the contact, as it lies in the depth of the tangent plane and as it lies in the square's
 * circle, each fading smoothly.
 */
#ifndef LIMBER_STAMP_H
#define LIMBER_STAMP_H

#include "detail/detail_fields.h"

/* What all stamps of a model share. */
typedef struct stamp_grid {
    lim_vec3 axis[3]; /* t1, t2 and normal from which tangents are turned: right-handed, unit */
    int32_t side;     /* texels along each side, 2 to 1024; the first and last lie on the border */
    float radius;     /* half the side of the square, > 0 */
    float inner;      /* up to here a stamp counts in full, < radius */
    float depth;      /* farther than this from the tangent plane it does not count, > 0 */
} stamp_grid;

/* The axes at a contact point. */
typedef struct stamp_place {
    lim_vec3 point;   /* in the rest shape */
    lim_vec3 axis[3]; /* t1, t2, normal */
    float trust;      /* 1; towards 0 near the normal at which tangents have no limit */
} stamp_place;

/* v turned by the least rotation that takes the unit vector `from` to `to`; opposite ones: as if by
 * half a turn about some axis. */
lim_vec3 stamp_turn(lim_vec3 from, lim_vec3 to, lim_vec3 v);
stamp_place stamp_at(const stamp_grid* g, lim_vec3 point, lim_vec3 normal);
/* How much a point of the skin with this normal is of the stamp, 0 to 1; and where, in texels. */
float stamp_near(const stamp_grid* g, const stamp_place* at, lim_vec3 point, lim_vec3 normal,
                 float texel[2]);
/* The displacement there, bilinear, in the axes of the stamp; texels: side x side, row by row, as a
 * dense field. */
lim_vec3 stamp_sample(const stamp_grid* g, const float* texels, const float texel[2]);
/* From the stamp's axes to those of the rest shape, for a point of this normal; and back. */
lim_vec3 stamp_out(const stamp_place* at, lim_vec3 normal, lim_vec3 v);
lim_vec3 stamp_in(const stamp_place* at, lim_vec3 normal, lim_vec3 v);

#endif
