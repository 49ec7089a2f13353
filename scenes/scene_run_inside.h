/* SPDX-License-Identifier: MIT
 * The inside of a run, for starting and stepping it.
 */
#ifndef LIMBER_SCENE_RUN_INSIDE_H
#define LIMBER_SCENE_RUN_INSIDE_H

#include "base/arena.h"
#include "base/array.h"
#include "scene_inside.h"

/* A mesh that was made or read for the run; bodies with the same source share it. */
typedef struct run_mesh {
    const char* model;
    const char* file;
    int32_t triangles;
    lim_mesh* mesh;
} run_mesh;

/* A model, shared by bodies that ask for the same. */
typedef struct run_model {
    const lim_mesh* mesh;
    lim_kind kind;
    const scene_body* painted; /* whose paint and zones it has; null: none */
    int32_t nodes, coarsen;
    float cell, cells_across, region_width;
    float young, density, step; /* as lim_model_desc; young 0: not widened, whatever the others */
    lim_region_kind regions;
    int32_t clusters;
    bool glue, solid;
    double scale;
    lim_model* model;
} run_model;

/* A pin entry holds one pin per body copy that reaches into its shape. */
typedef struct run_pin {
    int32_t first, count; /* in scene_run.pin_id */
    lim_point position;
    lim_quat rotation;
} run_pin;

typedef enum run_state { RUN_WAITING = 0, RUN_ACTIVE, RUN_OVER } run_state;

/* What an action needs to remember between steps. */
typedef struct run_action {
    run_state state;
    int32_t first_grab; /* in scene_run.grab */
    lim_point from;     /* where the motion began */
    lim_quat from_rotation;
    lim_vec3 old_gravity;
    lim_wind old_wind;
} run_action;

/* How far a body has been cut by an action: bodies that a blade cannot cut in one step are cut
 * with the next. */
typedef struct run_stroke {
    int32_t action, body;
    double done; /* share of the blade's way */
    bool begun;
} run_stroke;

/* The caller's hooks, and the last error that went through them. */
typedef struct run_hooks {
    lim_host own;
    char error[512]; /* "": none */
} run_hooks;

struct scene_run {
    const scene* source;
    run_hooks hooks;
    lim_host host; /* leads through them */
    arena mem;     /* owns the arrays below */
    lim_world* world;
    run_mesh* mesh;
    run_model* model;
    int32_t mesh_count, model_count;
    scene_run_body* body; /* all copies, in the order of their entries */
    int32_t* first_body;  /* per entry of bodies, and one more for the end */
    int32_t body_count;
    lim_collider* collider; /* per entry of colliders */
    run_pin* pin;           /* per entry of pins */
    lim_pin* pin_id;
    int32_t pin_id_count;
    run_action* action; /* per entry of actions */
    lim_grab* grab;     /* grab_count of them */
    int32_t grab_count;
    lim_wind wind;
    bool has_detail; /* of some body */
    ARRAY(run_stroke) strokes;
    ARRAY(scene_edit) edits;
    ARRAY(lim_model*) piece_models;
    int64_t steps, steps_total;
};

/* Hooks that do what `own` does, with all of alloc and free set, and keep errors in `h`. */
lim_host run_hooks_make(run_hooks* h, const lim_host* own);
void run_forget(scene_run* run); /* errors so far */
/* The cause and the cure of a failure as the library told it since, or the result's name. */
const char* run_why(const scene_run* run, lim_result result);
/* The same failure, with the place in the scene file before it when there is one. */
lim_result run_placed(const scene_run* run, int32_t line, int32_t column, lim_result result,
                      lim_io_message* message);

/* How far along its way an action is at a time, 0 to 1: eased in and out. */
double run_ease(const scene_action* a, double time);
lim_point run_between(lim_point a, lim_point b, double share);
/* Where the blade of an action is when a share of its way is done. */
scene_station run_station(const scene_action* a, double share);
/* A body is what an action acts on: one of its targets, or a piece of one. */
bool run_edits_body(const scene_run* run, const scene_action* a, int32_t body);
/* Takes the blade of an action as far as it is at `time`; `last`: to its end, and what cannot be
 * cut there is a failure. */
lim_result run_cut(scene_run* run, int32_t action, double time, bool last);
lim_result run_split(scene_run* run, int32_t action);
lim_result run_refine(scene_run* run, int32_t action);
/* The eye of the level of detail is where the camera is. */
lim_result run_look(scene_run* run, double time);
void run_edits_free(scene_run* run);

#endif
