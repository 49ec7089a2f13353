/* SPDX-License-Identifier: MIT
 * Job: the one function whose instructions are counted: tools/cost.sh has valgrind collect only
 * while it runs. It is a file of its own, so that it stays a call.
 */
#include "cli/bench_cost.h"

lim_result cost_measured(lim_result (*work)(cost_stage*), cost_stage* stage) {
    return work(stage);
}
