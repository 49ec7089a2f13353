/* SPDX-License-Identifier: MIT
 * The inside of a bvh, for the files of src/mesh that hang more on its nodes (mesh/winding.c).
 */
#ifndef LIMBER_BVH_NODES_H
#define LIMBER_BVH_NODES_H

#include "mesh/bvh.h"

/* A node's box in the order that a query reads it. count > 0: a leaf with triangles first ..
 * first + count - 1 of the tree's order; count 0: children first and first + 1, both behind their
 * parent. */
typedef struct bvh_node {
    lim_vec3 lower;
    int32_t first;
    lim_vec3 upper;
    int32_t count;
} bvh_node;

struct bvh {
    int32_t node_count, triangle_count;
    bvh_node* node;
    int32_t* triangle; /* in tree order: the caller's triangle */
    int32_t* corner;   /* 3 per triangle in tree order: the caller's points */
    lim_vec3* point;   /* 3 per triangle in tree order: a copy, so that leaves are read in a row */
};

/* Deeper than this no tree gets: see bvh.c. */
enum { BVH_STACK = 96 };

#endif
