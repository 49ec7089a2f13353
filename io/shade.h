/* SPDX-License-Identifier: MIT
 * Light and colour of the pictures: a surface, the ground and the sky. All colours are linear.
 */
#ifndef LIMBER_SHADE_H
#define LIMBER_SHADE_H

#include "io/shadow.h"
#include "io/view.h"

/* Unit vectors to the lights; they follow the camera's heading, so that every view is lit well. */
typedef struct shade_lights {
    lim_vec3 key, fill, rim;
} shade_lights;
shade_lights shade_lights_make(const view* v);

typedef struct shade_spot {
    lim_vec3 normal, to_eye; /* unit; the normal on the viewer's side */
    lim_vec3 colour;
    float facing;   /* cosine of the angle to the eye, of the normal or of the face */
    float lit;      /* share of the key light that arrives */
    float openness; /* share of the surroundings that is not blocked */
    bool back;      /* the back of a face */
} shade_spot;
lim_vec3 shade_surface(const shade_lights* lights, const shade_spot* spot);

typedef struct shade_scenery {
    bool has_ground;
    float ground;    /* height */
    float fade;      /* metres over which the ground becomes sky */
    float cell;      /* side of a ground square */
    lim_vec3 centre; /* what is looked at: fading starts here */
    float pixel;     /* size of a pixel at distance 1 */
    ground_map shadow, contact;
} shade_scenery;

/* up: the ray's rise over its length, -1..1. */
lim_vec3 shade_sky(float up);
/* The ground where the ray from the eye (unit direction, pointing down) meets it. */
lim_vec3 shade_ground(const shade_scenery* scenery, lim_vec3 eye, lim_vec3 ray);
/* Squares of space with this edge, the middle of one at the origin: -1 and 1, or the mean over a
 * box with the sides `wide`. */
float shade_checker(lim_vec3 p, float edge, lim_vec3 wide);
/* A side of 1, 2 or 5 times a power of ten, close to `wish`. */
float shade_round_length(float wish);

#endif
