/* SPDX-License-Identifier: MIT
 * Times of many steps: median and 99th percentile, per stage.
 */
#ifndef LIMBER_MEASURE_H
#define LIMBER_MEASURE_H

#include "base/array.h"

#include <limber/world.h>

enum { MEASURE_STAGES = 10 };

/* Names of the stages of lim_step_report, in the order of a step. */
extern const char* const measure_stage_names[MEASURE_STAGES];

/* Seconds of each step: the total, then the stages. */
typedef struct measure {
    ARRAY(double) times[1 + MEASURE_STAGES];
} measure;

typedef struct measure_summary {
    double median, p99, least;
} measure_summary;

bool measure_add(measure* m, const lim_host* host, const lim_step_report* report);
/* column 0 is the total, 1 + s is stage s. Zeros when there is nothing or memory is out. */
measure_summary measure_summarise(const measure* m, const lim_host* host, int32_t column);
void measure_free(measure* m, const lim_host* host);

/* The same of any list of numbers. */
measure_summary measure_of(const double* values, int32_t count, const lim_host* host);

#endif
