/* SPDX-License-Identifier: MIT
 * What `limber paper 004` measures of trained detail: the stretching problem of linear regression,
 * stamping against vertex blending, times at run time, errors by the number of examples, and both
 * skins of a pose beside each other.
 */
#ifndef LIMBER_TRAINED_FIGURES_H
#define LIMBER_TRAINED_FIGURES_H

#include "base/arena.h"
#include "train/trainer.h"

/* Shares of a pattern of wrinkles that was trained in a compressed sheet. */
typedef struct trained_stretch {
    double regression_pressed, ours_pressed;     /* as trained */
    double regression_stretched, ours_stretched; /* the opposite deformation */
} trained_stretch;
lim_result trained_stretch_measure(const lim_host* host, trained_stretch* out);

/* A bulge that was trained at two places of a sheet, and shows at a tool between them. */
typedef struct trained_between {
    double height[2]; /* of the highest place, as a share of the trained bulge: vertices, stamps */
    double off[2];    /* how far it is from the tool, in distances of the two places */
} trained_between;
lim_result trained_between_measure(const lim_host* host, trained_between* out);

/* Least seconds of several rounds, one worker, of the first pose that was held out. */
typedef struct trained_times {
    int32_t examples, nodes, points;
    double correlate, blend, embed;
} trained_times;
lim_result trained_times_measure(const trainer* t, const unsigned char* bytes, size_t size,
                                 trained_times* out);

/* How far fields of held-out poses are met, as shares of them (1: as if there was no detail), by
 * the first `examples` of those that were learnt, of which `most` mix. */
typedef struct trained_errors {
    int32_t examples; /* that there were */
    double ours, regression;
} trained_errors;
enum { TRAINED_POSES = 8 };
typedef struct trained_held trained_held; /* the fields of held-out poses */
lim_result trained_held_make(const trainer* t, arena* a, trained_held** out);
lim_result trained_errors_measure(const trainer* t, const trained_held* held, int32_t examples,
                                  int32_t most, trained_errors* out);

/* A pose that was held out, three times. In `a`. */
typedef struct trained_view {
    int32_t vertex_count, triangle_count;
    const uint32_t* indices;
    float *positions[3], *normals[3]; /* coarse, accurate, enriched; 3 per vertex */
    lim_vec3 lower, upper;
} trained_view;
lim_result trained_view_make(const trainer* t, const unsigned char* bytes, size_t size,
                             int32_t held_out, arena* a, trained_view* out);

#endif
