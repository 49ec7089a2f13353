/* SPDX-License-Identifier: MIT
 * One body asks another, or itself, whether they meet: what all stages of that share.
 */
#ifndef LIMBER_PAIR_QUERY_H
#define LIMBER_PAIR_QUERY_H

#include "contact/felt_kernel.h"
#include "contact/pair.h"

/* A search of A's points, and its nodes, against B. Lists of patches are groups << 8 with a bit for
 * each of their eight. */
typedef struct pair_query pair_query;
struct pair_query {
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
    /* What becomes of who has seen something; point -1: the node itself. */
    void (*see)(pair_query* q, int32_t point, int32_t node, surface_sight sight);
};

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

/* Whether a plane parts them, whatever they do within dt, but for what the query calls near. */
bool pair_are_apart(const pair_query* q);
/* As pair_ask, of two bodies, as near as the query says. */
bool pair_ask_other(const pair_query* q, surface_box* out);
/* Lets all of A's points that feel, and may meet B, look at it. */
void pair_look(pair_query* q);
/* How a point of A, or a node, asks. */
surface_query pair_asks(const pair_query* q, int32_t point, lim_vec3 at);
static inline lim_vec3 pair_point_place(const pair_side* s, int32_t point) {
    return v3(s->shape.at[0][point], s->shape.at[1][point], s->shape.at[2][point]);
}
/* Whether a place is outside of B after all: only faces that look against a point count for it, and
 * behind a thin part of B, or in front of it with the far side of a thin part of A, those are not
 * the nearest. */
bool pair_is_outside(const pair_query* q, lim_vec3 at, float depth);

/* All nodes of one component of B, that of the corner that counts most, that carry a place on one
 * of its triangles. */
enum { PAIR_HOLDERS = 3 * BINDING_NODES };
typedef struct pair_holders {
    int32_t component, count;
    int32_t node[PAIR_HOLDERS];
    float weight[PAIR_HOLDERS];
} pair_holders;
pair_holders pair_holders_of(const pair_side* b, const surface_hit* hit);

#endif
