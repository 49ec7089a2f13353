/* SPDX-License-Identifier: MIT
 * Points anchored to a lattice: nodes at the corners of equal cells. In the cell that holds it a
 * point at rest position X follows its eight corners (Rivers and James 2007, eq. 15-17),
 *     x(X) = sum_i phi_i(X) x_i,    F = dx/dX = sum_i x_i (grad phi_i)^T,
 * with phi_i the product over the axes of the share 1 - l or l of the point's place l (0..1) in the
 * cell. That is the binding formula with B = 0 (skin/binding.h), so contacts and pulls need to know
 * nothing of it; F is what carries normals, and it follows from the corners and three numbers per
 * point, which is less to store and to fetch than eight gradients.
 */
#ifndef LIMBER_TRILINEAR_H
#define LIMBER_TRILINEAR_H

#include "math/mat3.h"
#include "skin/binding.h"

/* The lattice at rest. Keys are octants of one level (sample/octant.h): a node has that of its
 * corner, a cell that of its lowest corner. A cell whose material is in several pieces is there
 * once for each; pieces that a cut has parted have corners of their own. */
typedef struct lattice_bind {
    int32_t slot_count;
    const uint64_t* key;      /* per slot; no two nodes alike where `corner` is null */
    const int32_t* slot_node; /* below 0 for pads */
    const int32_t* slot_component;
    double edge;     /* of a cell */
    lim_point lower; /* where the key (0, 0, 0) is */
    int32_t cell_count;
    const uint64_t* cell;  /* keys of the cells with material, ascending; all 8 corners are nodes */
    const int32_t* corner; /* 8 slots per cell; null: the nodes with their keys */
    const lim_point* middle; /* of the material of each, which says whose a point is where cells are
                                there several times; null: the first */
} lattice_bind;

/* Binds `count` rest points to the cells that hold them. A point on the border of several goes to
 * the one on the inner side, where `normals` (3 per point, outward, or null) says so; a point
 * outside of all goes to the nearest and moves as the nearest place in it. LIM_ERROR_ARGUMENT when
 * there is no cell, or a corner of one is no node. */
lim_result bindings_build_trilinear(arena* a, arena* scratch, const lattice_bind* in,
                                    const lim_vec3* points, const lim_vec3* normals, int32_t count,
                                    bindings* out);

/* Bindings of points whose cells are known: `b` has places, cells and corners, and room for the
 * rest. What comes out for a point follows from its place and its cell alone. */
void bindings_fill_trilinear(const lattice_bind* in, bindings* b);

/* How far a place is from a cell; 0 inside. */
double trilinear_outside(const lattice_bind* in, int32_t cell, lim_point at);

/* Weights phi and their gradients (per unit length) of the eight corners at a bound point, in order
 * of corner. */
void trilinear_weights(const bindings* b, int32_t point, double phi[8], double gradient[8][3]);
/* F of a bound point, in the frame of its component. */
dmat3 trilinear_gradient(const bindings* b, int32_t point, const node_state* n);

#endif
