/* SPDX-License-Identifier: MIT
 * The telling moments of a film: the start, the end, where actions come to their point, the impact,
 * the greatest squash and the rebound, and between them where most happens.
 */
#ifndef LIMBER_MOMENTS_H
#define LIMBER_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOMENTS_MOST = 8 };

/* What a frame is judged by. */
typedef struct moment_sample {
    int32_t contacts;
    double strain, height;
    double motion; /* since the sample before, over the size of what moves */
    bool telling;  /* an action comes to its point */
} moment_sample;

/* Writes frame numbers in ascending order, all different, and returns how many:
 * min(count, MOMENTS_MOST). */
int32_t moments_choose(const moment_sample* samples, int32_t count, int32_t out[MOMENTS_MOST]);

#endif
