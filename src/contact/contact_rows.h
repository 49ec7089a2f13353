/* SPDX-License-Identifier: MIT
 * Where a body's surface is relative to colliders. A row is one place against one collider: a bound
 * point, or a node itself. Rows are made once per step, each place once however many nodes share
 * it, and measured once per substep, eight at a time, with the affine parts that matching has left.
 * From then on a row moves with its nodes: affine parts are what they were, so a point has moved by
 * the mean of its nodes' moves,
 *     x = x(0) + sum_k w_k (d_k - d_k(0)).
 */
#ifndef LIMBER_CONTACT_ROWS_H
#define LIMBER_CONTACT_ROWS_H

#include "contact/contact.h"

typedef struct contact_place {
    int32_t point;   /* -1: the node itself */
    float gap;       /* unit lengths */
    lim_vec3 normal; /* frame axes */
    lim_vec3 place;
} contact_place;

/* A sheet is kept so far from points, in the largest distance of a point from its node: what is
 * left of a penetration does not end on its other side. */
#define CONTACT_SHEET_CLEAR 0.05f
/* How deep a node itself may lie in something solid, likewise: what is rounder than the surface's
 * points are close may come between them. */
#define CONTACT_NODE_DEEP 0.15f

/* The collider of a run of contacts at a moment, as their component sees it. */
typedef struct contact_view {
    contact_list* list;
    const bindings* bind;
    const node_state* nodes;
    const contact_run* run;
    double scale;
    collider now, seen;
    float reach; /* of the list */
    bool convex, sheet, plane;
    bool still;      /* neither moves nor turns */
    lim_vec3 normal; /* of a plane, frame axes, and how far it is along it */
    float offset;
    float deep;      /* how deep places of the run may lie in it */
    lim_vec3 moving; /* of one that stands still: 0 */
} contact_view;

/* After a search: runs of contacts and their rows. */
void contact_rows_make(contact_list* list, const bindings* b, const node_state* nodes);
/* Measures all rows at the positions as they are now. */
void contact_rows_measure(contact_list* list, const bindings* b, node_state* nodes, double scale,
                          const collider* colliders, double time);
/* After nodes have moved, before contact_where_moved: how far they have since rows were measured,
 * and the most in each component. */
void contact_rows_move(contact_list* list, const node_state* nodes);

/* The collider of a run at `time`. */
contact_view contact_see(contact_list* list, const bindings* b, const node_state* nodes,
                         const contact_run* run, double scale, const collider* colliders,
                         double time);
/* Where a row was when it was measured. */
static inline lim_vec3 contact_row_place(const contact_list* list, int32_t row) {
    return v3(list->row_place[0].data[row], list->row_place[1].data[row],
              list->row_place[2].data[row]);
}

/* The nearest of a contact's rows, as they were looked at last. Of a sheet there is but one. */
static inline int32_t contact_nearest(const contact_list* list, const contact* c) {
    const float* gap = list->row_gap.data;
    int32_t least = c->row[0];
    for (int k = 1; k < CONTACT_NEAR && c->row[k] >= 0; ++k) {
        least = gap[c->row[k]] < gap[least] ? c->row[k] : least;
    }
    return least;
}

/* That row, which decides; of a sheet also the side where its place belongs. */
contact_place contact_where(const contact_view* v, const contact* c);
/* Looks at a contact's rows where they are now, after contact_rows_move and contact_rows_rise; and
 * what decides then. */
void contact_rows_look(const contact_view* v, const contact* c);
contact_place contact_where_moved(const contact_view* v, const contact* c);
/* The collider's motion where a node is (its point may be any of several equally near): frame axes,
 * unit lengths. */
lim_vec3 contact_motion(const contact_view* v, int32_t node);
/* Of the plane of a run, whenever contacts of other runs have pushed: how far nodes have moved
 * along its normal. */
void contact_rows_rise(const contact_view* v);
/* Moves a node. */
void contact_push(const contact_view* v, node_state* nodes, int32_t node, lim_vec3 way);
/* Whether a node that the contact depends on was pushed after the clock stood at `since`. */
bool contact_changed(const contact_view* v, const contact* c, int32_t since);

#endif
