/* SPDX-License-Identifier: MIT
 *
 * Limber, worlds: bodies that move, what holds them, what they fall on.
 *
 * A world is a pointer that the caller owns; what lives in it is named by ids (index and
 * generation; a zeroed id is null; a stale id is refused with LIM_ERROR_ID). A world has one
 * writer: calls on one world must not overlap, nor may those that only ask (what they tell may be
 * made then), except reading a published skin view during the next step. Worlds are independent of
 * each other. The same calls give the same bits on every machine and for any number of workers. A
 * warm step allocates nothing.
 */
#ifndef LIMBER_WORLD_H
#define LIMBER_WORLD_H

#include <limber/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lim_world lim_world;
typedef struct lim_snapshot lim_snapshot;

typedef struct lim_body {
    uint32_t index, generation;
} lim_body;
typedef struct lim_collider {
    uint32_t index, generation;
} lim_collider;
typedef struct lim_pin {
    uint32_t index, generation;
} lim_pin;
typedef struct lim_grab {
    uint32_t index, generation;
} lim_grab;

typedef struct lim_link {
    uint32_t index, generation;
} lim_link;

/* ---- the world ------------------------------------------------------------------------------- */

typedef struct lim_world_desc {
    uint32_t cookie;
    lim_vec3 gravity; /* m/s^2; default (0, -9.81, 0) */
    int32_t substeps; /* per step, 1 to 64; default 4. A stiff body may take up to 8 of its own */
    int32_t workers;  /* threads, 1 to 64; default 1. Ignored when the host has parallel_for */
    float fixed_dt;   /* step of lim_world_advance in seconds; default 1/60 */
    int32_t
        advance_limit; /* steps one lim_world_advance may take before it drops time; default 4 */
    bool sleep; /* let bodies sleep that were at rest for half a second and 8 steps; default true.
                   A step more than twice as long or as short as those wakes them, for they may
                   rest elsewhere in it */
    float load_time; /* loads on tools are smoothed over so many seconds; 0: not; default 0.05 */
    float impact;    /* newton second in one step from which on there is LIM_EVENT_IMPACT; 0, the
                        default: none */
} lim_world_desc;

LIM_API lim_world_desc lim_world_desc_default(void);
LIM_API lim_result lim_world_create(const lim_world_desc* desc, const lim_host* host,
                                    lim_world** out_world);
LIM_API void lim_world_destroy(lim_world* world); /* null is allowed; every body in it ends too */

/* Moves the world on by dt seconds (1e-6 to 10). O(nodes). LIM_ERROR_MEMORY: nothing has moved. */
LIM_API lim_result lim_world_step(lim_world* world, float dt);
/* Moves the world on by frame_dt in fixed steps of desc.fixed_dt and leaves the skins interpolated
 * at the exact time. out_steps may be null. */
LIM_API lim_result lim_world_advance(lim_world* world, float frame_dt, int32_t* out_steps);

LIM_API lim_result lim_world_set_gravity(lim_world* world, lim_vec3 gravity);
LIM_API lim_vec3 lim_world_get_gravity(const lim_world* world);

/* Wind: a steady velocity plus smooth gusts. A piece of surface of area a and unit normal n feels
 * air_drag 1/2 density |u| (u.n) n a of the air's velocity u relative to it: pressed where the wind
 * comes, sucked where it goes, so a plate across the wind has density u^2 a of both its sides.
 * Areas are those at rest and turn with the nodes that the surface hangs on; forces are those of a
 * step's begin, and never turn the flow around within the step. O(nodes), however fine the surface
 * is; the first step in the wind, and that after an edit, O(triangles) and with memory taken. */
typedef struct lim_wind {
    lim_vec3 velocity; /* m/s */
    float gust;        /* strength of gusts as a share of the velocity, 0..4 */
    float gust_size;   /* metres, > 0 */
    float density;     /* of the air, kg/m^3; 0 switches wind off */
} lim_wind;
LIM_API lim_result lim_world_set_wind(lim_world* world, lim_wind wind);
LIM_API lim_wind lim_world_get_wind(const lim_world* world);

/* Bodies that lie wholly outside of the box (their nodes, and as far about them as the skin
 * reaches) when a step begins do not move in it, as if they were not enabled: all they are is kept,
 * they are not counted as awake, and go on where they were when the box comes back. Others meet
 * them as they meet sleepers, and do not wake them. There is no margin about the box: a body at its
 * rim may stop and go on from step to step. Null: everywhere, the default. State: saved, restored
 * and hashed. */
LIM_API lim_result lim_world_set_range(lim_world* world, const lim_box* box);
/* False, and an empty box at the origin, where none is set. out may be null. */
LIM_API bool lim_world_get_range(const lim_world* world, lim_box* out);

/* Seconds per stage of the last step, and counts. skin: what skins took within the step, of bodies
 * that somebody had asked for after each of the last two; others are made for who asks. */
