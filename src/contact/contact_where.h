/* SPDX-License-Identifier: MIT
 * Where the surface of a node is relative to a collider: what both solves of contact.c ask first.
 * Points are evaluated once as long as no node they follow is moved by contact_push, and their
 * distance from a collider with them: several nodes share each point.
 */
#ifndef LIMBER_CONTACT_WHERE_H
#define LIMBER_CONTACT_WHERE_H

#include "contact/contact.h"

typedef struct contact_place {
    int32_t point;
    float gap;       /* unit lengths */
    lim_vec3 normal; /* frame axes */
    lim_vec3 place;  /* of the point */
} contact_place;

/* A sheet is kept so far from points, in the largest distance of a point from its node: what is
 * left of a penetration does not end on its other side. */
#define CONTACT_SHEET_CLEAR 0.05f
/* How deep a node itself may lie in something solid, likewise: what is rounder than the surface's
 * points are close may come between them. */
#define CONTACT_NODE_DEEP 0.15f

/* A collider at a moment, and as the component of a node sees it: made anew when either changes,
 * which is seldom, for contacts are in order of collider and node. */
typedef struct moving_collider {
    contact_list* list;
    const bindings* bind;
    const node_state* nodes;
    const collider* all;
    double scale, time;
    int32_t index, component;
    collider now, seen;
    float reach; /* of the contact list */
    bool convex, sheet, plane;
    bool still;      /* neither moves nor turns */
    lim_vec3 normal; /* of a plane, frame axes */
    lim_vec3 moving; /* of one that stands still: 0 */
} moving_collider;

/* Begins a look at positions as they are now: what was evaluated before does not count. */
moving_collider contact_look(contact_list* list, const bindings* b, const node_state* nodes,
                             double scale, const collider* colliders, double time);
/* Makes m that of a contact. */
void contact_collider(moving_collider* m, const contact* c);
/* Where a point of a contact is, or the node of one without points. */
lim_vec3 contact_point(const moving_collider* m, const contact* c, int k);
/* The nearest of the node's points decides. False when nothing is finite. */
bool contact_where(moving_collider* m, const contact* c, contact_place* out);
/* The collider's motion where a node is (its point may be any of several equally near): frame axes,
 * unit lengths. */
lim_vec3 contact_motion(const moving_collider* m, int32_t node);
/* Moves a node. */
void contact_push(contact_list* list, node_state* nodes, int32_t node, lim_vec3 way);
/* Whether a node that the contact depends on was pushed after the clock stood at `since`. */
bool contact_changed(const moving_collider* m, const contact* c, int32_t since);
/* Keeps displacements; later, how far each node has moved since. */
void contact_keep_places(contact_list* list, const node_state* nodes);
void contact_measure_moves(contact_list* list, const node_state* nodes);
/* At least as far as any point of the contact has moved then. */
float contact_moved(const moving_collider* m, const contact* c);

#endif
