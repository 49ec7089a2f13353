/* SPDX-License-Identifier: MIT
 * A body: a topology and what moves. Knows nothing of the world but the colliders and tools it is
 * given.
 */
#ifndef LIMBER_BODY_H
#define LIMBER_BODY_H

#include "body/embed.h"
#include "body/meeting.h"
#include "body/wind_kernel.h"
#include "contact/contact.h"
#include "match/guide.h"

#include <limber/world.h>

/* Seconds for which a body takes the substeps that one it has touched needs. */
#define BODY_KEEP_SUBSTEPS 1.0f

/* Nodes held to a frame: slots and where they sit in it. */
typedef struct body_pin {
    uint32_t id_index; /* of the lim_pin */
    int32_t count;
    int32_t* slot;   /* ascending */
    lim_vec3* local; /* metres, in the pin's frame */
    float stiffness; /* newton per metre of all its nodes together; 0: hard */
    lim_point position, target_position;
    dquat orientation, target_orientation;
    lim_vec3 force, torque;     /* on the body, of the last step, about the frame's origin */
    lim_point impulse, turning; /* of the present step so far, world axes, about target_position */
    double hold;                /* how far it holds its components, 0 to 1; of the substep */
    lim_vec3 smooth_force, smooth_torque; /* by the world; state */
    /* of a hard grab: it gives way above this force, newton; 0: never */
    float limit;
    bool gave_way;   /* now only its pull acts; state */
    lim_point begun; /* impulse when the substep began */
} body_pin;

/* A patch (body/patch.h) pulled to a target: its nodes carry the held point along as one piece, x =
 * mean + R rest in the component's frame, with R the best rotation of the patch. Weights are shares
 * of mass, m_i s_i / sum m s, so that a force moves neighbours alike. */
typedef struct body_grab {
    uint32_t id_index;
    int32_t component;
    int32_t count;       /* nodes */
    int32_t* slot;       /* ascending */
    float* weight;       /* sum 1 */
    float radius, reach; /* of the patch, unit: as asked, as it is */
    lim_vec3* arm;       /* weight * (x0 - mean of x0), unit */
    lim_vec3 rest;       /* from the mean of x0 to the held point at rest, unit */
    lim_vec3 offset;     /* metres, world axes: from x to the surface point held, at the grab */
    lim_point target, previous_target;
    float stiffness, damping, force_limit; /* N/m, N s/m, N (0: none) of the whole patch */
    lim_vec3 force;                        /* of the last step, newton */
    lim_vec3 smooth_force;                 /* by the world; state */
    bool hard;                             /* its nodes follow the target: */
    bool can_hold; /* having given way, its pull is below the limit again; state */
    body_pin hold; /* with the grab's slots, about the target; local: null unless hard */
} body_grab;

/* A meeting of a component with a collider or with another body's: what restitution gives back at
 * its end (world/bounce.h). */
typedef struct body_bounce {
    float speed;                /* of the approach, m/s; 0: there is no meeting */
    float share;                /* restitution */
    lim_vec3 along;             /* away from who is met, world, unit */
    lim_vec3 wall;              /* velocity of a collider */
    double slide;               /* speed^2 across it, when it began */
    double level;               /* of speed^2 / 2 - g . along (centre . along), when it began */
    uint32_t other, generation; /* the body that is met; generation 0: a collider */
    int32_t piece;              /* its component */
    bool pressed;               /* in this step */
    lim_point velocity, centre; /* when the step began, world */
} body_bounce;

/* X-macro over the per-slot and per-region state arrays: what is copied, saved, hashed and
 * restored. X(name, element type, count expression over `topology* t`). */
#define BODY_STATE(X)                                                                              \
    X(d[0], float, t->slot_count)                                                                  \
    X(d[1], float, t->slot_count)                                                                  \
    X(d[2], float, t->slot_count)                                                                  \
    X(v[0], float, t->slot_count)                                                                  \
    X(v[1], float, t->slot_count)                                                                  \
    X(v[2], float, t->slot_count)                                                                  \
    X(q[0], float, t->regions.padded)                                                              \
    X(q[1], float, t->regions.padded)                                                              \
    X(q[2], float, t->regions.padded)                                                              \
    X(q[3], float, t->regions.padded)

/* Likewise, of a body that has had a yield strain: the plastic strain of its regions. */
#define BODY_PLASTIC_STATE(X)                                                                      \
    X(strain[0], float, t->regions.padded)                                                         \
    X(strain[1], float, t->regions.padded)                                                         \
    X(strain[2], float, t->regions.padded)                                                         \
    X(strain[3], float, t->regions.padded)                                                         \
    X(strain[4], float, t->regions.padded)                                                         \
    X(strain[5], float, t->regions.padded)