typedef struct lim_step_report {
    double total, frames, contact_find, sums, regions, goals, integrate, contact_solve, tools, skin;
    double solve; /* of bodies of LIM_KIND_HEX */
    int32_t bodies, bodies_awake, nodes, nodes_awake, contacts, substeps_most;
    int32_t body_contacts;    /* between bodies, and of bodies with themselves */
    int32_t bodies_restored;  /* bodies that turned non-finite, went back and were frozen */
    int32_t solve_iterations; /* of conjugate gradients, of bodies of LIM_KIND_HEX */
    int32_t solves_cut_short; /* substeps of bodies of LIM_KIND_HEX whose solve ended at its budget:
                                 they took what it had */
    uint64_t tick;            /* steps since creation */
    double time;              /* seconds simulated since creation */
} lim_step_report;
LIM_API lim_step_report lim_world_get_report(const lim_world* world);

/* A 64-bit hash of everything that moves. Equal worlds have equal hashes. */
LIM_API uint64_t lim_world_hash(const lim_world* world);

/* In memory, for rollback: shares the constant parts, at most 64 bytes per node (96 in bodies that
 * flow plastically, 4 more where cells follow touches, 64 more of LIM_KIND_HEX) and 92 per node
 * that a link ties. A snapshot may be restored any number of times, into the world it came from.
 * Bodies, pins, colliders, grabs and links come back with their ids; those made later are gone. */
LIM_API lim_result lim_snapshot_create(const lim_world* world, lim_snapshot** out_snapshot);
LIM_API lim_result lim_snapshot_restore(lim_world* world, const lim_snapshot* snapshot);
LIM_API size_t lim_snapshot_size(const lim_snapshot* snapshot); /* bytes it holds */
LIM_API void lim_snapshot_destroy(lim_snapshot* snapshot);      /* null is allowed */

/* Everything as bytes, models included. Call with out = null to learn the size. After loading, ids
 * keep their meaning and stepping on gives the same bits as without the detour. User pointers are
 * not saved. */
LIM_API lim_result lim_world_save(const lim_world* world, void* out, size_t capacity,
                                  size_t* out_size);
LIM_API lim_result lim_world_load(const void* bytes, size_t size, int32_t workers,
                                  const lim_host* host, lim_world** out_world);

/* ---- bodies ---------------------------------------------------------------------------------- */

/* What a matched region wants of its nodes (Mueller et al. 2005). */
typedef enum lim_goal {
    LIM_GOAL_RIGID = 0,  /* its rest shape, moved and turned: the default */
    LIM_GOAL_LINEAR = 1, /* mixed with its best linear fit, whose volume is kept: stretch and shear
                            are resisted less */
    LIM_GOAL_QUADRATIC = 2 /* mixed with its best quadratic fit: bending and twisting too; only
                              LIM_KIND_POINTS */
} lim_goal;

/* What a body is made of. The values mean the same at any step, resolution, mass and size, but
 * alpha. */
typedef struct lim_material {
    float density;   /* kg/m^3, > 0; default 1000 */
    float young;     /* Young's modulus in pascal, > 0; default 30e3. Limited by step and cell:
                        see lim_body_get_limits */
    float viscosity; /* inner damping in pascal second; default 100 */
    int32_t damping_every; /* viscosity acts in every so many substeps, as much stronger, 1 to 16:
                              3 saves up to a third of the step and damps nearly the same. More
                              often where stiffness needs it; default 1 */
    float
        damping_time;  /* oscillations of the whole body, beside its rigid motion (or beside that of
                          its pins), fade as exp(-t / damping_time), seconds; 0: not; default 2 */
    float friction;    /* Coulomb, >= 0; default 0.5 */
    float restitution; /* a body bounces by its own elasticity and loses some speed; this is the
                          share of the loss that it gets back when it leaves, 0..1: at 1 it leaves
                          nearly as fast as it came. Of two that meet the larger counts. Approaches
                          slower than two steps of free fall get nothing. Default 0 */
    float rolling_time; /* the spin of a body that touches a collider or another body fades as
                           exp(-t / rolling_time): rolling resistance, seconds; 0: none; default 0.5
                         */
    float air_drag;     /* share of wind pressure taken, 0..1; default 1 */
    lim_goal goal;      /* default LIM_GOAL_RIGID */
    float beta;   /* share of the fit in goals that are not rigid, 0..1; at 1 a stretched body does
                     not go back (quadratic goals use at most 0.99); default 0.5 */
    float alpha;  /* 0: stiffness comes from young; above 0, up to 1: the paper's stiffness, the
                     share of the way to its goal that a node goes in a substep. Depends on the step:
                     the modulus is about alpha density sigma^2 / h^2. Default 0 */
    float volume; /* how far the material keeps its volume, 0..1: Poisson's ratio in parts of 0.494.
                     0: a squashed body does not bulge; 1: 30 % of squash cost 1 % of volume. Takes
                     more substeps, up to 8; where they are too few it gives way (docs/limits.md).
                     Young's modulus stays what it is. Default 0 */
    float pressure; /* inside the surface over that outside, pascal, along the normals of a closed
                       skin: inflates shells and solids, below 0 sucks them in. As the body grows
                       beyond its rest volume V0 it falls as V0 / V, like that of a fixed amount of
                       gas, and in a substep no node is pushed further than a cell: no pressure
                       tears a body apart. An open surface feels none (one log line). Costs
                       O(triangles) per substep. Default 0 */
    /* Plasticity: strain beyond `yield` flows into the rest shape and stays. */
    float yield;      /* strain of a pulled bar at which it begins to flow; 0: never; default 0 */
    float creep;      /* the excess over the yield strain fades as exp(-creep t), per second;
                         default 20 */
    float max_strain; /* how far a rest shape may flow, 0..10; default 0.5. Above 0.6 a body that
                         flows so far gets a new rest shape between two steps, which takes as long
                         as some hundred substeps (docs/materials.md) */
    float hardening;  /* rise of the yield strain per strain that has flowed, 0..100; default 0 */
    float nu; /* Poisson's ratio of LIM_KIND_HEX, 0..0.495; 0, the default: 0.494 times `volume`.
                 Other kinds look at volume alone */
} lim_material;
LIM_API lim_material lim_material_default(void);

