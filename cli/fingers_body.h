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
} fingers_shape;

typedef struct fingers_set {
    lim_mesh* mesh;
    fingers_shape shape;
    lim_size_region root; /* of the pulled finger: finest cells there */
    sampled samplings[FINGERS_SAMPLINGS];
} fingers_set;

/* The mesh and its samplings; release also after a failure. */
lim_result fingers_set_make(fingers_set* set, const lim_host* host);
void fingers_set_release(fingers_set* set);

/* Without a field of widths. Points into the set. */
lim_model_desc fingers_model_desc(const fingers_set* set, fingers_kind kind,
                                  fingers_sampling which);
/* A model. One region per node: as wide as so many cells of the node's own, since regions as wide
 * as the adaptive ones would have 16,000 of the uniform nodes each and take minutes to build. Our
 * regions: as wide as so many adaptive cells at the place, in both bodies. */
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

#endif
