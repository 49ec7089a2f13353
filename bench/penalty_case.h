/* SPDX-License-Identifier: MIT
 * A block falls on a wider one that stands on the ground: with the library's contact, or with the
 * springs of bench/penalty.h between the two in its place. Everything else (bodies, ground, step)
 * is the library's in both.
 */
#ifndef LIMBER_PENALTY_CASE_H
#define LIMBER_PENALTY_CASE_H

#include <limber/base.h>

#define PENALTY_STEP (1.0f / 240.0f)

typedef struct penalty_result {
    int32_t nodes, inside; /* of both blocks; points inside, mean over steps */
    double p99, most; /* depth in cells after each step, of points half a cell away or closer */
    double gained;    /* largest rise of the energy, the springs' with it, above its least so
                         far, as a share of the energy of the fall */
    double height;    /* of the upper block's middle above its place at rest at last, cells */
    double seconds;   /* of a step, median, the springs' with it */
    uint64_t hash;
} penalty_result;

/* k: newton per metre and node; 0: the library's contact. */
lim_result penalty_case_run(double k, int32_t steps, const lim_host* host, penalty_result* out);

#endif
