/* SPDX-License-Identifier: MIT
 * `limber bench step`.
 */
#ifndef LIMBER_BENCH_STEP_TABLE_H
#define LIMBER_BENCH_STEP_TABLE_H

#include "cli/bench.h"
#include "cli/options.h"

/* Of all benches. */
typedef struct bench_options {
    option_counts nodes;
    double width;
    int32_t steps, triangles;
    bool json;
} bench_options;

/* Measures and prints; returns an exit code. */
int bench_step_command(const bench_options* o, say_log* log);

#endif