/* Likewise, of a body that something has pressed on in its last step: what friction has left. */
#define BODY_GRIP_STATE(X)                                                                         \
    X(spare, float, t->slot_count)                                                                 \
    X(usual, float, t->slot_count)

/* Likewise, of a body whose cells follow touches: seconds since each node was last touched. */
#define BODY_TOUCH_STATE(X) X(since_touch, float, t->slot_count)

/* Likewise, of a body whose solver remembers the substep before (body/solver.h): changes of
 * displacements and velocities in it, and the forces of colliders, newton; in frame axes. */
#define BODY_HISTORY_STATE(X)                                                                      \
    X(moved[0], float, t->slot_count)                                                              \
    X(moved[1], float, t->slot_count)                                                              \
    X(moved[2], float, t->slot_count)                                                              \
    X(kicked[0], float, t->slot_count)                                                             \
    X(kicked[1], float, t->slot_count)                                                             \
    X(kicked[2], float, t->slot_count)                                                             \
    X(pressed[0], float, t->slot_count)                                                            \
    X(pressed[1], float, t->slot_count)                                                            \
    X(pressed[2], float, t->slot_count)

/* Likewise, of a body whose stiffness was set: factors of Young's modulus of slots and regions. */
#define BODY_STIFFNESS_STATE(X)                                                                    \
    X(stiffness, float, t->slot_count)                                                             \
    X(region_stiffness, float, t->regions.padded)

typedef struct body_skin {
    float *positions, *normals, *tangents; /* tangents null if the surface has none */
    lim_point origin;
    lim_vec3 lower, upper;
    ARRAY(collider) lifters; /* what it is lifted out of, as that stood */
    bool made;
} body_skin;

/* What the skin before the last step is made of. */
typedef struct body_before {
    float* affine; /* null until lim_world_advance is called; and the next */
    component* components;
    bool kept;
} body_before;

#define BODY_NEVER_TOUCHED 1e30f /* seconds */

typedef struct body {
    lim_host host;
    arena mem; /* owns the arrays below but pins, grabs, contacts and lifters */
    topology* topology;
    /* state */
    float *d[3], *v[3], *q[4];
    float* strain[6]; /* plastic, per region (match/plastic_wide.h); zero unless `plastic` */
    bool plastic;     /* has had a yield strain since it was last at rest */
    /* What friction with colliders has left (contact/contact_grip.c), per slot; only if `gripped`.
     */
    float *spare, *usual;
    bool gripped;
    float* since_touch; /* per slot: seconds, 0 in the step in which it is; only if `feels_touch` */
    bool feels_touch;
    /* What its solver remembers of the substep before, per slot; null: nothing. And how long that
     * was, seconds; 0: velocities have changed otherwise since. */
    float *moved[3], *kicked[3], *pressed[3];
    float history_h;
    body_embedding* embedding; /* the rest shape of its matching; null: x0 */
    int32_t embed_wait;        /* steps until the next may be tried */
    struct embed_plan* plan;   /* of the step that is being prepared */
    /* factors of Young's modulus, 1 for pads; the model's unless `own_stiffness` */
    float *stiffness, *region_stiffness;
    bool own_stiffness;
    component* components; /* frames: state; sums: derived */
    body_bounce* bounces;  /* per component */
    lim_material material;
    double scale; /* instance scale */
    float gravity_scale;
    bool enabled, asleep, frozen;
    bool asleep_told;  /* what the last event about sleep has said */
    bool paused;       /* out of the world's range in this step; not saved */
    bool self_contact; /* meets itself */
    contact_layers layers;
    int32_t damping_wait; /* substeps until viscosity acts again */
    float quiet_time;     /* seconds below the sleep speed ... */
    float quiet_step;     /* ... counted in steps of about this length; state */
    /* Substeps that a body it touched needed, and how many seconds more it takes as many
     * (world/island.c); 0: none. */
    int32_t kept_substeps;
    float kept_time;
    lim_point start_position; /* of the descriptor, for reset */
    dquat start_orientation;
    ARRAY(body_pin) pins;
    ARRAY(body_grab) grabs;
    void* user;
    /* last finite state, for recovery; none: rest */
    bool has_good;
    float *good_d[3], *good_v[3], *good_q[4], *good_strain[6];
    float *good_moved[3], *good_kicked[3], *good_pressed[3], good_history_h;
    component* good_components;
    /* derived */
    match_gains gains;
    double gains_h;       /* substep the gains are for: state, saved; 0: not yet stepped */
    double asked_h;       /* dt / world substeps they were made for; not saved */
    bool gains_stale;     /* material or scale changed */
    bool share_stale;     /* gains are right for gains_h, but substeps are to be chosen anew */
    bool sums_valid;      /* components' sums are those of the present state */
    int32_t substeps;     /* of the present step */
    int32_t own_substeps; /* what it would take alone, for dt / world substeps of own_h */
    double own_h;
    int32_t substeps_needed;
    double share;    /* of the modulus asked that is got */
    bool near_limit; /* it asks for an alpha above 1, so that it trembles on colliders */
    bool limit_said; /* it got less stiffness than it asks for: the world has one log line for it */
    bool restored_untold; /* it turned non-finite and went back: the world's log line is due */
    bool sealed;          /* the surface is closed, so that pressure acts; told by the world */
    bool filled;          /* likewise, and encloses about the nodes' volume */
    float *inv_mass, *affine;
    float *forward, *adjoint;
    double* block_sums;
    match_chart* frames;
    struct hex_body* hex; /* what its solver works with (body/hex_solver.c); null: another solves */
    float *box_sums, *box_scratch; /* of a lattice's windows */
    struct match_watch watch;      /* of clusters, and so the next two */
    quadratic_work work;
    float* more[3];
    /* of wind, per slot; null until it has blown: area over mass (body/sail.c), and what it does in
     * the present step, if it blows */
    float *sail[WIND_SAIL], *blown[3];
    bool windy;
    float* shape;  /* per slot, scratch of patches (body/patch.h) */
    int32_t* walk; /* per slot, likewise */
    contact_list contacts;
    int32_t contacts_found; /* by the last search, those without room included */
    body_meeting meeting;
    /* The skin (body/published.c): of now, and of before the last step. */
    body_skin skin[2];
    int32_t skin_front;
    uint8_t skin_asked; /* bit k: somebody asked for it after the step k steps ago */
    body_before before;
    lim_box box; /* of body_box */
    bool box_known;
} body;

