/* SPDX-License-Identifier: MIT
 * Exact signs of orientation: which side of a line or plane a point lies on, never wrong. Needed
 * wherever a decision about topology must not contradict another one.
 */
#ifndef LIMBER_PREDICATES_H
#define LIMBER_PREDICATES_H

#include <limber/base.h>

/* 1 when a, b, c turn to the left, -1 to the right, 0 exactly on one line; each point is (x, y). */
int orient2d(const double a[2], const double b[2], const double c[2]);

/* The sign of det[b - a, c - a, d - a]: 1 when d lies on the side to which the triangle a, b, c
 * turns counter-clockwise (above it, seen so), -1 below, 0 exactly in the plane.
 * Both are exact for coordinates that are 0 or of size 1e-90 to 1e90; 0 when one is not finite. */
int orient3d(lim_point a, lim_point b, lim_point c, lim_point d);

/* The same for integer coordinates, whatever their size. */
int orient3d_integer(const int32_t a[3], const int32_t b[3], const int32_t c[3],
                     const int32_t d[3]);

#endif
