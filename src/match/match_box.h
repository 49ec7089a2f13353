/* SPDX-License-Identifier: MIT
 * Matching over window sums (net/box.h): the regions of a lattice that are whole cubes, in three
 * passes that each stay in the cache:
 *   planes   node state -> sums along x and y                        (and records for lists)
 *   columns  sums along z -> rotations -> sums of what regions pull along z
 *   planes   sums along y and x, and those of lists -> velocities
 */
#ifndef LIMBER_MATCH_BOX_H
#define LIMBER_MATCH_BOX_H

#include "match/match_kernel.h"

/* Floats of the sums that go from pass to pass, and of scratch memory for all tasks. */
size_t match_box_sums(const box_net* b);
size_t match_box_scratch(const box_net* b);

typedef struct match_box_kernels {
    /* One plane; its blocks of nodes begin with number `block`. */
    void (*up)(const match_body* m, const box_plane* p, int32_t block, const match_rigid* rigid,
               float* scratch);
    /* Columns [begin, end). */
    void (*columns)(const match_body* m, int32_t begin, int32_t end, float* scratch);
    void (*down)(const match_body* m, const box_plane* p, int32_t block, const match_rigid* rigid,
                 float* scratch);
} match_box_kernels;

const match_box_kernels* match_box_kernels_for(isa set);

#endif
