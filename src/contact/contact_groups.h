/* SPDX-License-Identifier: MIT
 * Bound points in groups of eight, and which groups a collider can be near: most points of a body
 * that lies on the ground are far above it, and need not be placed to know that. Points of a group
 * lie near each other: they are in the order of the nodes that they follow most.
 */
#ifndef LIMBER_CONTACT_GROUPS_H
#define LIMBER_CONTACT_GROUPS_H

#include "contact/contact.h"

enum { GROUP_POINTS = 8 };

static inline int32_t contact_group_count(const bindings* b) {
    return (b->count + GROUP_POINTS - 1) / GROUP_POINTS;
}

/* A group that follows more nodes than this counts as near to everything. */
enum { GROUP_NODES = 31 };

/* A node carries the points of which it has at least this weight, and always those it has most of.
 */
#define CARRIES 0.15f
/* How many of the nodes that a point follows carry it: the first ones, for entries are in order of
 * weight. */
static inline int contact_carriers(const contact_list* list, const binding* b) {
    float carried = b->weight[0], enough = list->carried;
    int k = 1;
    while (k < BINDING_NODES &&
           (b->weight[k] >= CARRIES || (b->weight[k] > 0.0f && carried < enough))) {
        carried += b->weight[k++];
    }
    return k;
}

/* The order of points, which groups follow each node, and how far from it their points are; once
 * for these bindings. The points of a group are of one component, or it counts as near to
 * everything. */
void contact_groups_make(contact_list* list, const bindings* b, const node_state* nodes);
/* A search begins: nothing is placed. */
void contact_groups_begin(contact_list* list, const bindings* b);
/* A collider's turn: no group is wanted but those that are near to everything. */
void contact_groups_next(contact_list* list, const bindings* b);
/* Groups of one component whose points may be less than `beyond` before the collider's front are
 * wanted. A point is a mean of what its nodes say, X + d_i + B_i (X - x0_i). So along the front's
 * normal n none is lower than the least n X + n d_i - |B_i| |X - x0_i|. `bend` of the list must be
 * filled. */
void contact_groups_near(contact_list* list, const node_state* nodes, const component* c,
                         const collider_front* front, float beyond, isa set);
/* Wanted groups with a point that a contact could push are placed, where that was not done yet. The
 * others are wanted no more: roots that are held stand on the ground for ever. */
void contact_groups_place(contact_list* list, const bindings* b, const node_state* nodes, isa set);

/* Whether a point, by its rank in the order, may be near the collider and pushed; then it is
 * placed. */
static inline bool contact_is_wanted(const contact_list* list, int32_t rank) {
    return list->wanted.data[rank / GROUP_POINTS] != 0;
}

#endif
