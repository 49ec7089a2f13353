/* SPDX-License-Identifier: MIT
 * A triangle cut into smaller ones: a triangulation of one triangle with points on its border,
 * points inside and edges that must be there (walls). What lies on the border lies there by name,
 * not by its rounded coordinates. The same points give the same triangles whichever way the
 * triangle is turned, so that two faces that lie on each other are split alike.
 */
#ifndef LIMBER_PLANE_MESH_H
#define LIMBER_PLANE_MESH_H

#include "base/array.h"

typedef struct plane_point {
    double at[2];
    int32_t rank;  /* border points: their place along the border, else -1 */
    int32_t sides; /* bits of the sides of the triangle on which the point lies; 0: inside */
} plane_point;

/* Half edge h = 3 t + k runs from corner k of triangle t to its corner k + 1. */
typedef struct plane_mesh {
    const lim_host* host;
    ARRAY(plane_point) point;
    ARRAY(int32_t) corner; /* per half edge: the point it starts at */
    ARRAY(int32_t) mate;   /* per half edge: the one back, -1 on the border */
    ARRAY(int32_t) wall;   /* per half edge: 0 none, 1 + the wall it runs along, -1 its back only */
    ARRAY(int32_t) at;     /* per point: a half edge that starts there */
    ARRAY(int32_t) stack;  /* edges to look at */
    int turn;              /* sign that makes the triangle itself positive; 0: it has no area */
    int32_t last;          /* where the last search ended */
    bool memory_failed;
} plane_mesh;

static inline int32_t plane_next(int32_t h) {
    return h % 3 == 2 ? h - 2 : h + 1;
}
static inline int32_t plane_before(int32_t h) {
    return h % 3 == 0 ? h + 2 : h - 1;
}

void plane_mesh_free(plane_mesh* m);
/* Begins with the border: `count` points in order, of which first[k] is corner k (first[0] is 0),
 * counter-clockwise by name. False: no memory. */
bool plane_mesh_begin(plane_mesh* m, const double (*border)[2], int32_t count,
                      const int32_t first[3]);
/* A point inside. Its number, or -1: it cannot be placed soundly, or no memory. */
int32_t plane_mesh_insert(plane_mesh* m, const double at[2]);
/* The edge a -> b becomes wall number `wall`. False: it cannot, or no memory. */
bool plane_mesh_wall(plane_mesh* m, int32_t a, int32_t b, int32_t wall);
/* Better shapes: flips what is not Delaunay. */
void plane_mesh_smooth(plane_mesh* m);
/* A new point in the middle of an inner edge; its number, or -1 without memory. */
int32_t plane_mesh_halve(plane_mesh* m, int32_t h);

#endif