/* Materials with names people know; docs/materials.md says what is behind them. */
typedef enum lim_preset {
    LIM_PRESET_JELLY = 0,
    LIM_PRESET_RUBBER = 1,
    LIM_PRESET_FOAM = 2,
    LIM_PRESET_CLAY = 3, /* keeps a dent */
    LIM_PRESET_LIVER = 4,
    LIM_PRESET_DOUGH = 5, /* keeps a dent, and creeps */
    LIM_PRESET_STIFF = 6, /* as stiff as the step allows */
    /* with the modulus that they have, for LIM_KIND_HEX */
    LIM_PRESET_SILICONE = 7,
    LIM_PRESET_TYRE = 8,
    LIM_PRESET_TENDON = 9
} lim_preset;
/* The default for a number that is no preset. */
LIM_API lim_material lim_material_preset(lim_preset preset);
/* "jelly" and so on; null for a number that is no preset: count until then. */
LIM_API const char* lim_preset_name(lim_preset preset);

/* Two bodies, or a body and a collider, meet when each one's layer has a bit in the other's mask.
 * Colliders have this bit in their layer by default, bodies have not: a body whose mask is this bit
 * meets colliders and no bodies. */
#define LIM_LAYER_COLLIDER 0x80000000u

typedef struct lim_body_desc {
    uint32_t cookie;
    const lim_model* model;
    lim_point position;   /* where the model's centre of mass goes */
    lim_quat orientation; /* default identity */
    float scale;          /* of this instance, > 0; default 1. The longest side of the body must be
                             1e-9 to 1e9 metres */
    lim_material material;
    lim_vec3 velocity;         /* m/s */
    lim_vec3 angular_velocity; /* rad/s */
    float gravity_scale;       /* default 1 */
    bool enabled;              /* default true; a body that is not enabled does not move */
    uint32_t layer, mask;      /* default: layer 1, mask all bits */
    bool self_contact;         /* parts of the body meet each other; default false. Pieces that a
                                  cut or a tear has made separate do in any case, if the body's
                                  layer is in its own mask */
    void* user;
} lim_body_desc;

LIM_API lim_body_desc lim_body_desc_default(void);
LIM_API lim_result lim_body_create(lim_world* world, const lim_body_desc* desc, lim_body* out_body);
LIM_API lim_result lim_body_destroy(lim_world* world, lim_body body);
LIM_API bool lim_body_is_valid(const lim_world* world, lim_body body);
/* Bodies in order of index: pass a null id for the first; returns a null id after the last. */
LIM_API lim_body lim_body_next(const lim_world* world, lim_body body);
/* The body as it is, as a descriptor: what the setters below set, and its motion as a whole.
 * position: its centre of mass; orientation: its mean one; velocity: of its centre of mass;
 * angular_velocity: that of a rigid body of its shape and angular momentum. model is null:
 * lim_body_get_model makes one. O(nodes). */
LIM_API lim_result lim_body_get(const lim_world* world, lim_body body, lim_body_desc* out);

LIM_API lim_result lim_body_set_material(lim_world* world, lim_body body,
                                         const lim_material* material);
LIM_API lim_result lim_body_get_material(const lim_world* world, lim_body body, lim_material* out);
LIM_API lim_result lim_body_set_gravity_scale(lim_world* world, lim_body body, float scale);
LIM_API lim_result lim_body_set_enabled(lim_world* world, lim_body body, bool enabled);
/* Layer and mask of lim_body_desc, from the next step on. Wakes the body and those that lie on it.
 * State: saved, restored and hashed. */
