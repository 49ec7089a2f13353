/* SPDX-License-Identifier: MIT
 * Contact of a body's surface points with simple colliders. Once per step the points that may touch
 * are collected (with a margin from the speed); each substep solves velocities (no approach faster
 * than the gap allows, Coulomb friction) before positions move, and takes what penetration is left
 * out of the positions afterwards without adding speed. Points act on nodes through their bindings,
 * so momentum is exchanged with the collider alone. Order is by (collider, point): the bits depend
 * on nothing else.
 */
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "base/array.h"
#include "skin/binding.h"

#include <limber/world.h>

typedef struct collider {
    lim_shape shape;
    lim_vec3 size; /* metres */
    lim_point position;
    dquat orientation;
    lim_vec3 velocity, angular_velocity;
    float friction;
} collider;

typedef struct contact {
    int32_t point; /* index into the bindings */
    int32_t collider;
    lim_vec3 normal; /* frame axes of the point's component, of the last substep */
    float impulse;   /* normal impulse of the last substep, unit mass */
    /* for contact_solve_velocity; vectors in frame axes, unit lengths */
    float inv_mass;    /* of the point; 0: nothing to do */
    float least_speed; /* along the normal, relative to the collider: -gap / h or 0 */
    float friction;    /* coefficient */
    lim_vec3 surface_velocity;
    lim_vec3 friction_impulse;
} contact;

/* A zeroed list is empty and ready. Free with ARRAY_FREE(host, &list->items). */
typedef struct contact_list {
    ARRAY(contact) items;
    /* Largest |X - x0| of a binding, kept from the first contact_find with these bindings. */
    float reach;
    const binding* reach_of;
} contact_list;

/* Signed distance (metres, negative inside) and outward world normal of a world point. */
double collider_distance(const collider* c, lim_point at, lim_vec3* out_normal);
/* World velocity of the collider's material at a world point. */
lim_vec3 collider_velocity_at(const collider* c, lim_point at);
/* The collider after moving by itself for `time` seconds. */
collider collider_at(const collider* c, double time);

/* Collects the points that may come into contact within dt. Grows `list` when needed (the only
 * place that allocates). `speed` bounds how fast any point moves, m/s. */
lim_result contact_find(contact_list* list, const lim_host* host, const bindings* b,
                        const node_state* nodes, double scale, const collider* colliders,
                        int32_t collider_count, double dt, double speed);
/* Velocity constraints for substep h. Starts from the impulses of the substep before; the first
 * after contact_find starts from nothing, so that they are no state of the body. `time` is how far
 * into the step the substep begins: moving colliders are where they are then. body_friction
 * combines by the geometric mean. */
void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h);
/* Takes what penetration is left out of d. `time` is that of the positions in d: after a substep,
 * its end. */
void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time);

#endif
