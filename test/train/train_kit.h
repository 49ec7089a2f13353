/* SPDX-License-Identifier: MIT
 * A small scene to train: a block that is held below and pressed from above.
 */
#ifndef LIMBER_TRAIN_KIT_H
#define LIMBER_TRAIN_KIT_H

#include "train/trainer_inside.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define TRAIN_SCENE(kind, more)                                                                    \
    "{\"limber\": 1, \"ground\": false,"                                                           \
    " \"bodies\": [{\"name\": \"b\", \"model\": \"block\", \"triangles\": 1500, \"kind\": \"" kind \
    "\", \"nodes\": 150, \"size\": 0.4, \"position\": [0, 0, 0],"                                  \
    "   \"material\": {\"density\": 1000, \"young\": 30000}}],"                                    \
    " \"pins\": [{\"body\": \"b\", \"shape\": \"box\", \"size\": [1, 0.2, 1],"                     \
    "   \"position\": [0, 0, 0]}],"                                                                \
    " \"colliders\": [{\"name\": \"tool\", \"shape\": \"sphere\", \"radius\": 0.05,"               \
    "   \"position\": [0, 2, 0], \"friction\": 0.8}],"                                             \
    " \"training\": {\"tool\": \"tool\", \"depth\": 0.04, \"stamp\": 0.12, \"reach\": 0.15,"       \
    "   \"toward\": [0, 1, 0], \"angle\": 20, " more                                               \
    "   \"shell\": {\"thickness\": 0.005, \"young\": 50000, \"poisson\": 0.4, \"bulk\": 1e5}}}"

static inline scene* train_scene(const char* text) {
    scene* s = NULL;
    lim_io_message message = {""};
    lim_result result = scene_parse(text, strlen(text), "t.json", "", NULL, &s, &message);
    CHECK(result == LIM_OK);
    if (result != LIM_OK) {
        printf("  %s\n", message.text);
    }
    return s;
}

static inline trainer* train_start(const scene* s) {
    trainer* t = NULL;
    lim_io_message message = {""};
    const scene_options options = {.workers = 1};
    lim_result result = trainer_create(s, &options, NULL, NULL, &t, &message);
    CHECK(result == LIM_OK);
    if (result != LIM_OK) {
        printf("  %s\n", message.text);
        exit(1);
    }
    return t;
}

typedef struct train_file {
    unsigned char* data;
    size_t size;
} train_file;
static inline train_file train_bytes(const trainer* t, size_t budget) {
    train_file f = {NULL, 0};
    int32_t left_out = 0;
    CHECK(trainer_bytes(t, budget, &f.data, &f.size, &left_out) == LIM_OK);
    return f;
}
static inline bool same_file(train_file a, train_file b) {
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

#endif