LIM_API lim_result lim_body_set_layer(lim_world* world, lim_body body, uint32_t layer,
                                      uint32_t mask);
/* lim_body_get tells it. */
LIM_API lim_result lim_body_set_user(lim_world* world, lim_body body, void* user);

/* Stiffness at run time: a factor of material.young per node, 1e-6 to 1e6, in the order of
 * lim_model_get_nodes, in place of the model's own; null: back to the model's. Only regions that
 * hold a changed node, and their nodes, are worked out again, and the body is then, bit for bit,
 * one of a model with these factors. State: saved, restored and hashed. LIM_ERROR_MEMORY: nothing
 * has changed. */
LIM_API lim_result lim_body_set_stiffness(lim_world* world, lim_body body, const float* factor,
                                          int32_t node_count);
/* The same from zones, on top of the model's own factors: in its rest frame, whatever the body's
 * scale. Their density must be 1: mass does not change. count 0: back to the model's. */
LIM_API lim_result lim_body_set_zones(lim_world* world, lim_body body, const lim_zone* zones,
                                      int32_t count);
/* The factors as they are, those of the model included, whichever call has set them: one per node,
 * in the order of lim_model_get_nodes of lim_body_get_model. LIM_ERROR_ARGUMENT for another
 * node_count. O(nodes). */
LIM_API lim_result lim_body_get_stiffness(const lim_world* world, lim_body body, float* out_factor,
                                          int32_t node_count);

/* Asked and got: matching cannot be stiffer than 1.5 density * sigma^2 / h^2 for regions of
 * variance sigma^2 and a substep h; lattices, points and what keeps its volume two thirds of that.
 */
typedef struct lim_body_limits {
    float young_asked;       /* pascal */
    float young_got;         /* mean over regions at the last step size: of a bar that is pulled */
    float young_bending;     /* likewise of a bar as thin as the body, clamped and bent: more than
                                young_got where it is few cells thick, less by up to a third with
                                a share of volume; 0: of points, and where goals are not rigid */
    int32_t substeps_got;    /* substeps that this body takes */
    int32_t substeps_needed; /* substeps that would give young_asked with these regions */
    float region_width_needed; /* about the lim_model_desc.region_width, in cells, that would give
                                  young_asked with substeps_got, sigma^2 = w (w + 1) / 3 cells:
                                  lim_model_info.region_width where that gives it; may be more
                                  than there can be; 0: of LIM_KIND_POINTS */
} lim_body_limits;
LIM_API lim_result lim_body_get_limits(const lim_world* world, lim_body body, lim_body_limits* out);

/* Back to the rest shape at the descriptor's pose, without velocity. */
LIM_API lim_result lim_body_reset(lim_world* world, lim_body body);
/* Moves the body rigidly so that its centre of mass and mean orientation are these; its shape
 * stays, its velocity turns with it. */
LIM_API lim_result lim_body_teleport(lim_world* world, lim_body body, lim_point position,
                                     lim_quat orientation);
LIM_API lim_result lim_body_set_velocity(lim_world* world, lim_body body, lim_vec3 velocity,
                                         lim_vec3 angular_velocity);
/* Adds an impulse (newton second) at the point of the surface nearest to `point`. It acts on the
 * patch of material within two and a half cells of the point that hangs together with it, in
 * proportion to mass and fading towards the rim; momentum and angular momentum change by those of
 * the impulse at the point (on a patch a cell thin, part of the angular). What is pinned in the
 * patch takes its share and does not move. LIM_ERROR_ARGUMENT when a node could become faster than
 * 1e6 m/s. */
LIM_API lim_result lim_body_apply_impulse(lim_world* world, lim_body body, lim_point point,
                                          lim_vec3 impulse);
LIM_API lim_result lim_body_wake(lim_world* world, lim_body body);

/* The motion of the whole body, computed on the call. O(nodes), and O(vertices) for the bounds and
 * the volume of the skin. */
typedef struct lim_body_motion {
    double mass, volume;  /* kg; volume of the deformed skin when it is closed, else of the nodes */
    lim_point centre;     /* of mass */
    lim_quat orientation; /* best rotation of the whole body from rest */
    double momentum[3];   /* kg m/s */
    double angular_momentum[3]; /* about the centre of mass */
    double kinetic, potential;  /* joule; potential: gravity, zero at the origin */
    double elastic;             /* joule, of the matching goals at the last step size */
    double strain;  /* largest over nodes: distance from the best rigid pose over the size */
    double speed;   /* largest over nodes, m/s */
    lim_box bounds; /* of the skin */
    bool asleep, frozen;
} lim_body_motion;
LIM_API lim_result lim_body_get_motion(const lim_world* world, lim_body body, lim_body_motion* out);

/* Nodes: current positions and velocities, in the order of lim_model_get_nodes; for tools and
 * tests. Each array holds 3 doubles or floats per node and may be null. Setting wakes the body. */
