/* SPDX-License-Identifier: MIT
 * Scenes: what stands in a world and what happens to it over time, as a description (read from JSON
 * or made in C) and as a run of it. The one interpreter for the command line, tests, benches and
 * the browser. The file format is described in docs/scenes.md. No file is opened here: meshes come
 * through a callback.
 */
#ifndef LIMBER_SCENE_H
#define LIMBER_SCENE_H

#include <limber/edit.h>
#include <limber/io.h>

/* ---- the description -------------------------------------------------------------------------
 */

typedef enum scene_anchor {
    SCENE_ANCHOR_BASE = 0, /* the middle of the bottom of the bounds */
    SCENE_ANCHOR_CENTRE,   /* the centre of the bounds */
    SCENE_ANCHOR_ORIGIN    /* the mesh's own origin */
} scene_anchor;

/* The shape that a body begins in; places are about its centre of mass, in the world's axes. */
typedef enum scene_shape_state {
    SCENE_AT_REST = 0,
    SCENE_FLATTENED, /* all in the plane y = 0 */
    SCENE_MIRRORED,  /* x to -x */
    SCENE_LINE,      /* all on the x axis */
    SCENE_POINT,     /* all in one place */
    SCENE_SCRAMBLED  /* every node at the place of another */
} scene_shape_state;

typedef enum scene_up { SCENE_UP_Y = 0, SCENE_UP_Z, SCENE_UP_AUTO } scene_up;

typedef enum scene_paint_what {
    SCENE_PAINT_DENSITY = 1, /* factors of the material's density and modulus */
    SCENE_PAINT_STIFFNESS,
    SCENE_PAINT_SIZE /* longest edge of cells, metres; counts with coarsen */
} scene_paint_what;

/* What a body is made of in a place: a value for the vertices in a shape, in the world as the
 * body (its first copy) stands at the start. */
typedef struct scene_paint {
    scene_paint_what what;
    lim_shape shape; /* sphere, capsule or box */
    lim_vec3 size;   /* as lim_pin_desc */
    lim_point position;
    lim_quat rotation;
    float value; /* a factor from 1e-6 to 1e6, or metres above 0 */
    float fade;  /* metres around the shape over which it fades away */
} scene_paint;

/* One entry of "bodies": count of them when it is copied on a grid. */
typedef struct scene_body {
    const char* name;
    const char* model;     /* a name of models.h, or null */
    const char* mesh_file; /* as written in the file, or null */
    const lim_mesh* mesh;  /* given by the caller, or null; must outlive scene_start */
    int32_t triangles;     /* of a model; 0: its default */
    lim_kind kind;
    int32_t nodes;   /* used when cell is 0 */
    float cell;      /* metres; 0: from nodes */
    int32_t coarsen; /* as lim_model_desc, and so the next */
    float cells_across;
    float region_width; /* cells */
    bool widen; /* more where the material needs it in this scene's steps; in files the default */
    lim_region_kind regions;
    int32_t clusters; /* of points */
    bool glue, solid;
    bool contact;         /* false: meets colliders alone, whatever its mask */
    uint32_t layer, mask; /* as lim_body_desc */
    bool self_contact;    /* parts of it meet each other */
    double size;          /* longest side in metres; 0: use scale */
    double scale;         /* metres per unit of the mesh */
    scene_up up;
    scene_anchor anchor;
    lim_point position; /* of the anchor, before turning */
    lim_quat rotation;  /* about the centre of the bounds */
    scene_shape_state start;
    lim_vec3 velocity, angular_velocity;
    float gravity_scale;
    /* NaN: chosen when the run starts, from size, density and gravity: see scene_auto_material */
    lim_material material;
    const scene_paint* paint; /* paint_count of them, later ones over earlier ones */
    int32_t paint_count;
    const lim_zone* zones; /* zone_count of them, placed in the world as paint is */
    int32_t zone_count;
    bool has_colour;
    lim_vec3 colour;       /* linear RGB */
    bool has_inner_colour; /* of the faces of cuts; false: what a model of models.h has inside, or
                              chosen from the colour of the skin */
    lim_vec3 inner_colour; /* linear RGB */
    int32_t copies[3];
    bool has_detail;
    lim_detail detail; /* what it wishes of its cells while it runs */
    bool has_fracture;
    lim_fracture fracture; /* what tears it; zones are placed in the world as paint is */
    lim_point spacing;
    double turn; /* degrees about y by which each copy is turned more than the one before */
    int32_t line, column; /* in the scene file; 0: made in C */
} scene_body;

