/* SPDX-License-Identifier: MIT
 * The inside of a scene, for the files that make one.
 */
#ifndef LIMBER_SCENE_INSIDE_H
#define LIMBER_SCENE_INSIDE_H

#include "base/arena.h"
#include "scene.h"

struct scene {
    arena mem; /* owns the struct's arrays and texts */
    scene_desc desc;
    const char* folder; /* "" or ends with a slash */
    const char* source; /* name of the file in messages, or null */
};

/* An empty scene whose arena is ready; null when memory is out. */
scene* scene_empty(const lim_host* host);
/* A copy in the scene's arena; null stays null. *ok turns false when memory is out. */
char* scene_text(scene* s, const char* text, bool* ok);

/* Writes a message if there is room for one, and returns the result. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
lim_result
scene_fail(lim_io_message* out, lim_result result, const char* format, ...);

/* Checks every value and reference of a description made in C: what the parser's tables check with
 * line and column. */
lim_result scene_check(const scene_desc* desc, lim_io_message* out_message);

/* Null when the paint can be used, else what is wrong with it. */
const char* scene_paint_fault(const scene_paint* p);

/* Null when the blade can cut, else what is wrong with it. */
const char* scene_blade_fault(const scene_station* blade, int32_t count);

/* It has a motion or a parent: no action may move it. */
bool scene_pin_is_driven(const scene_pin* p);

enum {
    SCENE_BODY_LIMIT = 10000,    /* copies included */
    SCENE_THING_LIMIT = 10000,   /* colliders, pins or actions */
    SCENE_ARRAY_LIMIT = 1000000, /* points or triangles of a collider */
    SCENE_SIDE_LIMIT = 4096,     /* rows or columns of heights */
    SCENE_NODE_LIMIT = 4000000,
    SCENE_STATION_LIMIT = 4096
};

#endif
