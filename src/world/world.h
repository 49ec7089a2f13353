/* SPDX-License-Identifier: MIT
 * The inside of a lim_world: tables of bodies, colliders, pins, grabs and links under ids, the
 * clock, and what a step needs. Pins and grabs live in their bodies; the world only knows whose
 * they are.
 */
#ifndef LIMBER_WORLD_INSIDE_H
#define LIMBER_WORLD_INSIDE_H

#include "base/fpenv.h"
#include "body/body.h"
#include "edit/stroke.h"
#include "world/check.h"
#include "world/links.h"
#include "world/meet.h"
#include "world/slots.h"
#include "world/touches.h"
#include "world/trained.h"

/* One skin between the last two steps, for lim_world_advance. Tangents null if the body has none.
 */
typedef struct world_skin {
    float *positions, *normals, *tangents;
    lim_point origin;
    bool made;
} world_skin;

typedef struct world_body {
    body body;
    bool closed;         /* the skin is closed and encloses about the nodes' volume */
    bool moved;          /* it moved in the last step */
    bool stepped;        /* it was there in the last step */
    bool woken;          /* for the step that is being prepared ... */
    float woken_quiet;   /* ... and the sleep timer it had, should the step fail */
    bool limit_was_said; /* before the last step: its one log line about stiffness is due */
    bool show_between;   /* lim_body_get_skin gives between[between_front], ... */
    int32_t between_front;
    double between_share;  /* ... at this share of the last step */
    world_skin between[2]; /* null until the first lim_world_advance */
    edit_stroke stroke;    /* the last one, while it can go on; state */
    bool detailed;         /* it has a lim_detail; state, and so the next */
    lim_detail detail;
    lim_body origin;        /* the body that it was split off; null: none. Not saved, as the next */
    int32_t* origin_vertex; /* that body's vertices, origin_count of them; null: none */
    int32_t origin_count;
    bool fragile;           /* it has a lim_fracture; state, and so the next */
    lim_fracture fracture;  /* its zones are the body's own */
    int32_t torn;           /* links that broke when the present step began ... */
    lim_point torn_at;      /* ... and about where */
    bool detail_waits;      /* the last try has changed nothing, though something is wished for */
    world_trained* trained; /* null: none */
} world_body;

typedef struct world_collider {
    collider shape;
    contact_layers layers;
    void* user;
    lim_load load;        /* state */
    lim_point push, turn; /* sums on the way to it */
} world_collider;

#define COLLIDER_LAYER                                                                             \
    (1u | LIM_LAYER_COLLIDER) /* that of a lim_collider_desc, if nothing is said */

/* What is saved, hashed and restored beside the tables. */
typedef struct world_settings {
    lim_vec3 gravity;
    int32_t substeps;
    float fixed_dt;
    int32_t advance_limit;
    bool sleep;
    float load_time, impact;
    lim_wind wind;
    bool ranged; /* bodies outside of `range` do not move */
    lim_box range;
    lim_world_detail detail;
    double time;        /* seconds since creation */
    double accumulator; /* seconds that lim_world_advance has not stepped yet */
    uint64_t tick;      /* steps since creation */
} world_settings;

/* Tells worlds apart for as long as a snapshot of one lives, also after the world's memory is gone
 * and another world stands in its place. */
typedef struct world_identity {
    int32_t references;
} world_identity;
void world_identity_release(world_identity* identity, const lim_host* host); /* null is allowed */

struct lim_world {
    lim_host host;
    world_identity* identity;
    isa set;
    workers* pool;
    world_settings settings;
    slots body_slots, collider_slots, pin_slots, grab_slots, link_slots;
    /* under the ids; null or unused where a slot is free. The capacities are those of the slots. */
    int32_t body_capacity, collider_capacity, pin_capacity, grab_capacity, link_capacity;
    world_body** bodies;
    world_collider* colliders;
    int32_t *pin_body, *grab_body; /* body index of each pin and grab */
    world_link* links;
    /* room for a step, kept as large as the tables */
    body_step_times* times;          /* per body */
    int32_t* queue;                  /* body indices to be stepped */
    collider* collider_list;         /* the colliders in use, in order of index */
    contact_layers* collider_layers; /* of each, */
    lim_collider* collider_ids;      /* and its id */
    world_meet meet;                 /* who may touch whom in a step */
    world_touches touches;           /* who has touched whom */
    bool blends;                     /* lim_world_advance was called */
    lim_step_report report;
};

