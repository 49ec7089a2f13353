/* SPDX-License-Identifier: MIT
 * Wider regions for a stiff material: the last step of the policy of stiffness. A step of h seconds
 * gives regions of variance sigma^2 at most the modulus E = alpha rho sigma^2 / h^2 with the most
 * alpha (match/match.h). Where the regions as they are given cannot have the modulus that the model
 * is wished for, with as many substeps as a body takes of its own, they are built wider: each
 * component has the least width that will do, or as much as there is of it.
 */
#ifndef LIMBER_WIDEN_H
#define LIMBER_WIDEN_H

#include "body/topology.h"

/* Widths are counted in steps: hops of a lattice, quarters of a level of the octree. */
typedef struct widen_part {
    int32_t first, most; /* as given, and the whole component */
    int32_t low, high;   /* known to be too narrow, and to do; first - 1 and most + 1: not known */
    int32_t at;          /* the step to build with */
    bool open;           /* still searching */
} widen_part;

typedef struct widening {
    match_material material; /* wished; young 0: nothing is widened */
    double h;                /* the substep, seconds */
    bool lattice;
    int32_t count;
    widen_part* part;  /* per component */
    double* share;     /* scratch, 2 per component */
    float* narrower;   /* per slot: its part of the component's width, by its factors; null: 1 */
    double as_given;   /* share of the modulus before anything was widened; below 0: not known */
    float given_width; /* cells */
} widening;

/* Begins with the regions as they are given. Everything is in `a`. */
lim_result widen_begin(arena* a, const topology* t, const lim_model_desc* desc, widening* out);
/* Whether regions should be tried with the widths as they are now. */
bool widen_searching(const widening* w);
/* Takes in what the regions of `trial`, built with these widths, can give; sets the next ones. */
void widen_judge(widening* w, const topology* trial);
/* The least half-width at a slot, in unit lengths; 0: as given. Of an octree. */
float widen_slot(const widening* w, const topology* t, int32_t slot);
/* The hops of the regions of a component of a lattice. */
int32_t widen_hops(const widening* w, int32_t number);
/* The width of the component with the widest regions, in cells; a line in the log where it is not
 * as given. t has its regions. */
float widen_finish(const widening* w, const topology* t, const lim_host* host);

#endif
