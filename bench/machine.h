/* SPDX-License-Identifier: MIT
 * What the machine allows, to set beside what a step takes (docs/performance.md).
 */
#ifndef LIMBER_MACHINE_H
#define LIMBER_MACHINE_H

#include "base/result.h"

/* What the machine allows: copies that stay in the second cache, the third, and in none (bytes read
 * and written per second), and the network's own weighted sum of one record of 24 floats when all
 * is in the first cache. */
typedef struct bench_machine_result {
    size_t copy_bytes[3];
    double copy_speed[3];
    double sum_seconds; /* per input record */
    int32_t sum_flops;  /* of one */
} bench_machine_result;
lim_result bench_machine(const lim_host* host, bench_machine_result* out);

#endif
