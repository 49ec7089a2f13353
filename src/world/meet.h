/* SPDX-License-Identifier: MIT
 * Bodies that meet: who may touch whom in this step, where, and so which bodies go through the step
 * together. All of it is found anew in every step from the state alone.
 */
#ifndef LIMBER_MEET_H
#define LIMBER_MEET_H

#include "body/body.h"
#include "contact/boxes.h"

struct lim_world;

/* Two bodies, or one and itself. Contacts of a's points with b's surface are [begin[0], end[0]) of
 * a's list, those of b's points with a's surface [begin[1], end[1]) of b's. */
typedef struct world_pair {
    int32_t a, b; /* indices, a <= b */
    int32_t begin[2], end[2];
    int32_t link_begin, link_end; /* in world_meet.ties */
    int32_t island, colour;
    bool asks[2];         /* points of a, of b may meet the other's surface ... */
    surface_box asked[2]; /* ... here, in the coordinates of who is asked */
    bool meets;           /* their surfaces may touch; else only links connect them */
    bool moving;          /* the last pass has changed something */
    bool hard;            /* points may end deep that no contact holds (contact/pair.h) */
} world_pair;

/* Bodies that are stepped together: those that contacts and links connect. A body that does not
 * move connects nobody. */
typedef struct world_island {
    int32_t body_begin, body_end; /* in world_meet.member */
    int32_t pair_begin, pair_end; /* in world_meet.pairs, by colour */
    int32_t nodes;                /* of its bodies that move */
    bool leans;                   /* there are contacts in it */
    double solve_time;            /* seconds */
} world_island;

/* Pairs of one colour have no moving body in common, so that any number can be solved at a time;
 * those of the last, if any, may, and are solved in order. */
enum { MEET_COLOURS = 64 };

typedef struct world_meet {
    boxes tree;
    ARRAY(int32_t) body;  /* those in use and switched on, ascending */
    ARRAY(lim_box) box;   /* of each, with what it may travel in the step */
    ARRAY(int32_t) found; /* scratch: bodies */
    ARRAY(sort_item) order;
    ARRAY(sort_item) spare;
    ARRAY(sort_item) ties; /* links that act: bodies, link */
    ARRAY(world_pair) pairs;
    ARRAY(world_pair) sorted;
    ARRAY(int32_t) partner_offset; /* per body index, + 1 */
    ARRAY(int32_t) partner;        /* 2 * pair + (the body is b) */
    ARRAY(int32_t) met;            /* bodies with partners, ascending */
    ARRAY(int32_t) root;           /* per body index: of its island */
    ARRAY(uint64_t) colours;       /* per body index: those taken */
    ARRAY(int32_t) member;         /* bodies by island */
    ARRAY(world_island) islands;
    int32_t contacts;
} world_meet;

void world_meet_free(world_meet* m, const lim_host* host);
/* Finds contacts between bodies and puts every body that moves into an island. Wakes sleepers that
 * something restless touches. May allocate; LIM_ERROR_MEMORY. */
lim_result world_meet_find(struct lim_world* world, const body_step_input* in);

#endif
