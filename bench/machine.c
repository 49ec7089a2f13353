/* SPDX-License-Identifier: MIT
 * Job: what this machine allows, to set beside what a step takes (docs/performance.md). In:
 * nothing. Out: bytes per second of a copy that stays in the second-level cache, in the third, and
 * in none; weighted sums of records per second when everything is in the first-level cache. Best of
 * several tries: limits, not habits.
 */
#include "bench/machine.h"

#include "base/arena.h"
#include "base/timer.h"
#include "net/net.h"

#include <string.h>

enum { TRIES = 9, RECORDS = 64, OUTPUTS = 64, INPUTS = 64, PASSES = 200 };

static double copy_speed(void* to, const void* from, size_t bytes, const lim_host* host) {
    double best = 0.0;
    size_t repeats = ((size_t)64 << 20) / bytes + 1;
    for (int32_t t = 0; t < TRIES; ++t) {
        double begin = timer_now(host);
        for (size_t k = 0; k < repeats; ++k) {
            memcpy(to, from, bytes);
            ((volatile char*)to)[k % bytes]; /* so that no copy is left out */
        }
        double speed = 2.0 * (double)bytes * (double)repeats / (timer_now(host) - begin);
        best = speed > best ? speed : best;
    }
    return best;
}

static lim_result copy_speeds(const lim_host* host, bench_machine_result* out) {
    static const size_t sizes[3] = {(size_t)128 << 10, (size_t)4 << 20, (size_t)128 << 20};
    char* from = mem_alloc(host, sizes[2], 1);
    char* to = mem_alloc(host, sizes[2], 1);
    for (int32_t s = 0; from != NULL && to != NULL && s < 3; ++s) {
        memset(from, 1, sizes[s]);
        memset(to, 2, sizes[s]);
        out->copy_bytes[s] = 2 * sizes[s];
        out->copy_speed[s] = copy_speed(to, from, sizes[s], host);
    }
    bool done = from != NULL && to != NULL;
    mem_free(host, from, sizes[2], 1);
    mem_free(host, to, sizes[2], 1);
    return done ? LIM_OK : LIM_ERROR_MEMORY;
}

/* A small network of nothing but regions with 64 inputs, as blended regions have. */
static lim_result small_net(arena* a, net* n) {
    *n = (net){.layers = 2,
               .first = {0, RECORDS, RECORDS + OUTPUTS},
               .record_count = RECORDS + OUTPUTS,
               .node_count = RECORDS,
               .region_count = OUTPUTS};
    n->forward_offset = ARENA_ARRAY(a, int32_t, n->record_count + 1);
    n->forward = ARENA_ARRAY(a, int32_t, OUTPUTS * INPUTS);
    n->forward_weight = ARENA_ARRAY(a, float, OUTPUTS* INPUTS);
    LIM_TRY_MEMORY(n->forward_offset);
    LIM_TRY_MEMORY(n->forward);
    LIM_TRY_MEMORY(n->forward_weight);
    for (int32_t i = 0; i < OUTPUTS * INPUTS; ++i) {
        n->forward[i] = (i * 7) % RECORDS;
        n->forward_weight[i] = 1.0f / 64.0f;
    }
    for (int32_t i = 0; i <= OUTPUTS; ++i) {
        n->forward_offset[RECORDS + i] = i * INPUTS;
    }
    return LIM_OK;
}

static lim_result sum_speed(const lim_host* host, bench_machine_result* out) {
    arena a;
    arena_init(&a, host);
    net n;
    const int32_t floats = NET_FORWARD_STRIPS * 8;
    lim_result result = small_net(&a, &n);
    float* records = ARENA_ARRAY(&a, float, (RECORDS + OUTPUTS) * floats);
    result = records == NULL ? LIM_ERROR_MEMORY : result;
    for (int32_t t = 0; result == LIM_OK && t < TRIES; ++t) {
        const net_kernels* kernels = net_kernels_for(isa_best());
        double begin = timer_now(host);
        for (int32_t p = 0; p < PASSES; ++p) {
            kernels->forward(&n, records, NET_FORWARD_STRIPS, RECORDS, RECORDS + OUTPUTS);
        }
        double seconds = (timer_now(host) - begin) / (double)(PASSES * OUTPUTS * INPUTS);
        if (t == 0 || seconds < out->sum_seconds) {
            out->sum_seconds = seconds;
        }
    }
    out->sum_flops = 2 * floats;
    arena_release(&a);
    return result;
}

lim_result bench_machine(const lim_host* host, bench_machine_result* out) {
    *out = (bench_machine_result){0};
    LIM_TRY(copy_speeds(host, out));
    return sum_speed(host, out);
}
