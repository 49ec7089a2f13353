/* SPDX-License-Identifier: MIT
 * Sums over cubes of a regular lattice in a dense array, the two slower ways of figure 4 in Rivers
 * and James 2007: every member of every region one by one, (2 w + 1)^3 additions per value, and
 * bars, plates, cubes (eq. 4), 3 (2 w + 1). Records are those of the network (net/net.h): strips of
 * 8 floats, 3 forward and 2 for the adjoint, which is the same sum, because the regions are
 * symmetric.
 *
 * A region is the cube of half-width w about a place, cut off at the borders of the array. In a
 * lattice that fills its bounds these are the regions of the paper. In any other one they also
 * reach across gaps, where the paper's follow the lattice: for that there is naive_sums_within.
 */
#ifndef LIMBER_LATTICE_ARRAY_H
#define LIMBER_LATTICE_ARRAY_H

#include "base/arena.h"
#include "base/isa.h"

typedef struct lattice_array {
    int32_t size[3]; /* places along x, y, z; x runs fastest */
    int32_t places;
    int32_t count;  /* nodes */
    int32_t* place; /* of each node */
} lattice_array;

/* The array that bounds the nodes. coordinates: 3 whole numbers per node, no two nodes equal.
 * LIM_ERROR_TOO_LARGE beyond 2^26 places. */
lim_result lattice_array_make(arena* a, const int32_t* coordinates, int32_t count,
                              lattice_array* out);
/* Records of the nodes, one after the other, to their places and back. What is at other places must
 * be zero for the sums. */
void lattice_array_spread(const lattice_array* l, int32_t strips, const float* nodes, float* array);
void lattice_array_collect(const lattice_array* l, int32_t strips, const float* array,
                           float* nodes);

/* out[p] = sum of in over the cube about p, at every place that has a node; members in order of z,
 * y, x. Arrays of places * strips * 8 floats, aligned to 32 bytes. */
void lattice_array_naive(const lattice_array* l, int32_t w, int32_t strips, isa set,
                         const float* in, float* out);
/* The same sums by bars along x, plates of bars and cubes of plates, at every place of the array.
 * bars, plates: as large as in and out. */
void lattice_array_bars(const lattice_array* l, int32_t w, int32_t strips, isa set, const float* in,
                        float* bars, float* plates, float* out);

/* Kernels per instruction set. */
typedef struct lattice_kernels {
    void (*naive)(const lattice_array* l, int32_t w, int32_t strips, const float* in, float* out);
    /* out[p] = sum of in over 2 w + 1 places along an axis */
    void (*along)(const lattice_array* l, int32_t axis, int32_t w, int32_t strips, const float* in,
                  float* out);
    /* out[r] = sum of in over lists */
    void (*lists)(const int64_t* offset, const int32_t* member, int32_t count, int32_t strips,
                  const float* in, float* out);
} lattice_kernels;
const lattice_kernels* lattice_kernels_for(isa set);

#endif
