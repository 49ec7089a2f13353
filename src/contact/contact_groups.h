/* SPDX-License-Identifier: MIT
 * Bound points in groups of eight, and which groups a collider can be near: most points of a body
 * that lies on the ground are far above it, and need not be placed to know that.
 */
#ifndef LIMBER_CONTACT_GROUPS_H
#define LIMBER_CONTACT_GROUPS_H

#include "contact/contact.h"

enum { GROUP_POINTS = 8 };

static inline int32_t contact_group_count(const bindings* b) {
    return (b->count + GROUP_POINTS - 1) / GROUP_POINTS;
}

/* The nodes that each group follows; once for these bindings. The points of a group are of one
 * component, or it counts as near to everything. */
void contact_groups_make(contact_list* list, const bindings* b, const node_state* nodes);
/* A search begins: nothing is placed. */
void contact_groups_begin(contact_list* list, const bindings* b);
/* A collider's turn: nothing is known of any node. */
void contact_groups_next(contact_list* list, const node_state* nodes);
/* Whether points of a group may be less than `beyond` before the collider's front, as the component
 * of the group sees it; then they are placed, where that was not done yet. A point is a mean of
 * what its nodes say, x_i + L_i (X - x0_i), each of which is at most (1 + |B_i|) reach away from
 * its node; so where all nodes are farther than that and `beyond`, it is too. */
void contact_group_look(contact_list* list, const bindings* b, const node_state* nodes,
                        int32_t group, const collider_front* front, float beyond, isa set);

/* Whether a point may be near the collider; then it is placed. */
static inline bool contact_is_wanted(const contact_list* list, int32_t point) {
    return list->wanted.data[point / GROUP_POINTS] != 0;
}

#endif
