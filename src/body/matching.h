/* SPDX-License-Identifier: MIT
 * Shape matching as a solver (body/solver.h).
 */
#ifndef LIMBER_MATCHING_H
#define LIMBER_MATCHING_H

#include "body/solver.h"

/* The modulus of the body in bending, with the gains that it has; 0: of clusters, or where goals
 * are not rigid (body/bending.c). */
float matching_bending(const body* b);

#endif