typedef struct scene_collider {
    const char* name;
    lim_shape shape;
    lim_vec3 size; /* as lim_collider_desc */
    lim_point position;
    lim_quat rotation;
    lim_vec3 velocity, angular_velocity;
    float friction, restitution;
    uint32_t layer, mask; /* as lim_collider_desc */
    /* arrays of a hull, a mesh or heights, as lim_collider_desc */
    const lim_vec3* points;
    const uint32_t* indices;
    const float* heights;
    int32_t point_count, triangle_count, columns, rows;
    bool has_colour;
    lim_vec3 colour; /* in pictures, linear RGB */
    int32_t line, column;
} scene_collider;

/* A moment of a motion: a displacement and a turn (axis times radians) about the motion's pivot,
 * both from the start of the scene. */
typedef struct scene_key {
    double at; /* seconds since the motion's begin; ascending */
    lim_point move, turn;
} scene_key;

/* Runs smoothly through its keys, never beyond two neighbours; before its begin nothing moves,
 * after its last key it stays there, or begins again when it loops. */
typedef struct scene_motion {
    const scene_key* keys;
    int32_t key_count;
    double begin; /* seconds */
    double loop;  /* seconds after which the first key comes again, beyond the last; 0: once */
    double fade;  /* seconds over which it grows from nothing; 0: at once */
    lim_point pivot;
} scene_motion;

typedef struct scene_pin {
    const char* name;
    int32_t body; /* entry of bodies; every copy that reaches into the shape is held */
    int32_t copy; /* one copy, or -1: all */
    lim_shape shape;
    lim_vec3 size;
    lim_point position;
    lim_quat rotation;
    float stiffness;     /* as lim_pin_desc */
    int32_t parent;      /* 1 + an earlier entry of pins, with which it is carried along; 0: none */
    scene_motion motion; /* beside what its parent does */
    int32_t line, column;
} scene_pin;

/* Ties what of `body` lies in the shape to `other`, for every two copies that reach there. */
typedef struct scene_link {
    const char* name;
    int32_t body, other;      /* entries of bodies, the same one too */
    int32_t copy, other_copy; /* one copy, or -1: all */
    lim_shape shape;
    lim_vec3 size;
    lim_point position;
    lim_quat rotation;
    float stiffness, force_limit; /* as lim_link_desc */
    int32_t line, column;
} scene_link;

typedef enum scene_action_type {
    SCENE_GRAB = 1,      /* hold `point` of the surface and bring it to `to` */
    SCENE_IMPULSE,       /* newton second at `point` */
    SCENE_VELOCITY,      /* set velocity and angular velocity */
    SCENE_GRAVITY,       /* change it, until `until` when that is given */
    SCENE_WIND,          /* likewise */
    SCENE_MOVE_COLLIDER, /* bring it to `to` and `rotation` */
    SCENE_MOVE_PIN,      /* likewise */
    SCENE_RELEASE_PIN,   /* destroy it */
    SCENE_RESET,         /* body back to its start */
    SCENE_CUT,           /* along a blade, body and pieces of it */
    SCENE_SPLIT,         /* pieces of the body, and of pieces of it, become bodies */
    SCENE_REFINE,        /* smaller cells in a shape, of the body and its pieces */
    SCENE_COARSEN        /* larger ones */
} scene_action_type;

/* Where a blade lies at a moment of its way. */
typedef struct scene_station {
    lim_point from, to;
} scene_station;

typedef struct scene_action {
    scene_action_type type;
    double at, until; /* seconds; until < 0: not given */
    int32_t target;   /* entry of bodies, colliders or pins; -1: none */
    int32_t copy;     /* of a body, or -1: all */
    lim_point point, to;
    double move_time; /* seconds over which `to` is reached */
    bool has_to, has_rotation;
    lim_quat rotation;
    float radius, stiffness, force_limit;
    bool hard;
    lim_vec3 vector;           /* impulse, velocity or gravity */
    lim_vec3 angular_velocity; /* of SCENE_VELOCITY */
    lim_wind wind;
    /* SCENE_CUT: the way of the blade. Over move_time it goes from station to station, as long from
     * each to the next, and every step is a sweep of one stroke; 0: one sweep */
    const scene_station* blade;
    int32_t blade_count; /* 2 to 4096 */
    int32_t refine;      /* as lim_cut_desc */
    /* SCENE_REFINE, SCENE_COARSEN: a sphere or a box about `point`, as lim_refine_desc */
    lim_shape shape;
    lim_vec3 size;
    float cell;
    int32_t line, column;
} scene_action;

