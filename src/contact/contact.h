/* SPDX-License-Identifier: MIT
 * Contact of a body with simple colliders. The surface decides, the nodes carry: once per step the
 * surface points that may touch are collected, for each node the nearest few of those that follow
 * it; the node's gap is the least of theirs. Each substep limits the velocity of each such node (no
 * approach faster than the gap allows, Coulomb friction) before positions move, and takes what
 * penetration is left out of the positions afterwards without adding speed. Each constraint acts on
 * one node, so one pass solves them all exactly and a resting body is at rest: constraints on the
 * blended points themselves are many more than the nodes they share, never converge and keep stiff
 * bodies trembling (tried). Momentum is exchanged with the collider alone. Order is by (collider,
 * node).
 */
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "base/array.h"
#include "skin/deform.h"

#include <limber/world.h>

typedef struct collider {
    lim_shape shape;
    lim_vec3 size; /* metres */
    lim_point position;
    dquat orientation;
    lim_vec3 velocity, angular_velocity;
    float friction;
} collider;

/* The surface points nearest to one collider among those that follow one node. */
enum { CONTACT_NEAR = 3 };
typedef struct contact_near {
    int32_t point[CONTACT_NEAR]; /* -1: none; nearest first when found */
    float gap[CONTACT_NEAR];
} contact_near;

typedef struct contact {
    int32_t node, collider;
    int32_t point[CONTACT_NEAR]; /* bound points; -1: none */
    /* of the last substep; vectors in frame axes of the node's component, unit lengths and masses
     */
    int32_t touching; /* the point that decided, -1 before the first substep */
    lim_vec3 normal;
    float impulse; /* along the normal, >= 0 */
    lim_vec3 friction_impulse;
    float least;     /* velocity along the normal against the collider's that is allowed */
    lim_vec3 moving; /* the collider's */
    float gap;       /* when positions were first looked at */
} contact;

/* A ball around the points of one component, in its frame. */
typedef struct contact_ball {
    lim_point centre;
    double radius;
} contact_ball;

/* A zeroed list is empty and ready. Free with contact_list_free. */
typedef struct contact_list {
    ARRAY(contact) items;
    ARRAY(contact_near) near; /* scratch of contact_search */
    ARRAY(contact_ball) ball; /* likewise: of each component */
    ARRAY(float) place[3];    /* likewise: where the points are, frame coordinates */
    /* Largest |X - x0| of a binding, kept from the first search with these bindings. */
    float reach;
    const binding* reach_of;
} contact_list;

void contact_list_free(contact_list* list, const lim_host* host);

/* Signed distance (metres, negative inside) and outward world normal of a world point. */
double collider_distance(const collider* c, lim_point at, lim_vec3* out_normal);
/* The distance alone. */
double collider_gap(const collider* c, lim_point at);
/* A plane with the whole collider behind it, the one nearest to a point: who is in front of it by
 * some distance is at least as far from the collider. In floats, about `origin`; `slack` is what
 * rounding may cost for points up to `reach` from there. */
typedef struct collider_front {
    lim_vec3 normal;
    float offset, slack;
} collider_front;
collider_front collider_front_at(const collider* c, lim_point at, lim_point origin, double reach);
static inline float collider_front_gap(const collider_front* f, lim_vec3 p) {
    return v3_dot(f->normal, p) - f->offset;
}
/* A collider as a component sees it: frame coordinates, unit lengths. */
collider collider_in_frame(const collider* c, const component* frame, double scale);
/* World velocity of the collider's material at a world point. */
lim_vec3 collider_velocity_at(const collider* c, lim_point at);
/* The collider after moving by itself for `time` seconds. */
collider collider_at(const collider* c, double time);

/* Room for a search and for so many contacts: the only thing here that allocates. */
lim_result contact_reserve(contact_list* list, const lim_host* host, const bindings* b,
                           const node_state* nodes, int32_t contacts);
/* Collects the nodes whose surface may come into contact within dt, and returns how many there are:
 * more than the list's count when it had no room for all. `speed` bounds how fast any point moves,
 * m/s. The nodes' affines must be complete (skin_prepare). */
int32_t contact_search(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                       const collider* colliders, int32_t collider_count, double dt, double speed,
                       isa set);
/* Both, with as much room as it takes. */
lim_result contact_find(contact_list* list, const lim_host* host, const bindings* b,
                        const node_state* nodes, double scale, const collider* colliders,
                        int32_t collider_count, double dt, double speed, isa set);
/* Velocity constraints for substep h. `time` is how far into the step the substep begins: moving
 * colliders are where they are then. body_friction combines by the geometric mean. */
void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h);
/* Holds to what the last contact_solve_velocity has reached, after other contacts have pushed: no
 * look at positions, so that it costs little. */
void contact_hold_velocity(contact_list* list, node_state* nodes, const collider* colliders,
                           float body_friction);
/* Moves vertices of a skin that lie inside a collider of the list to its surface: what the nodes'
 * constraints leave (up to a quarter of a cell in a hard impact), for the eye; nothing that moves
 * depends on it. Bounds follow. `time` as below. */
void contact_clear_skin(const contact_list* list, const collider* colliders, double time,
                        skin_output* skin, int32_t vertex_count);
/* Takes what penetration is left out of d. `time` is that of the positions in d: after a substep,
 * its end. */
void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time);

#endif