LIM_API lim_result lim_body_get_nodes(const lim_world* world, lim_body body, double* out_positions,
                                      float* out_velocities, int32_t node_count);
LIM_API lim_result lim_body_set_nodes(lim_world* world, lim_body body, const double* positions,
                                      const float* velocities, int32_t node_count);

/* The deformed surface of the last step, made for the first who asks. A body that nobody asks for
 * costs nothing here; one that was asked for after each of the last two steps has its skin made
 * within the step, beside those of others. Nothing that moves depends on who asks. Borrowed: valid
 * until the second next step (two buffers take turns), so another thread may read it during the
 * next step. Original vertices keep their index for ever. */
typedef struct lim_skin_view {
    int32_t vertex_count, triangle_count;
    lim_point origin;        /* positions are relative to it, in world axes */
    const float* positions;  /* 3 per vertex */
    const float* normals;    /* 3 per vertex, unit */
    const float* tangents;   /* 4 per vertex, or null if the mesh has none */
    const uint32_t* indices; /* 3 per triangle */
    uint64_t index_revision; /* changes when indices or counts do */
} lim_skin_view;
LIM_API lim_result lim_body_get_skin(const lim_world* world, lim_body body, lim_skin_view* out);
/* Copies positions (relative to origin) and normals into strided memory of the caller. Strides are
 * in bytes; either pointer may be null. */
LIM_API lim_result lim_body_write_skin(const lim_world* world, lim_body body, lim_point origin,
                                       void* positions, size_t position_stride, void* normals,
                                       size_t normal_stride, int32_t vertex_count);

/* Trained detail: wrinkles and bulges of a more accurate simulation that ran before (`limber
 * train`, docs/detail.md), added to the skin that lim_body_get_skin, lim_body_write_skin and
 * picking give. The bytes are copied; they must have been trained on the body's model,
 * LIM_ERROR_ARGUMENT, and be whole, LIM_ERROR_FORMAT or LIM_ERROR_VERSION. Null takes detail off.
 * Detail follows the tools that press on the body, up to 8 at a time: grabs, and colliders that are
 * smaller than the body and no plane or height field; from the next step on. It comes within a
 * tenth of a second of simulated time after a tool has begun to touch, and goes within half a
 * second after it has let go. Where no example fits the deformation the skin is the plain one, to
 * the bit. Nothing that moves depends on it, contacts, grabs and motion use the plain skin, and it
 * is not hashed, saved or restored: like a model it is the host's to keep, and is set again after
 * lim_world_load. An edit that changes the body's nodes takes it off, with a log line. A step in
 * which a tool presses costs O(nodes * examples + points) more; the skin O(points) more, for who
 * asks. */
LIM_API lim_result lim_body_set_trained_detail(lim_world* world, lim_body body, const void* bytes,
                                               size_t size);

/* For a host that skins on its GPU (lim_model_make_skinning): per node 12 floats, the rows of a 3x4
 * matrix from rest metres to the world relative to `origin` (which should be near the body), of the
 * last step; in the order of lim_model_get_nodes. What the host makes of them is the skin of
 * lim_world_step, but for vertices that the library lifts out of colliders. O(nodes). */
LIM_API lim_result lim_body_write_node_transforms(const lim_world* world, lim_body body,
                                                  lim_point origin, float* out_transforms,
                                                  int32_t node_count);

/* ---- picking --------------------------------------------------------------------------------- */

typedef struct lim_hit {
    lim_body body;
    int32_t triangle; /* of the skin */
    float weights[3]; /* barycentric */
    double distance;  /* along the ray, or from the query point; metres */
    lim_point point;
    lim_vec3 normal; /* of the triangle */
} lim_hit;

/* Nearest skin triangle along a ray. direction need not be normalised. Returns LIM_OK with
 * out_hit->body null when nothing is hit. */
LIM_API lim_result lim_world_pick(const lim_world* world, lim_point origin, lim_vec3 direction,
                                  double max_distance, lim_hit* out_hit);
LIM_API lim_result lim_body_closest_point(const lim_world* world, lim_body body, lim_point point,
                                          lim_hit* out_hit);

/* ---- colliders, pins, grabs ------------------------------------------------------------------ */

/* What a tool feels: the mean force (newton) and torque (newton metre, world axes) that bodies put
 * on it over the last step; the opposite acts on the bodies. And both smoothed: a load fades as
 * exp(-t / load_time) of lim_world_desc. A body that sleeps goes on to load a tool as it did when
 * it fell asleep. What is more than 1e30 is told as 1e30. */
typedef struct lim_load {
    lim_vec3 force, torque;
    lim_vec3 smooth_force, smooth_torque;
} lim_load;

