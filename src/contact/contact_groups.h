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

/* The nodes that each group follows; once for these bindings. */
void contact_groups_make(contact_list* list, const bindings* b, const node_state* nodes);
/* A search begins: nothing is placed. */
void contact_groups_begin(contact_list* list, const bindings* b);
/* A collider's turn: no node is near it yet. */
void contact_groups_next(contact_list* list, const node_state* nodes);
/* Marks the nodes [begin, end) whose points may be less than `beyond` before the collider's front.
 * A point is a mean of what its nodes say, x_i + L_i (X - x0_i), each of which is at most
 * (1 + |B_i|) reach away from its node; so where all nodes are farther than that and `beyond`, it
 * is too. */
void contact_groups_mark(contact_list* list, const node_state* nodes, int32_t begin, int32_t end,
                         const collider_front* front, float beyond);
/* Finds the groups with a marked node and places their points, where that was not done yet. */
void contact_groups_place(contact_list* list, const bindings* b, const node_state* nodes, isa set);

/* Whether a point may be near the collider; then it is placed. */
static inline bool contact_is_wanted(const contact_list* list, int32_t point) {
    return list->wanted.data[point / GROUP_POINTS] != 0;
}

#endif