/* All or nothing. */
lim_result body_create(const lim_body_desc* desc, topology* t, const lim_host* host, body* out);
/* The same without the descriptor's velocities, and without who is beside whom (body/beside.h). */
lim_result body_create_still(const lim_body_desc* desc, topology* t, const lim_host* host,
                             body* out);
void body_destroy(body* b);

/* Node view over the body's arrays. */
node_state body_nodes(const body* b);
/* Match view; `nodes` is the view above, which must outlive it. */
match_body body_match(body* b, node_state* nodes);
/* How the material about a node is turned and stretched, in the frame of its component. */
dmat3 body_gradient(const body* b, int32_t slot);
double body_metres(const body* b); /* metres per unit length: topology unit * instance scale */

/* What one step needs of the world. */
typedef struct body_step_input {
    lim_vec3 gravity;
    const lim_wind* wind; /* null: none */
    double time;          /* of the world, at the step's begin */
    const collider* colliders;
    const contact_layers* collider_layers; /* of each; null: bodies meet all */
    int32_t collider_count;
    double dt;
    int32_t substeps;       /* of the world; a stiff body takes more, up to 8 */
    int32_t substeps_least; /* of who it touches; 0: no matter */
    bool leans;             /* it touches others */
    isa set;
    workers* pool; /* for bodies large enough to be split; may be null */
} body_step_input;

/* Seconds per stage, added to; counts. */
typedef struct body_step_times {
    double frames, contact_find, integrate, contact_solve, tools, skin;
    match_times match;
    double solve; /* of an implicit solver */
    int32_t contacts;
    int32_t iterations; /* of that; and substeps in which it has ended at its budget */
    int32_t cut_short;
    bool restored; /* turned non-finite, went back and was frozen */
} body_step_times;

/* Whether the whole body is outside of a box. O(nodes). */
bool body_is_outside(const body* b, const lim_box* box);
/* Enabled, awake, in range and not frozen. */
bool body_moves(const body* b);
/* Room for contacts, as many as were found last: with that for wind, once, the only thing of a step
 * that may allocate. */
lim_result body_reserve_contacts(body* b);
/* Room for what the skin is lifted out of, once contacts were found; likewise. */
lim_result body_reserve_lifters(body* b);
/* Finds the contacts of the step; contacts_found may be more than there was room for. */
void body_find_contacts(body* b, const body_step_input* in);
/* How many substeps the body would take alone. */
int32_t body_own_substeps(body* b, const body_step_input* in);
/* A step of dt in parts, so that bodies that touch go through it together: begin; for each of
 * b->substeps what changes velocities, what moves, what takes it out of colliders; end, which
 * measures where it is; after anything else has moved its nodes, `moved`, which measures anew; and
 * publish, which publishes a skin, and tells for how long the body has been quiet.
 * None of them can fail, and none does anything to a body that does not move. */