/* What stands in the way. Plane, sphere, capsule and box say all with `size`. The other shapes are
 * arrays in the collider's own axes, metres up to 1e6, which are copied; docs/contact.md has their
 * limits. Hull: 4 to 1024 points that are not in one plane. Mesh: triangles over points; those
 * without an area are left out, and one must be left. Closed (after welding, two triangles at each
 * edge) it is solid; else it is a sheet, which has no thickness and no inside: nothing passes it,
 * from either side. Heights: columns * rows of them, row by row, size.x apart along x and size.z
 * along z, about the origin; each square is two triangles, parted from its first corner to its
 * last; solid below, and the sides go straight down. */
typedef struct lim_collider_desc {
    uint32_t cookie;
    lim_shape shape;
    lim_vec3 size; /* as lim_shape says; heights: the spacing; hull and mesh: not looked at */
    lim_point position;
    lim_quat orientation;
    lim_vec3 velocity;         /* of a moving collider, m/s; it moves by itself at this velocity */
    lim_vec3 angular_velocity; /* rad/s */
    float friction;            /* combined with a body's by the geometric mean; default 0.5 */
    float restitution;         /* 0..1; of this and a body's the larger counts; default 0 */
    uint32_t layer, mask; /* as of bodies; default: layer 1 | LIM_LAYER_COLLIDER, mask all bits */
    void* user;
    const lim_vec3* points;  /* hull and mesh */
    const uint32_t* indices; /* mesh: 3 per triangle, each below point_count */
    const float* heights;    /* 2 to 4096 columns and rows */
    int32_t point_count, triangle_count, columns, rows;
} lim_collider_desc;

LIM_API lim_collider_desc lim_collider_desc_default(void);
LIM_API lim_result lim_collider_create(lim_world* world, const lim_collider_desc* desc,
                                       lim_collider* out_collider);
LIM_API lim_result lim_collider_destroy(lim_world* world, lim_collider collider);
LIM_API bool lim_collider_is_valid(const lim_world* world, lim_collider collider);
/* Sets pose and velocity. Wakes bodies near it. */
LIM_API lim_result lim_collider_move(lim_world* world, lim_collider collider, lim_point position,
                                     lim_quat orientation, lim_vec3 velocity,
                                     lim_vec3 angular_velocity);
/* Layer and mask of lim_collider_desc, from the next step on. Wakes bodies near it that it meets,
 * or has met before. */
LIM_API lim_result lim_collider_set_layer(lim_world* world, lim_collider collider, uint32_t layer,
                                          uint32_t mask);
/* Arrays are borrowed: they live as long as the collider, and what is restored or loaded has its
 * own. Of a hull, indices are its faces, counter-clockwise from outside. */
LIM_API lim_result lim_collider_get(const lim_world* world, lim_collider collider,
                                    lim_collider_desc* out);
/* About the collider's position. */
LIM_API lim_result lim_collider_get_load(const lim_world* world, lim_collider collider,
                                         lim_load* out);
LIM_API lim_collider lim_collider_next(const lim_world* world, lim_collider collider);

/* A pin holds the material of a body that lies in a shape (at the moment of creation) to a frame:
 * a bone. Any number of pins may hold one body, and frames may move (lim_pin_move). */
typedef struct lim_pin_desc {
    uint32_t cookie;
    lim_body body;
    lim_shape shape; /* sphere, capsule or box */
    lim_vec3 size;
    lim_point position;
    lim_quat orientation;
    float stiffness; /* 0, the default: what is held is exactly in the frame. Above 0: newton per
                        metre of all that is held together, shared in proportion to mass and
                        critically damped about the frame's own motion; up to 1e12, stable at any
                        step. Where a hard pin holds too, only that one counts. */
} lim_pin_desc;

LIM_API lim_pin_desc lim_pin_desc_default(void);
/* LIM_ERROR_ARGUMENT when no material lies in the shape. */
LIM_API lim_result lim_pin_create(lim_world* world, const lim_pin_desc* desc, lim_pin* out_pin);
LIM_API lim_result lim_pin_destroy(lim_world* world, lim_pin pin);
/* False once it was destroyed, with its body too. */
LIM_API bool lim_pin_is_valid(const lim_world* world, lim_pin pin);
/* Moves the frame over the next step; what is pinned follows it. */
LIM_API lim_result lim_pin_move(lim_world* world, lim_pin pin, lim_point position,
                                lim_quat orientation);
LIM_API int32_t lim_pin_node_count(const lim_world* world, lim_pin pin);
/* About the frame's origin. */
LIM_API lim_result lim_pin_get_load(const lim_world* world, lim_pin pin, lim_load* out);

/* A grab pulls a patch of material at the surface to a target with a soft, critically damped pull,
 * shared in proportion to mass; or, hard, it holds the patch as a hard pin does: its material keeps
 * its place relative to the target, which does not turn. */
