/* SPDX-License-Identifier: MIT
 * The points nearest to a place, out of many that stay where they are.
 */
#ifndef LIMBER_NEAREST_H
#define LIMBER_NEAREST_H

#include "base/arena.h"
#include "math/vec3.h"

typedef struct nearest_tree {
    int32_t count;
    const lim_vec3* point; /* the caller's, borrowed */
    int32_t* order;        /* points as a balanced tree: the middle of a range parts it */
    uint8_t* axis;         /* along which, per place in the order */
} nearest_tree;

typedef struct nearest_found {
    int32_t point;
    double distance2;
} nearest_found;

enum { NEAREST_MOST = 32 };

/* Built in `a`; finite points. O(n log n). */
lim_result nearest_build(arena* a, const lim_vec3* point, int32_t count, nearest_tree* out);
/* The `want` (at most NEAREST_MOST) nearest points, nearest first, of two equally far the lower
 * number first; returns how many there are. O(log n) for points that are spread out. */
int32_t nearest_find(const nearest_tree* tree, lim_vec3 at, int32_t want, nearest_found* out);

#endif
