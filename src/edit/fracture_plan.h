/* SPDX-License-Identifier: MIT
 * Fracture: which links between nodes break, and the blades that part their cells. A link breaks
 * when its strain is above a limit, which is a field: a seam tears first. The blades are the faces
 * that the cells have in common; what lies in one plane and hangs together is one blade. Those of
 * several axes cross where they meet: they cut in turn (edit/turns.h).
 */
#ifndef LIMBER_FRACTURE_PLAN_H
#define LIMBER_FRACTURE_PLAN_H

#include "base/arena.h"
#include "cut/cut.h"

/* The graph of an octree's nodes; or of a lattice's, whose cells are the cubes about corners. */
typedef struct fracture_links {
    lim_point corner; /* of the root cell, unit space */
    double side;      /* edge of a finest cell, unit space */
    int32_t finest;   /* octree level of it */
    int32_t node_count;
    const uint64_t* key; /* octant keys */
    const int32_t *edge_offset, *edge_node;
    const float* strain; /* per entry; of each link the entry of the lower node counts. >= 0 */
    const float* limit;  /* per node, > 0; of a link the lower one counts. Infinite: never */
    /* When a link breaks, the faces of others between which there is skin but no material go with
     * it: the two nodes of each such link, then of the other, the lower ones first; by the first */
    int32_t beside_count;
    const int32_t (*beside)[4];
    /* How much skin a blade beside each node has to cut, or null; of the links that may break only
     * the first ones do whose nodes have no more than `enough` together, and at least one */
    const int32_t* skin;
    int64_t enough;
} fracture_links;

typedef struct fracture_plan {
    int32_t broken;      /* links */
    int32_t (*link)[2];  /* their nodes, those that are strained most, as a share of their limit,
                            first */
    int32_t* link_blade; /* of each, the blade that parts it */
    int32_t waiting;     /* links that are over their limits and did not break */
    int32_t blade_count;
    cut_blade* blade;    /* unit space; by axis and plane */
    int32_t* blade_axis; /* of each: that it lies across. Those of one axis do not meet */
} fracture_plan;

/* most: links that may break; 0: all, whatever skin they have. Links that have no face (over an
 * edge, over a corner, or within one cell) do not break by themselves: they go with those beside
 * them. stroke: which way blades are bent, so that two blades never lie in one plane; of an edit
 * another than of the one before. Arrays in `a`. LIM_ERROR_ARGUMENT: numbers out of range. O(links
 * + broken log broken). */
lim_result fracture_plan_make(arena* a, const fracture_links* links, int32_t most, uint64_t stroke,
                              fracture_plan* out);

/* Where three blades meet along a line or four at a place they may shut in a crumb or a splinter: a
 * part of the surface that has next to no volume. Marks the parts (cut_parts) that have triangles
 * of `inner_submesh` and a volume of up to 1e-3 of a finest cell (of edge `side`). Those that have
 * no others, no volume (less than 1e-11) and do not fit into half a cell are slits inside of a
 * body, and no crumbs; hollows have less than none. Without their triangles the surface is still
 * closed. out_crumb: per part, in `a`. O(triangles). */
lim_result fracture_find_crumbs(arena* a, const cut_surface* surface, const int32_t* part,
                                int32_t part_count, int32_t inner_submesh, double side,
                                uint8_t** out_crumb, int32_t* out_count);

#endif
