/* SPDX-License-Identifier: MIT
 * The element of `hex`: a cube whose displacement is trilinear in its corners, with incompatible
 * modes (Wilson 1973, in the corrected form of Taylor, Beresford and Wilson 1976) that give it the
 * right bending stiffness and keep it from locking when it is nearly incompressible.
 *
 * Corner c of a cell of edge h lies at r_k = +1 where bit k of c is set and -1 elsewhere, x = h r /
 * 2. Displacements are taken apart into Walsh modes: u_f = sum_c s_f(c) x_c for the 8 subsets f of
 * the axes, s_f(c) = product over k in f of r_k(c); then u(r) = 1/8 sum_f u_f r^f. In these modes
 * the stiffness of a full cube falls apart into blocks of at most 3 (hex_cube_matrix has all of
 * them), and u_0, the translation, has none: 21 numbers are left, 3 (f - 1) + axis.
 */
#ifndef LIMBER_ELEMENT_H
#define LIMBER_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { HEX_CORNERS = 8, HEX_MODES = 21, HEX_DEGREES = 24 };

/* The energy of modes u is u^T K u / 2, the force of mode i is -(K u)_i, and that of a corner the
 * sum over modes of s_f(c) times it. N/m. */
typedef struct hex_matrix {
    double k[HEX_MODES][HEX_MODES];
} hex_matrix;

/* Lame's constants, and lambda in plane stress, 2 lambda mu / (lambda + 2 mu); Pa. */
typedef struct hex_lame {
    double lambda, mu, plane;
} hex_lame;

#define HEX_POISSON_MOST 0.495
#define HEX_YOUNG_LEAST  1.0
#define HEX_YOUNG_MOST   1e12

/* False when the modulus is not from HEX_YOUNG_LEAST to HEX_YOUNG_MOST or Poisson's ratio not from
 * 0 to HEX_POISSON_MOST. */
bool hex_lame_of(double young, double poisson, hex_lame* out);

/* The sign of mode f at corner c. */
static inline double hex_sign(int f, int c) {
    int minus = f & ~c;
    return ((minus ^ minus >> 1 ^ minus >> 2) & 1) != 0 ? -1.0 : 1.0;
}

/* Of a full cube of this edge. */
void hex_cube_matrix(const hex_lame* m, double edge, hex_matrix* out);

/* The empty part of a cell has this share of the material's stiffness: the far corners of a cell
 * with a grain of material in one place would else hang by less than floats resolve. */
#define HEX_FILLER 1e-2

/* Of a cube that has material only in some of its 4 x 4 x 4 sub-voxels (bit x + 4 y + 16 z): the
 * same element, integrated over these and, weakly, over the rest. Equal to hex_cube_matrix for all
 * of them. */
void hex_part_matrix(const hex_lame* m, double edge, uint64_t mask, hex_matrix* out);

/* The shares of the corners in the material's mass: the integrals of their shape functions. Their
 * sum is 1, and the centre of mass is kept. */
void hex_part_shares(uint64_t mask, double out[HEX_CORNERS]);

/* Adds what an element contributes to one of twice its edge, in whose octant (bits as for corners)
 * it lies and whose trilinear displacement it follows. */
void hex_add_child(const hex_matrix* child, int octant, hex_matrix* parent);

/* The 3x3 blocks on the diagonal of the corners' matrix (xx yy zz xy xz yz), each scaled by a bound
 * of the largest eigenvalue of the blocks' inverse times the matrix. Summed over elements, turned
 * in any way, they bound the sum of the matrices. */
void hex_diagonal_blocks(const hex_matrix* m, double out[HEX_CORNERS][6]);

/* The matrix over the 24 displacements of the corners, 3 corner + axis. */
void hex_corner_matrix(const hex_matrix* m, double out[HEX_DEGREES][HEX_DEGREES]);

#endif
