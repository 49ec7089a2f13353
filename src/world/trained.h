/* SPDX-License-Identifier: MIT
 * Trained detail of a body in a world (Seiler, Spillmann and Harders 2012): who presses on it and
 * where (world/trained_press.c), after each step the weights of the examples, and for who asks the
 * skin with detail (world/trained.c). Nothing of it moves anything: it is not hashed, saved or
 * restored.
 */
#ifndef LIMBER_TRAINED_H
#define LIMBER_TRAINED_H

#include "body/trained_body.h"
#include "detail/detail_data.h"
#include "detail/press.h"

/* How many tools one body follows at a time. */
enum { TRAINED_PRESSES = 8 };
/* Simulated seconds in which detail of a tool that begins to touch comes, and that of one that has
 * let go goes. */
#define TRAINED_RISE 0.1f
#define TRAINED_FADE 0.5f

typedef struct trained_press {
    uint64_t key; /* of a collider or a grab */
    uint32_t generation;
    bool pressed;   /* in the last step */
    float strength; /* 0 to 1; 0: the place is free */
    trained_spot spot;
} trained_press;

/* What the skin of one step is made with. */
typedef struct trained_moment {
    int32_t count; /* presses that count; 0: there is no detail */
    detail_press press[TRAINED_PRESSES];
    float* weight; /* per press a row of all examples */
    float *positions, *normals, *tangents;
    bool made;
} trained_moment;

typedef struct world_trained {
    arena mem; /* owns every array below, and this struct's own memory is host->alloc */
    detail_data data;
    detail_examples examples;
    detail_field *field, *stamp; /* per example */
    detail_skin skin;
    detail_room room;
    trained_nodes nodes;
    trained_search search;
    float *u, *part, *product, *node_window, *point_window, *vector, *texels, *sum;
    trained_press press[TRAINED_PRESSES];
    bool fresh; /* no step has been seen yet: what presses then does so in full */
    /* Of the body's two skins, by their index. */
    int32_t front;
    trained_moment moment[2];
} world_trained;

struct lim_world;
struct world_body;
struct world_shown;

lim_result world_trained_create(const struct lim_world* world, const body* b, const void* bytes,
                                size_t size, world_trained** out);
void world_trained_free(const lim_host* host, world_trained* t); /* null is allowed */
/* The body has other nodes from now on: detail that it has ends, with a log line. */
void world_trained_drop(const struct lim_world* world, int32_t index);
/* What was pressed belongs to another past. */
void world_trained_forget(world_trained* t); /* null is allowed */
/* After a step of dt; after the state was set. */
void world_trained_update(struct lim_world* world, double dt);
void world_trained_refresh(const struct lim_world* world, struct world_body* b);
/* Adds detail to a plain skin of the body, of now or before the last step. */
struct world_shown world_trained_show(const struct lim_world* world, struct world_body* b,
                                      const body_skin* plain, bool now);

/* ---- who presses (world/trained_press.c) ---------------------------------------------------- */

/* Presses after a step of dt of a body that moved in it. */
void trained_presses_update(const struct lim_world* world, const struct world_body* b, double dt);

#endif
