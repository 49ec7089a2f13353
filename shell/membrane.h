/* SPDX-License-Identifier: MIT
 * The stretch of one triangle. With F (3x2) the gradient of the map from the triangle at rest, s1
 * >= s2 its singular values, J = s1 s2 and I = s1^2 + s2^2, the energy per rest volume is W = mu/2
 * (I/J - 2) + k/8 (J - 1/J)^2, a neo-Hookean sheet whose shear and area parts are apart. Around
 * rest it is the isotropic sheet in plane stress with shear modulus mu = E / (2 (1 + nu)) and area
 * modulus k = E / (2 (1 - nu)). It grows without bound as an edge or the area goes to zero, so a
 * sheet survives any compression, and it needs no logarithm: the bits are the same on every
 * machine.
 *
 * The eigenvectors of its second derivative in F are known in closed form for every isotropic
 * energy (Smith, de Goes, Kim 2019): a pair that scales along v1 and v2, a twist, a flip, and two
 * that bend out of the plane. So the Hessian is projected to its positive part without an
 * eigensolver.
 */
#ifndef LIMBER_MEMBRANE_H
#define LIMBER_MEMBRANE_H

#include "math/vec3.h"

typedef struct membrane_rest {
    double inverse[4]; /* of [e1 e2] in the plane at rest, row major */
    double volume;     /* area times thickness; 0: the triangle has no area and no stiffness */
} membrane_rest;

typedef struct membrane_material {
    double shear, area; /* mu and k, pascal */
} membrane_material;

typedef enum membrane_part { MEMBRANE_WHOLE, MEMBRANE_POSITIVE } membrane_part;

membrane_material membrane_material_of(double youngs_modulus, double poisson_ratio);
/* A triangle below 1e-6 of its longest edge squared in area gets no volume. */
membrane_rest membrane_rest_of(lim_point a, lim_point b, lim_point c, double thickness);
/* The same piece of material pressed to `thinning` times its thickness: of what does not change its
 * volume the rest lengths in the plane grow by thinning^-1/2. */
membrane_rest membrane_thinned(const membrane_rest* rest, double thinning);

/* Energy in joule, infinite for a triangle without area. gradient: 3 vectors, or null. */
double membrane_energy(const membrane_rest* rest, const membrane_material* m,
                       const lim_point corner[3], lim_point gradient[3]);
/* The second derivative, 9 x 9 row major, corner by corner; or its positive part. */
void membrane_hessian(const membrane_rest* rest, const membrane_material* m,
                      const lim_point corner[3], membrane_part part, double hessian[81]);

#endif
