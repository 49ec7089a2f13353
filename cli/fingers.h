/* SPDX-License-Identifier: MIT
 * Figure 1 of Steinemann, Otaduy and Gross 2008, measured: a round body with thin fingers, sampled
 * with cells of one size that the fingers need, and with cells of many sizes.
 */
#ifndef LIMBER_FINGERS_H
#define LIMBER_FINGERS_H

#include "cli/measure.h"

#include <limber/io.h>

enum { FINGERS = 5, FINGERS_TURNS = 4 };

typedef enum fingers_sampling {
    FINGERS_UNIFORM,
    FINGERS_ADAPTIVE,
    FINGERS_SAMPLINGS
} fingers_sampling;

/* What is stepped: our step with one region per node, our step with our regions, the printed step
 * in scalar C. */
typedef enum fingers_kind {
    FINGERS_ONE_PER_NODE,
    FINGERS_BLENDED,
    FINGERS_PRINTED,
    FINGERS_KINDS
} fingers_kind;

typedef struct fingers_cost {
    int32_t regions;
    double members, inputs; /* per region; inputs of the printed step: summation nodes */
    /* Per step, without the skin and the search for contacts, which belong to the surface: median
     * and fastest. */
    double ms, least_ms;
    /* Of the fastest step. The printed step: sums with goals, rotations, damping. Ours, in fused
     * passes: sums of the network's lower layers; the last sums with rotations and rigid motions of
     * the regions; the way back to goals and damped velocities. */
    double shares[3];
} fingers_cost;

/* A finger's tip pulled sideways until the body rests. */
typedef struct fingers_pull {
    double deflection; /* of the pulled tip, over the length of a finger */
    double others;     /* the largest displacement of another tip, likewise */
    lim_point tip;     /* displacement in metres */
    double seconds;    /* simulated until it rested */
    bool rested;
} fingers_pull;

typedef struct fingers_result {
    int32_t base_cells; /* pieces of material in cells of the coarsest size allowed */
    int32_t nodes[FINGERS_SAMPLINGS];
    double across;                /* finest cells across a finger */
    double widths[FINGERS_KINDS]; /* of regions, in cells */
    fingers_cost cost[FINGERS_KINDS][FINGERS_SAMPLINGS];
    fingers_pull pull[FINGERS_PRINTED][FINGERS_SAMPLINGS]; /* of our steps */
} fingers_result;

/* All fingers pulled at once, each across itself in the plane of the fingers, those on the left as
 * the mirror images of those on the right: tips over the length of a finger. */
typedef struct fingers_bent {
    double degrees[FINGERS_TURNS]; /* that the body is turned by about z */
    int32_t nodes[FINGERS_TURNS][FINGERS_SAMPLINGS];
    double deflection[FINGERS_TURNS][FINGERS_SAMPLINGS][FINGERS];
    /* not turned: at most as many nodes as the paper has, one region per node */
    int32_t paper_nodes;
    double paper[FINGERS];
} fingers_bent;

lim_result fingers_measure(const lim_host* host, fingers_result* out);
/* The first so many positions. */
lim_result fingers_bend(int32_t turns, const lim_host* host, fingers_bent* out);
/* Cells of both samplings, and the adaptive body with one finger pulled. The image is the caller's
 * to destroy. */
lim_result fingers_draw(const lim_host* host, lim_image* out_image);

#endif
