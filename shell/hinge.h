/* SPDX-License-Identifier: MIT
 * The bending of two triangles about their common edge, by the angle theta between their normals:
 *     E = D |e|^2 / (2 (A1 + A2)) (theta - theta0)^2,    D = E t^3 / (12 (1 - nu^2)),
 * with the edge's length and both areas at rest (the energy of Grinspun et al. 2003; the forces of
 * Bridson et al. 2003 point the same way). The factor is that which makes cylinders exact on
 * equilateral triangles: of vertices on one, theta = (distance of the far corners) x curvature / 2
 * across an edge along it, and the sum is D curvature^2 / 2 per area. There bowls come out softer
 * and saddles stiffer, as if Poisson's ratio were -1/3 (Seung, Nelson 1988). On other meshes
 * stiffness depends on direction: right-angled triangles with alternating diagonals bend 0.8 to 1.5
 * times as hard as they should.
 *
 * The angle's gradient moves the four points along the two normals; it sums to no force and no
 * torque. Its second derivative is left out of the Hessian (Gauss, Newton), which keeps that
 * positive and is exact where theta = theta0.
 */
#ifndef LIMBER_HINGE_H
#define LIMBER_HINGE_H

#include "math/vec3.h"

/* corner: both ends of the edge as the first triangle turns, then the far corner of that, then of
 * the other. -pi to pi, positive where the normals part. False when a triangle has no area. */
bool hinge_angle(const lim_point corner[4], double* out_angle, lim_point gradient[4]);

/* a - b between -pi and pi. */
double hinge_turn(double a, double b);

#endif
