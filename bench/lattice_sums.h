/* SPDX-License-Identifier: MIT
 * One sum over the regions of a lattice, done in the three ways of figure 4 in Rivers and James
 * 2007, to be timed: every region by its members, bars and plates and cubes, and what the library
 * does. out[i] = sum of in[j] over the nodes j that are at most w links from i.
 */
#ifndef LIMBER_LATTICE_SUMS_H
#define LIMBER_LATTICE_SUMS_H

#include "base/isa.h"
#include "bench/lattice_nodes.h"

typedef enum lattice_way {
    LATTICE_NAIVE, /* cubes in a dense array when the lattice is full, else lists of members */
    LATTICE_BARS,  /* 2 w + 1 additions per axis: in a dense array when it is full, else over
                      shared bars and plates (section 3.1, irregular regions) */
    LATTICE_OURS,  /* windows where regions are cubes, else lists (bench/lattice_ours.h) */
    LATTICE_WAYS
} lattice_way;

typedef struct lattice_sums lattice_sums;

/* most_members: lists of members are made for so many regions only that they hold at most so many
 * members in all; 0: for all. In runs of neighbours, spread over the body. */
lim_result lattice_sums_create(const lattice_nodes* nodes, lattice_way way, int32_t w,
                               int64_t most_members, const lim_host* host, lattice_sums** out);
void lattice_sums_destroy(lattice_sums* s); /* null is allowed */

/* How many sums one run does: the nodes, or fewer with lists that were too long. */
int32_t lattice_sums_count(const lattice_sums* s);
/* The node of each sum. */
int32_t lattice_sums_seed(const lattice_sums* s, int32_t index);

/* Values of the nodes, one record after the other. strips 3: to be summed over regions; 2: values
 * of regions, to be summed over the regions of each node. Regions are symmetric, so both are the
 * same sum; of these the last float is left out by LATTICE_OURS, as the library does. */
void lattice_sums_load(lattice_sums* s, int32_t strips, const float* values);
/* The sums, forward with 3 strips or back with 2. Only this is timed. */
void lattice_sums_run(lattice_sums* s, int32_t strips, isa set);
/* One record per sum. */
void lattice_sums_read(const lattice_sums* s, int32_t strips, float* out);

#endif
