/* SPDX-License-Identifier: MIT
 * The library's sums over a lattice alone, to be timed: windows where regions are cubes, lists
 * where they are not (region/lattice.c). In a step they are parts of fused passes.
 */
#ifndef LIMBER_LATTICE_OURS_H
#define LIMBER_LATTICE_OURS_H

#include "bench/lattice_nodes.h"
#include "region/region.h"

/* Fields of a window's record on the way back; the records of lists have one more, unused. */
enum { LATTICE_BACK = 15 };

typedef struct lattice_ours {
    box_net box;
    net n;
    regions r;
    int32_t count, slots;
    int32_t* slot;         /* of each node */
    float *in[2], *out[2]; /* octets of windows; forward and back */
    float* work;
    float* records[2]; /* of the network */
} lattice_ours;

lim_result lattice_ours_make(arena* a, const lattice_nodes* nodes, int32_t w, lattice_ours* out);
/* As lattice_sums_load, _run and _read. The last float of each record on the way back is not
 * summed. */
void lattice_ours_load(lattice_ours* s, int32_t strips, const float* values);
void lattice_ours_run(lattice_ours* s, int32_t strips, isa set);
/* The sums of a step without damping, forward and back: 12 fields of windows each way, lists of 16
 * floats. Results are thrown away: for the clock alone. */
void lattice_ours_few(lattice_ours* s, isa set);
void lattice_ours_read(const lattice_ours* s, int32_t strips, float* out);

#endif
