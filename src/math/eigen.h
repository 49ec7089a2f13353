/* SPDX-License-Identifier: MIT
 * Eigenvalues of symmetric 3x3 matrices and singular values of any, in double: for constants that
 * are computed once and for cold starts. Small, robust and slow (cyclic Jacobi); hot code has
 * math/rotation_wide.h.
 */
#ifndef LIMBER_EIGEN_H
#define LIMBER_EIGEN_H

#include "math/mat3.h"

/* a in the order xx, yy, zz, xy, xz, yz. values descending; the rows of `vectors` are the unit
 * eigenvectors, right handed. Any finite input; a non-finite one gives zeros and the identity. */
void eigen_sym3(const double a[6], double values[3], dmat3* vectors);

/* A = U diag(s) V^T with proper rotations U and V and s[0] >= s[1] >= |s[2]|; s[2] carries the sign
 * of det A. Any rank; a non-finite A gives zeros and identities. */
void svd3(const dmat3* a, dmat3* u, double s[3], dmat3* v);

/* U V^T of a decomposition that is there. */
dmat3 svd_rotation(const dmat3* u, const dmat3* v);

/* The proper rotation R that is nearest to A, that is U V^T, which maximises tr(R^T A). Where there
 * are several (rank below 2; or det A < 0 with the two smallest singular values equal) it is one of
 * them. */
dmat3 nearest_rotation(const dmat3* a);

#endif