typedef struct lim_grab_desc {
    uint32_t cookie;
    lim_body body;
    lim_point point; /* the surface point nearest to this is held */
    float radius; /* material within this distance that hangs together with the point is held too,
                     metres; at least two and a half cells, so 0 gives the smallest patch. Where
                     cells are split later the patch shrinks to what they ask for */
    float stiffness;   /* newton per metre of the whole patch; 0: chosen from mass and step */
    float force_limit; /* newton; 0: none */
    bool hard; /* the patch follows the target exactly; stiffness does not count. Where that takes
                  more than force_limit it gives way: the held point is then pulled to the target
                  with that force until less is enough, and held again. Default false */
} lim_grab_desc;

LIM_API lim_grab_desc lim_grab_desc_default(void);
LIM_API lim_result lim_grab_create(lim_world* world, const lim_grab_desc* desc, lim_grab* out_grab);
LIM_API lim_result lim_grab_destroy(lim_world* world, lim_grab grab);
/* False once it was destroyed, with its body too. */
LIM_API bool lim_grab_is_valid(const lim_world* world, lim_grab grab);
/* Moves the target over the next step. */
LIM_API lim_result lim_grab_move(lim_world* world, lim_grab grab, lim_point target);
/* About the held point: a grab feels no torque there. */
LIM_API lim_result lim_grab_get_load(const lim_world* world, lim_grab grab, lim_load* out);
/* Where the held point is. */
LIM_API lim_result lim_grab_get_point(const lim_world* world, lim_grab grab, lim_point* out_point);

/* A link ties the material of a body that lies in a shape (at the moment of creation) to the
 * material of another body as it then lies about it: each tied node of `body` keeps its place among
 * eight nodes of `other` (the four nearest, and four near it that give them thickness), which it
 * turns and stretches with. What it puts on the two is
 * equal and opposite. Any number of links may tie two bodies, in either direction; better let the
 * body with fewer nodes in the shape be `body`.
 * Linked bodies sleep and wake together. Where one of the two sleeps, is frozen or out of range it
 * holds the other as something fixed would; a link of a body that is not enabled does nothing. Tied
 * nodes do not meet the body they are tied to. A body that is reset or moved by a call stays tied:
 * the two come together again, of a hard link by at most a twenty-fifth of a cell per substep. */
typedef struct lim_link_desc {
    uint32_t cookie;
    lim_body body, other; /* two bodies */
    lim_shape shape;      /* sphere, capsule or box */
    lim_vec3 size;
    lim_point position;
    lim_quat orientation;
    float stiffness;   /* 0, the default: hard. Above 0: newton per metre of the whole link, shared
                          in proportion to mass, and damped critically for the two bodies against
                          each other; up to 1e12, stable at any step */
    float force_limit; /* newton; when the mean force of a step is above this the link breaks, with
                          LIM_EVENT_LINK_BROKEN; 0, the default: never */
} lim_link_desc;

LIM_API lim_link_desc lim_link_desc_default(void);
/* LIM_ERROR_ARGUMENT when no material of `body` lies in the shape, none of `other` within a cell of
 * it, or both are the same. O(tied nodes * nodes of other). */
LIM_API lim_result lim_link_create(lim_world* world, const lim_link_desc* desc, lim_link* out_link);
LIM_API lim_result lim_link_destroy(lim_world* world, lim_link link);
/* False once it was destroyed, with one of its bodies too, or has broken. */
LIM_API bool lim_link_is_valid(const lim_world* world, lim_link link);
LIM_API int32_t lim_link_node_count(const lim_world* world, lim_link link);
/* What `other` puts on `body`, about the middle of the tied nodes. */
LIM_API lim_result lim_link_get_load(const lim_world* world, lim_link link, lim_load* out);
/* How far the tied nodes are from where they belong, metres in world axes: the mean by mass (the
 * stretch of a soft link), and the largest distance. Either may be null. */
LIM_API lim_result lim_link_get_gap(const lim_world* world, lim_link link, lim_vec3* out_mean,
                                    float* out_most);

/* ---- what a step has done -------------------------------------------------------------------- */

/* One contact with an impulse in the last step. */
typedef struct lim_contact {
    lim_body body;
    lim_body other;        /* null: a collider; the body itself where it meets itself */
    lim_collider collider; /* null: a body */
    lim_point point;
    lim_vec3 normal;  /* unit, from the other into `body` */
    lim_vec3 impulse; /* on `body`, over the step, friction included; newton second */
    float depth;      /* metres that it was found inside the other; 0: not */
} lim_contact;
/* Contacts of the last step (of lim_world_advance: of its last), in order of bodies; of each those
 * with colliders, then those of its points with other bodies. Two bodies may have contacts either
 * way. None of bodies that slept, or were reset, teleported, restored or loaded since. Fills at
 * most `capacity`; out_count returns how many there are. Valid until the next step. */
LIM_API lim_result lim_world_get_contacts(const lim_world* world, lim_contact* out,
                                          int32_t capacity, int32_t* out_count);

