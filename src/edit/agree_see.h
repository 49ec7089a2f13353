/* SPDX-License-Identifier: MIT
 * What a place sees past triangles that hide: a blade, or the faces of earlier cuts.
 */
#ifndef LIMBER_AGREE_SEE_H
#define LIMBER_AGREE_SEE_H

#include "sample/matter_links.h"

typedef struct hider {
    lim_point corner[3]; /* grid coordinates (sample/matter_links.h) */
    lim_point normal;    /* (b - a) x (c - a), rounded */
    lim_point size;      /* sums of the sizes of its products */
} hider;

/* Rounding to float keeps the order of numbers: boxes that meet in double meet in float. */
typedef struct see_box {
    lim_vec3 low, high;
} see_box;

enum { SEE_LEVELS = 17 };
/* Hiders along a curve through space, so that neighbours are near each other, and boxes about ever
 * more of them. The two lips of a cut hide the same: where they lie on each other one is there. */
typedef struct see_screen {
    hider* item;
    see_box* box; /* of the items, then of fours of these, of fours of those ... */
    int32_t first[SEE_LEVELS], count[SEE_LEVELS]; /* of the boxes of each level */
    int32_t levels;                               /* 0: nothing hides */
} see_screen;

/* Some hiders with their boxes, each bound in a row of its own. */
typedef struct see_list {
    int32_t count;
    float* bound[6]; /* low x, y, z, high x, y, z */
    const hider** of;
} see_list;

/* A place with the hiders about it. */
typedef struct see_place {
    lim_point from;
    see_list list;
    int8_t* side; /* of each: on which side of its plane the place is; 0: too near to tell,
                     SEE_UNASKED: nobody wanted to know */
    int32_t last; /* the one that hid what was asked for last, -1: none did */
    int32_t* met; /* scratch: which of them a box meets */
} see_place;
enum { SEE_UNASKED = 2 };

/* All in `a`. O(triangles). */
lim_result see_screen_make(arena* a, const grid_blade* blade, see_screen* out);
/* Room for all of a screen. */
lim_result see_make(arena* a, const see_screen* s, see_place* out);
/* What may hide something within a box, both its ends included. */
void see_gather(see_place* v, const see_screen* s, lim_point low, lim_point high);
/* The same of a list that was kept of a box that held this one. */
void see_choose(see_place* v, const see_list* list, lim_point low, lim_point high);
lim_result see_keep(arena* a, const see_place* v, see_list* out);
/* The place to look from, in the box that was gathered for. */
void see_stand(see_place* v, lim_point from);
/* Is nothing between the place and `to`, likewise in the box? As grid_segment_is_cut of everything
 * that was gathered. Both are rounded (grid_round). */
bool see_clear(see_place* v, lim_point to);

#endif
