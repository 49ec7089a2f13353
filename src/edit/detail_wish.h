/* SPDX-License-Identifier: MIT
 * What users ask of the level of detail, as wishes (edit/levels.h). Rules are added one after the
 * other, per node; the finest wish wins, and a node is joined only when every rule is content with
 * it. Each rule has a band in which nothing changes, so that what moves back and forth by less does
 * not split and join in turns.
 */
#ifndef LIMBER_DETAIL_WISH_H
#define LIMBER_DETAIL_WISH_H

#include "edit/levels.h"
#include "graph/distance.h"

/* Weights: camera and strain say how many times too large or too much it is; a touch comes before
 * both, and a request before all. */
#define DETAIL_MOST_WEIGHT    1e20f
#define DETAIL_TOUCH_WEIGHT   1e25f
#define DETAIL_REQUEST_WEIGHT 1e30f

/* The nodes of a body, at rest or in the world, all in one unit of length. */
typedef struct detail_nodes {
    int32_t coarsest, finest; /* levels that nodes may have */
    double cell;              /* edge of a cell of level `finest` */
    int32_t count;            /* slots */
    const lim_point* position;
    const float* side; /* edges of their cells; 0: no node, it wishes for nothing */
} detail_nodes;

/* Nodes whose cells meet a box or sphere shall be of a level or finer. Those close by stay as they
 * are when they are that fine already. */
typedef struct detail_request {
    lim_box box;      /* where radius is 0 */
    lim_point centre; /* of a sphere */
    double radius;
    int32_t level; /* beyond the finest: the finest */
    double size;   /* above 0: cells no larger than this, whatever the level */
} detail_request;

/* Cells may be as large as max(least, angle * distance to the eye). */
typedef struct detail_camera {
    lim_point eye;
    double angle;      /* cell edge over distance, > 0; a pixel's times some. Below hysteresis - 1,
                          or nodes that are split see another distance than they did */
    double least;      /* >= 0 */
    double range;      /* farther away nothing is wished for; 0: no end */
    double hysteresis; /* 1 to 4: joined cells must be smaller than allowed by this factor */
} detail_camera;

/* One level finer where a node's strain is above `fine`, one coarser where it is below `coarse`. */
typedef struct detail_strain {
    float fine, coarse; /* 0 <= coarse < fine */
    int32_t finest;     /* no finer than this level for it */
} detail_strain;

/* One level finer within `reach` of nodes that are touched; within `reach` of those that were
 * touched in the last `keep` seconds all stay as they are. Distances are between the nodes'
 * positions, along what hangs together: a touch does not reach across a gap between two fingers. */
typedef struct detail_touch {
    const float* since; /* per slot: seconds since it was touched; 0: it is */
    double keep, reach;
    graph links;    /* over slots */
    int32_t finest; /* no finer than this level for it */
    bool still;     /* nothing is split: of bodies that sleep */
} detail_touch;

/* wish: per slot. Nothing wished: as coarse as can be; of bodies that sleep or are out of range. */
void detail_none(const detail_nodes* nodes, level_wish* wish);
/* To begin with for edits that are done once: every node stays as it is unless it is asked. */
void detail_keep(const detail_nodes* nodes, level_wish* wish);
/* The other way of a request: nodes whose middles are in the shape need be no finer than its level,
 * whatever was wished for them. They are joined where all of the joined node lies in it. */
lim_result detail_release(const detail_nodes* nodes, const detail_request* request,
                          level_wish* wish);
/* Each adds its wishes to those that are there. O(slots). LIM_ERROR_ARGUMENT: numbers out of range
 * or not finite (but positions that are not finite wish for nothing); nothing is added then. */
lim_result detail_by_request(const detail_nodes* nodes, const detail_request* request,
                             level_wish* wish);
lim_result detail_by_camera(const detail_nodes* nodes, const detail_camera* camera,
                            level_wish* wish);
lim_result detail_by_strain(const detail_nodes* nodes, const float* strain,
                            const detail_strain* limits, level_wish* wish);
/* Also LIM_ERROR_MEMORY. O(edges) about. */
lim_result detail_by_touch(arena* scratch, const detail_nodes* nodes, const detail_touch* touch,
                           level_wish* wish);

/* Wishes of nodes to their fragments. least: per fragment a level that it shall have whatever is
 * wished (those of the build), or null. */
void detail_spread(const level_wish* wish, int32_t fragment_count, const int32_t* fragment_slot,
                   const int8_t* least, level_wish* out);

#endif