typedef enum lim_event_kind {
    LIM_EVENT_BEGIN = 1,  /* a pair touches: some contact of it had an impulse */
    LIM_EVENT_END = 2,    /* it has not for three steps, or one of the two is gone or switched off:
                             ids in the event may be stale */
    LIM_EVENT_IMPACT = 3, /* its impulse in one step was above lim_world_desc.impact */
    LIM_EVENT_SLEEP = 4,
    LIM_EVENT_WAKE = 5,
    LIM_EVENT_PIECE = 7,       /* `body` was split off `other` (lim_body_split), with no place;
                                  comes with the events of the next step */
    LIM_EVENT_LINK_BROKEN = 6, /* its id is stale; `body` and `other` as it was made, the mean force
                                  on `body` times the step as normal and impulse */
    LIM_EVENT_TORN = 8         /* links of the body's own material broke (lim_fracture): `count` of
                                  them, about `point` */
} lim_event_kind;
typedef struct lim_event {
    lim_event_kind kind;
    lim_body body;         /* of two, that with the lower index */
    lim_body other;        /* as in lim_contact; null for SLEEP, WAKE and TORN */
    lim_collider collider; /* likewise */
    lim_link link;         /* of LINK_BROKEN; else null */
    lim_point point;       /* of the strongest contact; of END, when there was one last */
    lim_vec3 normal;       /* into `body` */
    float impulse; /* newton second in the step, along the normals of all contacts; of END: 0 */
    int32_t count; /* of TORN; else 0 */
} lim_event;
/* Events of the last lim_world_step or of all steps of the last lim_world_advance, each once. First
 * what calls between that and the step before have brought: PIECE, in the order in which the bodies
 * were made (an advance too short for a step lists nothing, and these wait for the next). Then in
 * order of steps; in each, pairs by (body, colliders before bodies, index), BEGIN before IMPACT;
 * then SLEEP and WAKE by body, TORN by body, LINK_BROKEN by link. Ids may be stale by then. What
 * was touching is saved and restored; events, those that wait too, are not: a world that was
 * restored or loaded has none. Fills at most `capacity`; out_count returns how many there are. */
LIM_API lim_result lim_world_get_events(const lim_world* world, lim_event* out, int32_t capacity,
                                        int32_t* out_count);

/* ---- debug drawing --------------------------------------------------------------------------- */

typedef enum lim_debug_flags {
    LIM_DEBUG_NODES = 1, /* a point per node, its size the cell's */
    LIM_DEBUG_CELLS = 2, /* 12 lines per node: the edges of its cell, coloured by size. From each of
                            the 8 corners (bit k: the far side along axis k) those to a far side,
                            in order of the axes */
    LIM_DEBUG_GRAPH = 4, /* a line per graph edge */
    LIM_DEBUG_REGION = 8,   /* the region of one node: its members as points, larger and darker the
                               more they weigh; the sums that it adds up as boxes of 12 lines */
    LIM_DEBUG_CONTACTS = 16 /* a line per contact, along its normal */
} lim_debug_flags;

typedef struct lim_debug_line {
    lim_vec3 a, b; /* relative to the list's origin */
    uint32_t rgba;
} lim_debug_line;
typedef struct lim_debug_point {
    lim_vec3 at;
    float size; /* metres */
    uint32_t rgba;
} lim_debug_point;

/* Fills arrays of the caller with at most the given numbers; out_lines and out_points return how
 * many there are, so that a first call with zero capacities gives the sizes. */
LIM_API lim_result lim_body_debug_draw(const lim_world* world, lim_body body, uint32_t flags,
                                       int32_t region_node, lim_point origin, lim_debug_line* lines,
                                       int32_t line_capacity, int32_t* out_lines,
                                       lim_debug_point* points, int32_t point_capacity,
                                       int32_t* out_points);
/* Elastic strain per skin vertex, for colours: the distance of the deformation gradient from a
 * rotation, sqrt(sum (sigma - 1)^2), beside what has flowed. 0.1 in a bar that is pulled by 10 %.
 */
LIM_API lim_result lim_body_get_strain(const lim_world* world, lim_body body, float* out_strain,
                                       int32_t vertex_count);
/* Plastic strain per skin vertex, for colours: how far the rest shape has flowed there, as the
 * yield strain counts it (that of a pulled bar, sqrt(3/2 D : D)), before and after it was built
 * anew together. 0 for a body that has never flowed. */
LIM_API lim_result lim_body_get_plastic(const lim_world* world, lim_body body, float* out_strain,
                                        int32_t vertex_count);
/* Per node, in the order of lim_model_get_nodes: the elastic strain likewise; the plastic strain of
 * its own region, as max_strain counts it; and a measure of stress in pascal, the elastic strain
 * times the modulus that the region gets. Each may be null. O(nodes). */
LIM_API lim_result lim_body_get_node_strain(const lim_world* world, lim_body body,
                                            float* out_strain, float* out_plastic,
                                            float* out_stress, int32_t node_count);

#ifdef __cplusplus
}
#endif
#endif
