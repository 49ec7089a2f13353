/* SPDX-License-Identifier: MIT
 * Links between bodies (contact/link.h) as the world keeps them: under ids, found by pairs of
 * bodies, solved in their islands (world/island.c), with what they feel.
 */
#ifndef LIMBER_LINKS_H
#define LIMBER_LINKS_H

#include "body/body.h"
#include "contact/link.h"

struct lim_world;

typedef struct world_link {
    int32_t body, other;          /* indices: it ends with either */
    float stiffness, force_limit; /* 0: hard; 0: never breaks */
    int32_t count;                /* of ties */
    link_tie* tie;                /* in order of nodes of `body` */
    lim_load load;                /* on `body`; state */
    lim_point middle;             /* of its nodes when the present step began */
    link_law law;                 /* of the present step */
    bool acts;                    /* in the present step */
} world_link;

/* A tie from a node of a to the material of b as it lies about it (world/link_api.c). O(nodes of
 * b).
 */
link_tie world_tie_make(const body* a, const body* b, int32_t node);
void world_link_free(const lim_host* host, world_link* link);
/* Ends a link and wakes its bodies. */
void world_link_end(struct lim_world* world, int32_t index);
/* Ends all links of a body. */
void world_links_end_of(struct lim_world* world, int32_t body_index);
/* Whether a link has something to hold in this step: both bodies are enabled, one moves. */
bool world_link_can_act(const struct lim_world* world, const world_link* link);

/* The step of an island, for its links: gaps as the step begins, a pass over velocities, one over
 * positions, sums of a substep. */
void world_link_begin(struct lim_world* world, int32_t index);
bool world_link_solve(struct lim_world* world, int32_t index, bool first, double time, double h);
bool world_link_settle(struct lim_world* world, int32_t index, double time, double h);
void world_link_sum(struct lim_world* world, int32_t index, double h);

/* Marks the slots of a body that a link ties: as nodes of `body`, or as carriers of `other`. */
void world_link_mark(const world_link* link, int32_t body_index, uint8_t* tied);

/* The part of a place that the carriers do not give, `left` in world axes, as the arm of a tie; and
 * how far a tie's node is from where it belongs, metres. */
lim_vec3 world_tie_arm(const body* b, const link_tie* t, lim_point left);
lim_point world_tie_gap(const body* a, const body* b, const link_tie* t);

/* After a step: what links feel and put on hard pins; those that bore too much break, with an
 * event each (world_touches_reserve has room for them). keep: the share of a smoothed load that is
 * left. */
void world_links_bear(struct lim_world* world, double dt);
void world_links_feel(struct lim_world* world, double dt, float keep);

#endif
