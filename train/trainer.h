/* SPDX-License-Identifier: MIT
 * Training of detail: a scene with a "training" in, bytes for lim_body_set_trained_detail out. Each
 * pose is a coarse world of its own (train/coarse_press.h), the accurate skin for it
 * (train/accurate_skin.h), and what the two differ by, as an example. Poses do not depend on each
 * other and examples are in their order, so the bytes are the same for any number of workers and
 * for a training that was interrupted and went on.
 */
#ifndef LIMBER_TRAINER_H
#define LIMBER_TRAINER_H

#include "scenes/scene.h"

typedef struct trainer trainer;

typedef enum train_status {
    TRAIN_WAITING = 0,
    TRAIN_DONE,
    TRAIN_MISSED,        /* the tool did not touch the body */
    TRAIN_RESTLESS,      /* the coarse body did not come to rest in time */
    TRAIN_NOT_CONVERGED, /* the accurate model did not */
    TRAIN_FAILED         /* it could not begin: a triangle was pressed flat, say */
} train_status;
const char* train_status_name(train_status status);

typedef struct train_pose_report {
    train_status status;
    lim_point point; /* where the tool was to touch, world */
    float depth;
    double residual;    /* of the accurate model */
    int32_t iterations; /* Newton steps of it */
    double detail;      /* largest displacement, metres */
} train_pose_report;

/* What is chosen over the scene. */
typedef struct trainer_choice {
    int32_t poses;    /* 0: the scene's */
    int32_t held_out; /* below 0: the scene's */
} trainer_choice;

/* Builds the scene and the poses. gravity and wind are switched off: the accurate model has none.
 * The scene must outlive the trainer; choice may be null. */
lim_result trainer_create(const scene* s, const scene_options* options,
                          const trainer_choice* choice, const lim_host* host, trainer** out,
                          lim_io_message* out_message);
void trainer_destroy(trainer* t); /* null is allowed */

int32_t trainer_count(const trainer* t);
train_pose_report trainer_report(const trainer* t, int32_t pose);
/* Does the poses that wait. progress is called between poses by the calling thread; when it returns
 * false the poses that run are finished and no more begun. */
lim_result trainer_run(trainer* t, int32_t workers, bool (*progress)(void* user, double share),
                       void* user);

/* What is done so far as bytes, to go on later; malloc'ed. */
lim_result trainer_keep(const trainer* t, unsigned char** out, size_t* out_size);
/* Takes over what trainer_keep gave. LIM_ERROR_ARGUMENT: of another scene or training. */
lim_result trainer_resume(trainer* t, const unsigned char* bytes, size_t size);

/* The trained detail; malloc'ed. budget: largest size in bytes, 0: none; examples that others are
 * most like are left out until it fits. out_left_out: how many. LIM_ERROR_ARGUMENT: no example. */
lim_result trainer_bytes(const trainer* t, size_t budget, unsigned char** out, size_t* out_size,
                         int32_t* out_left_out);

/* How good detail is in poses that were not learnt: root mean squares over the skin and all such
 * poses, metres. */
typedef struct train_quality {
    int32_t poses, left_out; /* that did not converge and so on */
    double coarse;           /* distance of the plain skin from the accurate one */
    double enriched;         /* of the skin with detail */
    double worst;            /* largest ratio of the two in a pose */
} train_quality;
lim_result trainer_test(const trainer* t, const unsigned char* bytes, size_t size, int32_t workers,
                        bool (*progress)(void* user, double share), void* user, train_quality* out);

#endif
