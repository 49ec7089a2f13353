/* SPDX-License-Identifier: MIT
 * Polygons to triangles.
 */
#ifndef LIMBER_IO_POLYGON_H
#define LIMBER_IO_POLYGON_H

#include "base/array.h"

typedef struct polygon_corner {
    double x, y;           /* in the plane, exactly the input's coordinates */
    int32_t before, after; /* corners that are still there */
    bool hollow;           /* turns right or not at all: may lie in another corner's triangle */
} polygon_corner;

/* Scratch that is kept from polygon to polygon, and the work that may still be done: looking for
 * ears costs corners times hollow corners, and a file must not be able to ask for hours. */
typedef struct polygon_work {
    ARRAY(polygon_corner) corners;
    ARRAY(int32_t) hollow;
    ARRAY(int32_t) triangles; /* 3 per triangle, numbers of corners: the result */
    int64_t budget;           /* orientation tests left */
} polygon_work;

typedef enum polygon_outcome {
    POLYGON_OK,
    POLYGON_CROSSING,  /* crosses itself or has no area: a fan */
    POLYGON_TOO_LARGE, /* the budget is used up: a fan */
    POLYGON_NO_MEMORY
} polygon_outcome;

/* Leaves count - 2 triangles (for count >= 3) in work->triangles, turning as the corners do.
 * positions: 3 per corner. */
polygon_outcome polygon_triangulate(polygon_work* work, const lim_host* host,
                                    const double* positions, int32_t count);
void polygon_free(polygon_work* work, const lim_host* host);

/* The sign of (b - a) x (c - a): 1 left turn, -1 right turn, 0 on one line. Exact for coordinates
 * of at most 1 in size. */
int polygon_turn(double ax, double ay, double bx, double by, double cx, double cy);

#endif
