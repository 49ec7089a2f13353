/* SPDX-License-Identifier: MIT
 * The way back from a deformed body to its rest shape, for places in and about the material of one
 * component. Inside it is the inverse of the skin's own field, x(X) of skin/binding.h; outside it
 * goes on as the nodes about the place are turned and stretched, without a jump.
 */
#ifndef LIMBER_REST_MAP_H
#define LIMBER_REST_MAP_H

#include "body/body.h"
#include "skin/trilinear.h"

typedef struct rest_map {
    const body* b;
    int32_t count; /* nodes near the box */
    int32_t* slot;
    float *x[3], *weight; /* where each is now, and 1 / side^2 of its cell */
    double (*back)[9];    /* inverse of what it does to the material about it, */
    uint8_t* has_back;    /* once somebody has asked for it */
    /* bins as wide as the widest cell; near nodes are in order of their bins */
    double edge;
    lim_point corner;
    int32_t size[3];
    int32_t* first;   /* per bin, + 1 */
    bind_nodes nodes; /* of the near ones alone: others have no cell */
    bind_material material;
    lattice_bind cells; /* of a lattice: those of the near nodes */
} rest_map;

typedef struct rest_place {
    lim_point at; /* rest, relative to the centre of mass, unit lengths */
    float
        outside; /* how far from the nearest cell at rest, unit lengths; 0: in it. Far out: less */
    float away;  /* how far from the nearest node now, in edges of its cell */
} rest_place;

/* Nodes within this many edges of the widest near cell of a place speak about it. */
enum { REST_MAP_NEAR = 6 };

/* For places in a box (coordinates of the component's frame, unit lengths); in `a`. O(slots), once.
 * There may be no node near: then nothing may be asked. */
lim_result rest_map_make(arena* a, const body* b, int32_t piece, lim_point lower, lim_point upper,
                         rest_map* out);
/* Where places of that frame are at rest; they have a node within 3 edges of its cell, or what is
 * said of them is rough. About a microsecond each: a look at each node about it, then a few rounds
 * of binding and correcting until they are right to 2e-4 of a finest cell. */
lim_result rest_map_places(const rest_map* m, const lim_point* local, int32_t count,
                           rest_place* out);

#endif