/* How detail of one body is trained (docs/detail.md). Lengths are metres. */
typedef struct scene_training {
    int32_t body, tool;       /* entries of bodies (its first copy) and colliders */
    int32_t poses;            /* presses of the tool, 1 to 10000 */
    int32_t drags;            /* how many of them then go along the surface */
    float least_depth, depth; /* of presses, above 0 */
    float drag;               /* how far drags go */
    float lean;               /* radians: how far the tool leans from the normal, at most */
    bool has_region;
    lim_point lower, upper; /* where the tool touches, in the world as the scene begins */
    lim_vec3 toward;        /* and on skin that faces this way, ... */
    float angle;            /* ... within this angle, radians; pi: any */
    float reach;    /* farther than this from the contact the accurate skin is the coarse one; 0: no
                       such border */
    float stamp;    /* radius of stamps */
    int32_t texels; /* along each side of a stamp, 2 to 1024 */
    int32_t mix;    /* examples that are mixed; 0: as many as make the best of each other */
    int32_t seed;
    float settle;     /* seconds that a pose may take to come to rest */
    int32_t held_out; /* poses that are not learnt but show how good the rest is */
    /* the accurate model, a thin shell (shell/shell.h) */
    float thickness, young, poisson, bulk, pressure, support;
    bool bulge; /* what is pressed thinner grows sideways */
} scene_training;

typedef struct scene_desc {
    const char *name, *about;
    double duration; /* seconds */
    double fps;      /* picture frames per second */
    double dt;       /* seconds per step */
    int32_t substeps;
    double rest_after; /* ends early when all bodies sleep, not before this time; 0: never */
    bool sleep;
    lim_vec3 gravity;
    bool ground;
    float ground_height, ground_friction;
    lim_wind wind;
    bool has_camera;
    lim_camera camera;          /* fov in radians */
    scene_motion camera_motion; /* of the camera, about its pivot; without keys it stands still */
    lim_world_detail detail;    /* of all bodies; the eye is the camera's unless has_eye */
    bool has_training;
    scene_training training;
    bool has_eye;
    const scene_body* bodies;
    const scene_collider* colliders;
    const scene_pin* pins;
    const scene_link* links;
    const scene_action* actions;
    int32_t body_count, collider_count, pin_count, link_count, action_count;
} scene_desc;

typedef struct scene scene;

/* Reads a scene from JSON text. `name` stands in messages ("fall.json"); `folder` is put before
 * relative mesh files (null or "": none). On failure out_message (may be null) says file, line,
 * column, what is wrong and what to do. */
lim_result scene_parse(const char* text, size_t size, const char* name, const char* folder,
                       const lim_host* host, scene** out_scene, lim_io_message* out_message);
/* Copies a description made in C; strings and arrays are copied, meshes stay borrowed. */
lim_result scene_create(const scene_desc* desc, const lim_host* host, scene** out_scene,
                        lim_io_message* out_message);
void scene_destroy(scene* s); /* null is allowed */
const scene_desc* scene_get_desc(const scene* s);

/* A description with every default of docs/scenes.md and nothing in it; a body likewise. */
scene_desc scene_desc_default(void);
scene_body scene_body_default(void);

/* The scene's camera at a time, seconds. */
lim_camera scene_camera_at(const scene_desc* d, double time);

/* What is chosen for the NaN values of a material, for a body whose longest side is L metres under
 * gravity g: it sags by about 4 % (young = density g L / 0.04), and its slowest mode, of angular
 * frequency pi / L sqrt(young / density), is damped with ratio 0.12, half of it by damping_time,
 * half by viscosity. */
lim_material scene_auto_material(lim_material asked, double longest_side, double gravity);

/* ---- the default scene of a mesh -------------------------------------------------------------
 */

typedef struct scene_drop_options {
    bool keep_units; /* one unit of the mesh is a metre; else its longest side is */
    int32_t nodes;   /* 0: 2,000 */
    scene_up up;     /* default: found */
    const char* name;
} scene_drop_options;

scene_drop_options scene_drop_options_default(void);
/* The mesh, tilted by 10 degrees, falls from half its height onto the ground, for 4 seconds. The
 * mesh is borrowed and must outlive scene_start. */
lim_result scene_drop_of_mesh(const lim_mesh* mesh, const scene_drop_options* options,
                              const lim_host* host, scene** out_scene, lim_io_message* out_message);
/* Whether a mesh stands along y or z: SCENE_UP_Y or SCENE_UP_Z. */
scene_up scene_find_up(const lim_mesh* mesh);

/* ---- the scenes that are built in ------------------------------------------------------------
 */

typedef struct scene_entry {
    const char* name;
    const char* text; /* JSON, ends with a zero */
    size_t size;      /* without the zero */
} scene_entry;

/* How many there are; fills at most `capacity` entries. */
int32_t scene_list(scene_entry* out, int32_t capacity);
/* Null when there is none of that name. The entry is a constant. */
const scene_entry* scene_find(const char* name);