/* Runs the work of a public function in the library's floating-point environment. */
#define WORLD_BORDER(expression)                                                                   \
    do {                                                                                           \
        fpenv border_env_ = fpenv_enter();                                                         \
        lim_result border_result_ = (expression);                                                  \
        fpenv_leave(border_env_);                                                                  \
        return border_result_;                                                                     \
    } while (0)

/* Whether world and argument are there; a null argument is told. */
bool world_given(const lim_world* world, const char* call, const char* argument,
                 const void* pointer);

/* An empty world with room for nothing, from checked settings. */
lim_result world_make(const world_settings* settings, int32_t worker_count, const lim_host* host,
                      lim_world** out);

/* The body under an id, or null with one log line. */
world_body* world_body_of(const lim_world* world, const char* call, lim_body id);
/* Grows the per-body (or other) tables so that index capacity - 1 is there. False: out of memory,
 * nothing changed. */
bool world_reserve_bodies(lim_world* world, int32_t capacity);
bool world_reserve_colliders(lim_world* world, int32_t capacity);
bool world_reserve_pins(lim_world* world, int32_t capacity);
bool world_reserve_grabs(lim_world* world, int32_t capacity);
bool world_reserve_links(lim_world* world, int32_t capacity);

/* Makes a body outside of any world (world/body_api.c); the caller puts it into a slot. */
lim_result world_body_make(const lim_body_desc* desc, topology* t, const lim_world* world,
                           world_body** out);
void world_body_free(const lim_host* host, world_body* b);
void world_body_free_between(const lim_host* host, world_body* b); /* interpolated skins */
/* The body of an edit, which must have material (no points), and the checks of its call begun: no
 * other result than LIM_OK has a body. */
check world_editable(const lim_world* world, const char* call, lim_body id, world_body** out);
/* Of an edit of levels, which must be an octree. */
check world_refinable(const lim_world* world, const char* call, lim_body id, world_body** out);
/* Puts the result of an edit in the place of the body (world/edited.c): links follow, interpolated
 * skins end, the body wakes. All or nothing; the result is taken over, or still the caller's. */
lim_result world_body_take(lim_world* world, int32_t index, edit_made* made, arena* scratch);
/* After the state was changed from outside: skins and affine parts, no stale interpolation. */
void world_body_refresh(const lim_world* world, world_body* b);
void world_body_reshape(const lim_world* world, world_body* b); /* with gains that are right */
/* The log line of a body that turned non-finite, if one is due. */
void world_body_say_restored(const lim_world* world, int32_t index);

/* Levels of detail at the begin of a step (world/detail.c): bodies whose wishes changed are edited,
 * within the limits. A body whose edit finds no memory stays as it is, with a log line. */
void world_detail_update(lim_world* world);
/* What touches bodies whose cells follow it (world/detail_touch.c): before the islands step, when
 * nothing can fail any more, and after. */
void world_detail_touch_begin(lim_world* world, double dt);
void world_detail_touch_end(lim_world* world);
/* Bodies that are strained too far tear (world/tear_step.c), at the begin of a step; likewise. Then
 * the events of it, for which there must be room. */
void world_tear_update(lim_world* world);
void world_tear_tell(lim_world* world);
/* A copy with zones of its own; all or nothing. */
lim_result world_fracture_copy(const lim_host* host, const lim_fracture* from, lim_fracture* out);
void world_fracture_free(const lim_host* host, lim_fracture* f);
/* Elastic strain per slot (world/strain.c). */
void world_slot_strain(const body* b, float* out);

/* Whether a collider touches or nearly touches a body, now or within dt at its velocity. */
bool world_body_near(world_body* b, const collider* c, double dt);
/* Wakes those that meet it. */
void world_wake_near(lim_world* world, const world_collider* c);
void world_wake_all(lim_world* world);
/* Wakes sleepers whose boxes come near to a box: what they lie on has changed. */
void world_wake_around(lim_world* world, lim_box box);

/* The skin that the caller sees: the published one, or the interpolated one after an advance. Made
 * now, if nobody has asked for it before. */
typedef struct world_shown {
    const float *positions, *normals, *tangents;
    lim_point origin;
} world_shown;
world_shown world_body_shown(const lim_world* world, world_body* b);

/* One step of dt; the body of lim_world_step (world/world_step.c). first: its events replace those
 * before, else they are added. */
lim_result world_step_once(lim_world* world, double dt, bool first);

/* Mass and centre of mass of a body in world coordinates, and its mean orientation
 * (world/motion.c). O(nodes). */
typedef struct world_pose {
    double mass;                   /* kg */
    lim_point centre, rest_centre; /* the latter in units of the model, where a piece's is not 0 */
    dquat orientation;
} world_pose;
world_pose world_body_pose(const world_body* b);

#endif
