/* SPDX-License-Identifier: MIT
 * Shadows: on the meshes from a depth map seen from the light, on the ground from the meshes
 * dropped onto it.
 */
#ifndef LIMBER_SHADOW_H
#define LIMBER_SHADOW_H

#include "base/arena.h"
#include "math/vec3.h"
#include <limber/io.h>

/* What the light reaches first, on a square grid across the light. */
typedef struct shadow_map {
    lim_vec3 axis_x, axis_y, light; /* orthonormal; light points to the light */
    float x, y, per_metre;          /* grid coordinate = (dot(p, axis) - x) * per_metre */
    float texel;                    /* metres */
    int32_t size;
    float* height; /* dot(p, light) of the first surface; very low where there is none */
} shadow_map;

/* Darkness of the ground, 0..1. */
typedef struct ground_map {
    float x, z, per_metre;
    int32_t width, height;
    float* dark; /* null when nothing is above the ground */
} ground_map;

typedef struct shadow_casters {
    const lim_draw_mesh* meshes;
    int32_t mesh_count;
    lim_vec3 lower, upper; /* bounds of all finite vertices */
    float ground;          /* height of the ground */
    float size;            /* of the scene, for radii */
} shadow_casters;

lim_result shadow_map_make(arena* memory, const shadow_casters* casters, lim_vec3 light,
                           int32_t size, shadow_map* out);
/* Share of the light that reaches p, 0..1. */
float shadow_map_light(const shadow_map* map, lim_vec3 p, lim_vec3 normal);

/* How a caster at a height darkens the ground: `strength` / (1 + height / fade)^2, blurred over
 * `softness` * height + `smallest`. fade <= 0: no fading. */
typedef struct ground_rule {
    lim_vec3 direction; /* to the light; y > 0 */
    float softness, smallest, strength, fade;
} ground_rule;
lim_result ground_map_make(arena* memory, const shadow_casters* casters, ground_rule rule,
                           int32_t size, ground_map* out);
float ground_map_dark(const ground_map* map, float x, float z);

#endif
