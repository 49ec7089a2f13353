/* SPDX-License-Identifier: MIT
 * The inside of a trainer, for the files that make it.
 */
#ifndef LIMBER_TRAINER_INSIDE_H
#define LIMBER_TRAINER_INSIDE_H

#include "train/accurate_skin.h"
#include "train/coarse_press.h"
#include "train/trainer.h"

typedef struct train_result {
    train_pose_report report;
    arena mem; /* owns the example's arrays */
    detail_example example;
} train_result;

struct trainer {
    arena mem;
    lim_host host;
    const scene* plan;
    scene_training training;
    scene_run* run; /* at rest: models, and the world that the poses start from */
    unsigned char* world;
    size_t world_size;
    press_start start;
    detail_skin skin;
    accurate_rest rest;
    uint64_t model, key; /* key: of all that examples depend on */
    int32_t nodes, points;
    stamp_grid grid;
    tool_pose* pose; /* those to learn, then those held out */
    train_result* result;
    int32_t count; /* of those to learn */
};

/* A pose as far as both skins: the coarse world with the tool in place, and the accurate skin. */
typedef struct train_pair {
    coarse_press coarse;
    trained_spot spot;
    lim_point* accurate; /* per point, relative to the plain skin's origin */
    shell_report shell;
    train_status status; /* TRAIN_DONE: both are there */
} train_pair;
/* detail: bytes to give the body once it rests, or null. The pair's world is the caller's to
 * destroy. */
lim_result train_pair_make(const trainer* t, const tool_pose* pose, const void* detail,
                           size_t detail_size, arena* scratch, train_pair* out);
/* The example of a pair, its arrays in `a`. out_most: the largest displacement, metres. */
lim_result train_example_make(const trainer* t, const train_pair* pair, arena* a, arena* scratch,
                              detail_example* out, double* out_most);

#endif
