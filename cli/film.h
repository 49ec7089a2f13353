/* SPDX-License-Identifier: MIT
 * A film: the skins of a run, frame by frame, with what is needed to choose moments and to draw
 * them. It is recorded whole, because a good camera and the telling moments are known only at the
 * end.
 */
#ifndef LIMBER_FILM_H
#define LIMBER_FILM_H

#include "base/arena.h"
#include "base/array.h"
#include "scenes/scene.h"

/* What is drawn over the skins; LIM_DEBUG_ flags and this. */
enum { FILM_STRAIN = 1 << 16 };

/* What stays the same from frame to frame. Arrays of uvs and colours belong to the model. */
typedef struct film_body {
    lim_body id;
    const char* name;
    int32_t vertex_count, triangle_count;
    int64_t first_vertex; /* in the arrays of a frame */
    uint32_t* indices;
    const float* uvs;     /* or null */
    const float* colours; /* or null */
    lim_vec3 colour;
} film_body;

typedef struct film_collider {
    lim_shape shape;
    lim_vec3 size, position;
    lim_quat orientation;
} film_collider;

typedef struct film_frame {
    double time;
    float *positions, *normals; /* 3 per vertex, all bodies one after the other */
    float* colours;             /* 4 per vertex: strain as colour; null unless asked for */
    lim_debug_line* lines;
    lim_debug_point* points;
    film_collider* colliders; /* planes left out */
    int32_t line_count, point_count, collider_count;
    int32_t contacts;
    double strain, speed; /* the largest over the bodies */
    double height;        /* of the centre of mass of all */
    lim_vec3 lower, upper;
} film_frame;

typedef struct film {
    arena memory;
    lim_host host;
    lim_point origin; /* positions are relative to it */
    uint32_t overlay; /* LIM_DEBUG_ flags and FILM_STRAIN */
    double fps;
    film_body* bodies;
    int32_t body_count;
    int64_t vertex_count;
    ARRAY(film_frame) frames;
    bool ground;
    float ground_height; /* relative to the origin */
} film;

/* Ready to record a run that stands at its beginning. The run and the host must outlive the film.
 */
lim_result film_begin(film* f, const scene_run* run, uint32_t overlay, double fps,
                      const lim_host* host);
/* Adds the present moment of the run. */
lim_result film_take(film* f, const scene_run* run);
void film_end(film* f);

/* A place of the world as the film has it: relative to the film's origin. */
lim_vec3 film_relative(const film* f, lim_vec3 p);

/* One body at one frame, as the writers take it. The arrays belong to the film. */
lim_io_frame film_view(const film* f, int32_t body, int32_t frame);

#endif
