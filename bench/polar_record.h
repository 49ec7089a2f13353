/* SPDX-License-Identifier: MIT
 * Matrices A_r = sum m (x - c) (x0 - c0)^T of the regions of a body that really moves, step by
 * step, and the rotations of all of them found in three ways: Jacobi sweeps on A^T A from nothing,
 * from the last step's eigenvectors (Rivers and James 2007, section 4.1), and by the library's
 * kernel.
 */
#ifndef LIMBER_POLAR_RECORD_H
#define LIMBER_POLAR_RECORD_H

#include "base/arena.h"
#include "base/isa.h"

#include <limber/world.h>

enum { POLAR_RECORD = 16 }; /* floats of a record: A row major, the rest zero */

typedef struct polar_record {
    int32_t regions; /* a multiple of 8; the last ones are repeated */
    int32_t steps;
    float* records;    /* steps * regions records */
    double turn, most; /* rad that a region turns from step to step: mean, largest */
    double stretch;    /* mean over all of the largest singular value over the smallest */
} polar_record;

/* A bar of 4 : 1 : 1 of the kind given, `cells` cells across, is turned by half a turn at one end,
 * held for a moment and let go; every step of 1/240 s is recorded. */
lim_result polar_record_bar(arena* a, lim_kind kind, int32_t cells, int32_t steps,
                            const lim_host* host, polar_record* out);

typedef enum polar_way { POLAR_COLD, POLAR_WARM, POLAR_OURS, POLAR_WAYS } polar_way;

typedef struct polar_result {
    double sweeps;  /* mean per rotation; Newton steps for POLAR_OURS */
    double ns;      /* median over the steps, per rotation */
    double largest; /* angle to the rotation in double, rad */
} polar_result;

/* Rotations of every step but the first, which only starts the warm ones; the ways take turns, step
 * by step. `set` is for POLAR_OURS; the others are scalar, as printed. */
lim_result polar_record_solve(const polar_record* r, isa set, const lim_host* host,
                              polar_result out[POLAR_WAYS]);

/* Two Newton steps on each of `count` records (a multiple of 8), loads and transposes included; q
 * is 4 arrays. Per instruction set. */
typedef void (*polar_kernel)(const float* records, float* const q[4], int32_t count);
polar_kernel polar_kernel_for(isa set);

#endif
