/* SPDX-License-Identifier: MIT
 * The rotation of a matrix as the papers find it: cyclic Jacobi on A^T A, warm (Rivers and James
 * 2007, section 4.2: eigenvectors are kept from step to step).
 */
#ifndef LIMBER_POLAR_JACOBI_H
#define LIMBER_POLAR_JACOBI_H

#include <stdint.h>

/* A: row major. V: the eigenvectors of A^T A as columns, a rotation; in: a start, such as the last
 * step's or the identity. R: in: the last rotation, which decides where A leaves a choice (rank
 * below 2); out: the nearest proper rotation to A. Returns the sweeps it took. */
int32_t polar_jacobi(const float A[9], float V[9], float R[9]);

#endif
