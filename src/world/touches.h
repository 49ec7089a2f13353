/* SPDX-License-Identifier: MIT
 * Who touches whom, over steps: what events and the loads of colliders are made of. A touch is a
 * pair of a body and a collider, of two bodies, or of a body and itself, that had an impulse in one
 * of its last few steps. Touches of bodies that sleep stay as they are, so that a collider goes on
 * feeling what lies on it. Nothing that moves depends on any of this.
 */
#ifndef LIMBER_TOUCHES_H
#define LIMBER_TOUCHES_H

#include "base/array.h"
#include "base/sort.h"

#include <limber/world.h>

/* Steps without an impulse after which a touch has ended: what rattles does not begin and end all
 * the time. */
enum { TOUCH_QUIET = 3 };

typedef struct world_touch {
    uint64_t key; /* body index, whether the other is a body, index of the other: touch_key */
    uint32_t body_generation, other_generation;
    int32_t quiet; /* steps since its last impulse, below TOUCH_QUIET */
    float impulse; /* newton second of the step: sum along the normals */
    /* mean on the collider, of the last step in which the body moved; torque about its position */
    lim_vec3 force, torque;
    lim_point point; /* of the strongest contact when there was one last */
    lim_vec3 normal; /* there, into the body */
} world_touch;

static inline uint64_t touch_key(int32_t index, bool other_is_body, int32_t other) {
    return (uint64_t)(uint32_t)index << 32 | (uint64_t)other_is_body << 31 | (uint32_t)other;
}
static inline bool touch_is_of_bodies(const world_touch* t) {
    return (t->key >> 31 & 1u) != 0;
}
static inline lim_body touch_body(const world_touch* t) {
    return (lim_body){(uint32_t)(t->key >> 32), t->body_generation};
}
static inline uint32_t touch_other(const world_touch* t) {
    return (uint32_t)(t->key & 0x7FFFFFFFu);
}

typedef struct world_touches {
    ARRAY(world_touch) now;   /* in order of keys, each once: state */
    ARRAY(world_touch) fresh; /* scratch: those of the step */
    ARRAY(world_touch) next;  /* scratch */
    ARRAY(sort_item) order;   /* scratch, and the next */
    ARRAY(sort_item) spare;
    ARRAY(lim_event) events;  /* of the last lim_world_step or lim_world_advance */
    ARRAY(lim_event) waiting; /* that calls since then have brought: the next step tells them */
} world_touches;

struct lim_world;

void world_touches_free(world_touches* t, const lim_host* host);
/* Room for what the contacts that were found for this step can bring. All that allocates. */
lim_result world_touches_reserve(struct lim_world* world);
/* After the first step of a call: the events before it go, those that waited come. */
void world_events_begin(struct lim_world* world);
/* After a step of dt: touches and their events. */
void world_touches_update(struct lim_world* world, double dt);
/* After that: what colliders, pins and grabs feel (world/loads.c). */
void world_loads_update(struct lim_world* world, double dt);

#endif
