/* SPDX-License-Identifier: MIT
 * Job: a clock for reports. In: the host's hook. Out: seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/timer.h"

#include <time.h>

double timer_now(const lim_host* host) {
    if (host != NULL && host->now != NULL) {
        return host->now(host->user);
    }
#if defined(__wasm__)
    return 0.0;
#elif defined(_WIN32)
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}
