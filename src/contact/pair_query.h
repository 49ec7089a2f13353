/* SPDX-License-Identifier: MIT
 * One body asks another, or itself, whether they meet: what all stages of that share.
 */
#ifndef LIMBER_PAIR_QUERY_H
#define LIMBER_PAIR_QUERY_H

#include "contact/felt_kernel.h"
#include "contact/pair.h"

/* A search of A's points, and its nodes, against B. Lists of patches are groups << 8 with a bit for
 * each of their eight. */
typedef struct pair_query {
    const felt_kernels* kernels;
    pair_list* list;
    const pair_side *a, *b;
    const pair_self* self; /* null: two bodies */
    lim_vec3 from_b;
    lim_vec3 way; /* of A as B sees it, in the step */
    pair_reach reach;
    double dt;
    bool any; /* somebody is near */
    int32_t wanted;
} pair_query;

pair_query pair_query_of(pair_list* list, const pair_side* a, const pair_side* b, double dt,
                         const pair_self* self, isa set);
/* A gap that may close within dt at this speed: matching may throw a point by a part of what moves
 * in the bodies at all. */
float pair_way_along(const pair_side* a, const pair_side* b, float closing, double dt);
/* Whether they may come nearer by much of a cell within dt. */
bool pair_is_fast(const pair_side* a, const pair_side* b, double dt);

/* Who asks with a box of A as B sees it go by: boxes have the ways that patches go beside their
 * bodies, whose own are added here. It looks any way ... */
felt_asker pair_asker_of(const pair_query* q, surface_box box);
/* ... unless told. */
void pair_asker_looks(felt_asker* asker, const surface_looks* of, int lane);
/* Those of A's patches in a group that have points that may be in B, or come to it: bits. */
unsigned pair_askers(const pair_query* q, int32_t group);
/* How A sees boxes of B go by. */
felt_view pair_view_of(const pair_query* q);
/* Takes the patches out of a list that are beside one of the same body. Returns how many groups are
 * left. */
int32_t pair_leave_beside(const pair_query* q, int32_t asks, int32_t* list, int32_t count);

#endif
