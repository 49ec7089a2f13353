/* SPDX-License-Identifier: MIT
 * Workers: one blocking parallel_for. Work is cut into tasks whose number and borders do not depend
 * on the number of workers, and each task writes only its own range: so any number gives the same
 * bits.
 */
#ifndef LIMBER_WORKERS_H
#define LIMBER_WORKERS_H

#include "base/result.h"

typedef struct workers workers; /* null means: the calling thread alone */
typedef void workers_task(void* context, int32_t index);

/* 1 to 64 workers; 1 gives *out = null. With host->parallel_for the pool is a thin front of it, for
 * any count. Where threads cannot be had (wasm, or the system has none left) it falls back to the
 * calling thread, *out = null, and says so in the log. */
lim_result workers_create(const lim_host* host, int32_t count, workers** out);
void workers_destroy(workers* pool);
int32_t workers_count(const workers* pool); /* at least 1 */

/* Runs task(context, i) for 0 <= i < count and returns when all are done. Each task runs with the
 * library's floating-point environment (base/fpenv.h). Not re-entrant. */
void workers_run(workers* pool, int32_t count, workers_task* task, void* context);

#endif