void body_step_begin(body* b, const body_step_input* in, body_step_times* times);
void body_substep_push(body* b, const body_step_input* in, int32_t k, body_step_times* times);
void body_substep_hold(body* b); /* between passes of other contacts */
void body_substep_drift(body* b, const body_step_input* in, int32_t k, body_step_times* times);
void body_substep_settle(body* b, const body_step_input* in, int32_t k, body_step_times* times);
void body_step_end(body* b, const body_step_input* in, body_step_times* times);
void body_step_moved(body* b, const body_step_input* in);
void body_step_publish(body* b, const body_step_input* in, body_step_times* times);
/* Quiet for long enough to sleep, if all that it touches are. */
bool body_is_tired(const body* b);
/* Whether steps of dt are so much longer or shorter than those in which the body has become quiet
 * that it may rest elsewhere in them. */
bool body_is_roused(const body* b, double dt);
void body_sleep(body* b);

/* Refreshes affine parts from the state and publishes a skin (after create, load, reset, teleport,
 * set). */
void body_refresh(body* b, isa set, workers* pool);
/* The same with gains that are right already. */
void body_refresh_shape(body* b, isa set, workers* pool);
/* The affine parts alone, of the places and holds as they are now: those of the last step do not
 * know of pins and grabs that have come and gone since. The skin stays that of the last step. */
void body_refresh_affine(body* b, isa set, workers* pool);

/* The skin that was published last, made now if nobody has asked for it before
 * (body/published.c). */
const body_skin* body_skin_now(body* b, isa set, workers* pool);
/* The one before the last step, if there is one: of a body that moved in it, and that was asked for
 * then or has had room for it since before (body_reserve_before). */
bool body_has_before(const body* b);
const body_skin* body_skin_before(body* b, isa set, workers* pool);
/* From the next step on what it is made of is kept. */
lim_result body_reserve_before(body* b);
void body_keep_before(body* b); /* at a step's begin, if there is room */
/* At the end of a step, and after the state was set. */
void body_publish_step(body* b, const body_step_input* in);
void body_publish_set(body* b, isa set, workers* pool);
/* The records of nodes that it is made of, once their affine parts are known. */
void body_complete_affine(body* b, isa set, workers* pool);
/* Before they change otherwise. */
void body_skin_settle(body* b, isa set, workers* pool);
/* Before what a collider is made of goes. */
void body_skin_forget(body* b, const collider_asset* asset, isa set, workers* pool);
/* A box about the surface by its nodes, whether or not there is a skin. O(nodes) once per step. */
lim_box body_box(body* b);

match_material body_match_material(const body* b);
/* Sets the factors of Young's modulus per slot; null: the model's. Only regions with a changed node
 * get new means and gains (body/stiffen.c). All or nothing. */
lim_result body_set_stiffness(body* b, const float* factor, isa set, workers* pool);
/* The model's factors, and nothing else: gains are the caller's to refresh. */
void body_model_stiffness(body* b);
void body_reset(body* b);
/* From now on the body counts the seconds since its nodes were touched, none of them yet. */
void body_feel_touch(body* b);
void body_wake(body* b);
lim_point body_centre(const body* b); /* of mass, world */
/* Rigid velocities for every node that is not pinned. */
void body_set_velocity(body* b, lim_vec3 velocity, lim_vec3 angular_velocity);
/* Rigid motion of the whole body: world -> rotation (world - pivot) + pivot + shift, for state
 * frames and velocities; shape unchanged. */
void body_move(body* b, lim_point pivot, dquat rotation, lim_point shift);

/* Where a node is at rest and now, in the coordinates of its component. */
static inline lim_point body_slot_rest(const topology* t, int32_t slot) {
    return p3((double)t->x0[0][slot], (double)t->x0[1][slot], (double)t->x0[2][slot]);
}
static inline lim_point body_slot_local(const body* b, int32_t slot) {
    lim_point d = p3((double)b->d[0][slot], (double)b->d[1][slot], (double)b->d[2][slot]);
    return p3_add(body_slot_rest(b->topology, slot), d);
}

/* Pins (body/pins.c) and grabs (body/tools.c). Creating allocates; all or nothing. */
lim_result body_pin_create(body* b, const lim_pin_desc* desc, uint32_t id_index);
lim_result body_grab_create(body* b, const lim_grab_desc* desc, uint32_t id_index, isa set,
                            workers* pool);
