/* SPDX-License-Identifier: MIT
 * `limber bench step`, `limber bench creature`, `limber bench lattice`, `limber bench material`,
 * `limber bench contact` and `limber bench edit`.
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
    const char* picture; /* of bench contact: a file to write, or null */
} bench_options;

/* Measure and print; return an exit code. */
int bench_step_command(const bench_options* o, say_log* log);
int bench_creature_command(const bench_options* o, say_log* log);
int bench_lattice_command(const bench_options* o, say_log* log);
int bench_hex_command(const bench_options* o, say_log* log);
int bench_material_command(const bench_options* o, say_log* log);
int bench_contact_command(const bench_options* o, say_log* log);
int bench_edit_command(const bench_options* o, say_log* log);

#endif
