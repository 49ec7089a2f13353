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
} contact;

/* A ball around the points of one component, in its frame. */
typedef struct contact_ball {
    lim_point centre;
    double radius;
} contact_ball;

/* A zeroed list is empty and ready. Free with contact_list_free. */
typedef struct contact_list {
    ARRAY(contact) items;
    ARRAY(contact_near) near; /* scratch of contact_find */
    ARRAY(float) node_gap;    /* likewise: metres from each node to a plane */
    ARRAY(contact_ball) ball; /* likewise: of each component */
    ARRAY(double) margin;     /* likewise: how near a collider each component's points count */
    ARRAY(lim_point) world;   /* likewise: where points are, of those that were asked for */
    ARRAY(uint8_t) known;     /* likewise: which these are */
    /* Largest |X - x0| of a binding, kept from the first contact_find with these bindings. */
    float reach;
    const binding* reach_of;
} contact_list;

void contact_list_free(contact_list* list, const lim_host* host);

/* Signed distance (metres, negative inside) and outward world normal of a world point. */
double collider_distance(const collider* c, lim_point at, lim_vec3* out_normal);
/* World velocity of the collider's material at a world point. */
lim_vec3 collider_velocity_at(const collider* c, lim_point at);
/* The collider after moving by itself for `time` seconds. */
collider collider_at(const collider* c, double time);

/* Collects the nodes whose surface may come into contact within dt. Grows `list` when needed (the
 * only place that allocates). `speed` bounds how fast any point moves, m/s. */
lim_result contact_find(contact_list* list, const lim_host* host, const bindings* b,
                        const node_state* nodes, double scale, const collider* colliders,
                        int32_t collider_count, double dt, double speed);
/* Velocity constraints for substep h. `time` is how far into the step the substep begins: moving
 * colliders are where they are then. body_friction combines by the geometric mean. */
void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h);
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