void body_pin_destroy(body* b, int32_t index);
void body_grab_destroy(body* b, int32_t index);
/* After the body has gone back to its last finite state: grabs feel nothing, and hard ones hold it
 * where it is. */
void body_grabs_forget(body* b);
/* What a hard grab holds its nodes with, from its other fields; its places are the caller's. */
lim_result body_grab_hold(const lim_host* host, body_grab* g);
/* Room for what wind needs, and what each node offers to it, once it blows (body/sail.c). All or
 * nothing; the calling thread alone. */
lim_result body_reserve_wind(body* b);
/* The wind's push over the step, as the body is at its begin; a substep's share of it, onto the
 * velocities (body/wind.c). */
void body_wind_begin(body* b, const body_step_input* in);
void body_wind_apply(body* b);
/* Pressure inside a closed surface over a substep h, onto the velocities (body/pressure.c). */
void body_pressure_apply(body* b, double h);
/* inv_mass from masses and hard pins. */
void body_refresh_inv_mass(body* b);
bool body_pin_is_hard(const body_pin* p);
/* A pin's frame at a share of the step, in the coordinates of a component, and where it wants a
 * node. */
typedef struct pin_frame {
    lim_point place;
    dquat turn;
    double unit; /* unit lengths per metre */
} pin_frame;
pin_frame body_pin_frame(const body* b, const body_pin* p, double share, int32_t piece);
lim_point body_pin_place(const pin_frame* f, lim_vec3 local);
/* The nodes of a pin from `first` on that are in one component: where the next begin. */
int32_t body_pin_run(const body* b, const body_pin* p, int32_t first);
/* Whether it holds its i-th node: a soft pin leaves it to a hard one. */
bool body_pin_holds(const body* b, const body_pin* p, int32_t i);
/* Mass of the components that the pin holds, unit volume. */
double body_pin_load(const body* b, const body_pin* p);
/* Pins, then the holds of hard grabs: from place k on, the next that holds; null after the last. k
 * goes behind it. */
body_pin* body_next_hold(const body* b, int32_t* k);
void body_pins_begin(body* b); /* of a step: nothing felt yet */
/* Gives the nodes of hard pins the velocity that takes them where they belong at the substep's end,
 * t1 (a share 0..1 of the step): before anything that looks at velocities, and again after each
 * stage that has added to them. h: the substep. */
void body_pins_hold(body* b, double t1, double h);
/* After matching: pins feel what damping towards them has put on their components. */
void body_pins_share(body* b);
/* Soft pins pull, for the substep [t0, t1] of the step. */
void body_pins_pull(body* b, double t0, double t1, double h);
/* How far each pin holds, and held, held_mass, held_centre, held_velocity and held_spin of every
 * component (body/held.c), for the substep [t0, t1] of the step. */
void body_measure_held(body* b, double t0, double t1, double h);
/* Affine parts of nodes in hard pins: their pin's rotation. After every pass that writes affine
 * parts. */
void body_pins_affine(body* b);
/* Soft pins and grabs as springs at nodes, for a solver that takes them into its solve: the force
 * on a node is force - spring * way - damper * v, with its way in the substep and its velocity at
 * the end. SI, frame axes, over the solver's own nodes. */
typedef struct body_springs {
    const int32_t* node; /* per slot, the solver's number */
    float *force[3], *spring, *damper;
    const float *way[3], *v[3];
} body_springs;
/* Adds those of pins, of grabs; and what they have done when the substep is over. */
void body_pins_spring(const body* b, double t0, double t1, double h, const body_springs* s);
void body_pins_sprung(body* b, double t0, double t1, double h, const body_springs* s);
void body_grabs_spring(body* b, double t1, double h, const body_springs* s);
void body_grabs_sprung(body* b, double t0, double t1, double dt, double h, const body_springs* s);
void body_pins_finish(body* b, double dt); /* at the end of a step: position = target, force */
/* After a step: a mean force (newton) of contacts on a node that a hard pin holds. */
void body_pin_bear(body* b, int32_t slot, lim_point force);
/* Before each substep: where holds stand, and those that gave way and can hold again do. */
void body_grabs_begin(body* b, double t0);
void body_grabs_apply(body* b, double t0, double t1, double dt, double h);
void body_grabs_finish(body* b, double dt);
lim_point body_grab_point(const body* b, const body_grab* g); /* where the held point is, world */
/* An impulse (newton second, world axes) on the patch at the point of the surface nearest to
 * `point`; LIM_ERROR_ARGUMENT when it could make a node faster than 1e6 m/s. */
lim_result body_push(body* b, lim_point point, lim_vec3 impulse, isa set, workers* pool);

#endif