/* ---- a run -----------------------------------------------------------------------------------
 */

typedef struct scene_run scene_run;

typedef lim_result (*scene_read_mesh)(void* user, const char* path, const lim_host* host,
                                      lim_mesh** out_mesh, lim_io_message* out_message);

typedef struct scene_options {
    scene_read_mesh read_mesh; /* may be null when no body has a mesh file */
    void* read_user;
    int32_t workers;                              /* threads of the world; 0: 1 */
    int32_t substeps;                             /* 0: the scene's */
    int32_t nodes;                                /* of every body; 0: the scene's */
    bool has_kind, has_coarsen, has_cells_across; /* for every body; false: the scene's */
    lim_kind kind;
    int32_t coarsen;
    float cells_across;
    const lim_material* material; /* of every body; null: the scene's */
    float young;                  /* likewise, above 0; 0: the material's */
    bool has_widen, widen;        /* for every body; false: the scene's */
    bool (*progress)(void* user, float done, const char* stage); /* of model building, or null */
    void* progress_user;
} scene_options;

typedef struct scene_run_body {
    lim_body body;
    const char* name;       /* "name", "name.2" for the second copy, "name/1" for its first piece */
    const lim_model* model; /* that it was made with: lim_body_get_model has its edits */
    bool has_colour;        /* false: use the colours of the model's surface, if it has any */
    bool has_inner_colour;  /* false: nothing is known of the inside */
    lim_vec3 colour, inner_colour;
    int32_t from; /* of a piece: which body it came from; else -1 */
} scene_run_body;

/* An edit of an action that has changed a body. */
typedef struct scene_edit {
    double at;            /* seconds */
    int32_t action, body; /* body: of scene_run_body_at */
    lim_edit_report report;
} scene_edit;

/* What holds, pulls or cuts bodies at the present moment, so that it can be drawn. */
typedef enum scene_tool_kind {
    SCENE_TOOL_PIN = 1,
    SCENE_TOOL_GRAB,
    SCENE_TOOL_BLADE
} scene_tool_kind;

typedef struct scene_tool {
    scene_tool_kind kind;
    int32_t entry; /* of pins or actions */
    /* A pin: its shape where it is now. `driven`: it is moved by keys or by a parent, as a bone is
     */
    lim_shape shape;
    lim_vec3 size;
    lim_point position;
    lim_quat rotation;
    bool driven;
    lim_point from, to; /* a grab: the held place of the surface, and where it is drawn to; a blade:
                           its ends */
    lim_point forward;  /* a blade: the unit vector along which it moves */
} scene_tool;

/* Builds models (shared by bodies that have the same), the world and everything in it. The scene
 * must outlive the run. options may be null. */
lim_result scene_start(const scene* s, const scene_options* options, const lim_host* host,
                       scene_run** out_run, lim_io_message* out_message);
/* Applies what is due and moves the world on by one dt. After the end it goes on without actions.
 */
lim_result scene_step(scene_run* run, lim_io_message* out_message);
/* Puts the nodes of a body at rest into a state. */
lim_result scene_put_state(lim_world* world, lim_body body, int32_t node_count,
                           scene_shape_state state, const lim_host* host);
void scene_stop(scene_run* run); /* ends the world too; null is allowed */

lim_world* scene_run_world(const scene_run* run);
const scene_desc* scene_run_desc(const scene_run* run);
int32_t scene_run_body_count(const scene_run* run); /* pieces that were split off come last */
scene_run_body scene_run_body_at(const scene_run* run, int32_t index); /* zeroed beyond the last */
/* The collider of an entry of colliders. */
lim_collider scene_run_collider_at(const scene_run* run, int32_t index);
/* All edits so far, in their order; borrowed until the next step. */
const scene_edit* scene_run_edits(const scene_run* run, int32_t* out_count);
/* How many tools there are now; fills at most `capacity` of them. */
int32_t scene_run_tools(const scene_run* run, scene_tool* out, int32_t capacity);
/* The run in memory, to go back to: its world (lim_snapshot_create) and how far its actions have
 * come. Restored any number of times, into the run it came from; destroyed before that ends. */
typedef struct scene_snapshot scene_snapshot;
lim_result scene_snapshot_create(const scene_run* run, scene_snapshot** out_snapshot);
lim_result scene_snapshot_restore(scene_run* run, const scene_snapshot* snapshot);
void scene_snapshot_destroy(scene_snapshot* snapshot); /* null is allowed */

double scene_run_time(const scene_run* run);         /* seconds since the start */
int64_t scene_run_steps(const scene_run* run);       /* taken so far */
int64_t scene_run_steps_total(const scene_run* run); /* until done */
bool scene_run_done(const scene_run* run);

#endif
