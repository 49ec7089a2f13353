/* SPDX-License-Identifier: MIT
 * The bodies of figure 1: one mesh, two samplings, models of both kinds of regions over each.
 */
#ifndef LIMBER_FINGERS_BODY_H
#define LIMBER_FINGERS_BODY_H

#include "cli/fingers.h"

#include "bench/sampled.h"

/* Where the fingers are, in the mesh's frame, metres. */
typedef struct fingers_shape {
    lim_point centre;        /* of the round body */
    double radius;           /* of it */
    double length;           /* of a finger outside of it */
    double thickness;        /* of a finger */
    int32_t tip[FINGERS];    /* vertex farthest out */
    lim_point rest[FINGERS]; /* where it is */
    lim_vec3 pull[FINGERS];  /* unit vector across it, mirrored on the left */
} fingers_shape;

typedef struct fingers_set {
    lim_mesh* mesh;
    fingers_shape shape;
    sampled samplings[FINGERS_SAMPLINGS];
} fingers_set;

/* The mesh and its samplings; release also after a failure. */
lim_result fingers_set_make(fingers_set* set, const lim_host* host);
void fingers_set_release(fingers_set* set);

/* The mesh turned about z, without samplings. */
lim_result fingers_set_turned(fingers_set* set, double degrees, const lim_host* host);

/* Regions as wide as so many cells of the node's own, ours as by default. */
lim_model_desc fingers_model_desc(fingers_kind kind, fingers_sampling which);
lim_result fingers_model(const fingers_set* set, fingers_kind kind, fingers_sampling which,
                         const lim_host* host, lim_model** out_model);
lim_result fingers_printed(const fingers_set* set, fingers_sampling which, const lim_host* host,
                           paper_mode** out_mode);

/* A world with one body of the model, held at its core. strong_damping: 4 substeps to a step,
 * and comes to rest quickly; else one substep and the default damping. */
lim_result fingers_world(const fingers_set* set, const lim_model* model, float gravity,
                         bool strong_damping, const lim_host* host, lim_world** out_world,
                         lim_body* out_body);

/* Pulls the tip of the finger that points up along x until the body rests. */
lim_result fingers_pull_tip(const fingers_set* set, lim_world* world, lim_body body,
                            fingers_pull* out);
/* Pulls all tips across their fingers until the body rests: how far each goes over the length. */
lim_result fingers_pull_all(const fingers_set* set, lim_world* world, lim_body body,
                            double out[FINGERS]);

#endif
