/* SPDX-License-Identifier: MIT
 * `limber bench cost`: work whose instructions are counted.
 */
#ifndef LIMBER_BENCH_COST_H
#define LIMBER_BENCH_COST_H

#include "cli/options.h"
#include "cli/say.h"

#include <limber/edit.h>

typedef struct cost_stage cost_stage;
lim_result cost_measured(lim_result (*work)(cost_stage*), cost_stage* stage);

/* The cases of these names, or all; prints a line for each. Returns an exit code. */
int bench_cost_command(const option_texts* names, say_log* log);

#endif
