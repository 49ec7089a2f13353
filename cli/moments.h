/* SPDX-License-Identifier: MIT
 * The telling moments of a film: the start, half of the fall, the impact, the greatest squash, the
 * rebound, the end, and between them where the gaps in time are widest.
 */
#ifndef LIMBER_MOMENTS_H
#define LIMBER_MOMENTS_H

#include <stdint.h>

enum { MOMENTS_MOST = 8 };

/* What a frame is judged by. */
typedef struct moment_sample {
    int32_t contacts;
    double strain, height;
} moment_sample;

/* Writes frame numbers in ascending order, all different, and returns how many:
 * min(count, MOMENTS_MOST). */
int32_t moments_choose(const moment_sample* samples, int32_t count, int32_t out[MOMENTS_MOST]);

#endif
