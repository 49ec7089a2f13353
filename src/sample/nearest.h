/* SPDX-License-Identifier: MIT
 * The nearest of a set of points: a balanced tree over an order of them (Bentley 1975). Ties are
 * broken by index, so that every answer is the only one.
 */
#ifndef LIMBER_NEAREST_H
#define LIMBER_NEAREST_H

#include "base/arena.h"
#include "math/vec3.h"

typedef struct nearest_tree {
    int32_t count;
    const lim_vec3* at; /* borrowed */
    int32_t* order;     /* a range's middle splits it; what is before and after are its halves */
    uint8_t* axis;      /* that the middle at this place splits along */
} nearest_tree;

enum { NEAREST_MOST = 16 };

/* O(n log n). */
lim_result nearest_build(arena* a, const lim_vec3* at, int32_t count, nearest_tree* out);
/* The k nearest, k <= NEAREST_MOST, in order of (distance, index), without point `skip` (-1: with
 * all): returns how many there are, writes them and the squares of their distances. O(log n) for
 * points that are spread. */
int32_t nearest_find(const nearest_tree* t, lim_point to, int32_t k, int32_t skip,
                     int32_t out_index[], double out_square[]);

#endif
