/* SPDX-License-Identifier: MIT
 * Workers: each task runs once, results do not depend on their number, every failure cleans up.
 */
#include "base/fpenv.h"
#include "base/random.h"
#include "base/workers.h"
#include "failing_host.h"
#include "test.h"

enum { COUNT = 100000, BLOCK = 1024, BLOCKS = (COUNT + BLOCK - 1) / BLOCK };

typedef struct sum_job {
    const float* values;
    float* block_sums;
    int32_t* runs;
} sum_job;

static void sum_block(void* context, int32_t block) {
    sum_job* job = context;
    int32_t end = (block + 1) * BLOCK < COUNT ? (block + 1) * BLOCK : COUNT;
    float sum = 0.0f;
    for (int32_t i = block * BLOCK; i < end; ++i) {
        sum += job->values[i];
    }
    job->block_sums[block] = sum;
    job->runs[block]++;
}

static float values[COUNT], sums_alone[BLOCKS], sums[BLOCKS];
static int32_t runs[BLOCKS];

static void sums_do_not_depend_on_the_number_of_workers(void) {
    random_stream r = random_seed(4);
    for (int i = 0; i < COUNT; ++i) {
        values[i] = random_range(&r, -1.0f, 1.0f);
    }
    sum_job alone = {values, sums_alone, runs};
    workers_run(NULL, BLOCKS, sum_block, &alone);
    for (int32_t count = 1; count <= 5; ++count) {
        workers* pool = NULL;
        CHECK(workers_create(NULL, count, &pool) == LIM_OK);
#if !defined(__wasm__)
        CHECK(workers_count(pool) == count);
        CHECK((pool == NULL) == (count == 1));
#endif
        for (int round = 0; round < 50; ++round) {
            memset(sums, 0, sizeof sums);
            memset(runs, 0, sizeof runs);
            sum_job job = {values, sums, runs};
            workers_run(pool, BLOCKS, sum_block, &job);
            CHECK(memcmp(sums, sums_alone, sizeof sums) == 0);
            for (int i = 0; i < BLOCKS; ++i) {
                CHECK(runs[i] == 1);
            }
        }
        workers_destroy(pool);
    }
}

static void mark(void* context, int32_t index) {
    ((int32_t*)context)[index]++;
}

static void short_loops_one_after_another(void) {
    workers* pool = NULL;
    CHECK(workers_create(NULL, 3, &pool) == LIM_OK);
    for (int round = 0; round < 20000; ++round) {
        int32_t hits[8] = {0};
        int32_t count = round % 8;
        workers_run(pool, count, mark, hits);
        for (int32_t i = 0; i < 8; ++i) {
            CHECK(hits[i] == (i < count ? 1 : 0));
        }
    }
    workers_destroy(pool);
}

static void counts_out_of_range_are_refused(void) {
    workers* pool = NULL;
    CHECK(workers_create(NULL, 0, &pool) == LIM_ERROR_ARGUMENT && pool == NULL);
    CHECK(workers_create(NULL, -3, &pool) == LIM_ERROR_ARGUMENT && pool == NULL);
    CHECK(workers_create(NULL, 65, &pool) == LIM_ERROR_ARGUMENT && pool == NULL);
    CHECK(workers_count(NULL) == 1);
    workers_destroy(NULL);
    int32_t none = 0;
    workers_run(NULL, 0, mark, &none);
    workers_run(NULL, -1, mark, &none);
    CHECK(none == 0);
}

static void memory_failures_clean_up(void) {
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        workers* pool = NULL;
        lim_result result = workers_create(&f.host, 4, &pool);
        if (result == LIM_OK) {
            workers_destroy(pool);
            CHECK(f.held == 0);
            CHECK(n > 0);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
        CHECK(pool == NULL);
        CHECK(f.held == 0);
    }
}

typedef struct hook_host {
    int calls;
} hook_host;

/* Backwards, as a host may. */
static void backwards(void* user, int32_t count, void (*task)(void* context, int32_t index),
                      void* context) {
    ((hook_host*)user)->calls++;
    for (int32_t i = count - 1; i >= 0; --i) {
        task(context, i);
    }
}

static void the_hosts_loop_is_used(void) {
    for (int32_t count = 1; count <= 4; ++count) {
        hook_host user = {0};
        lim_host host = {.parallel_for = backwards, .user = &user};
        workers* pool = NULL;
        CHECK(workers_create(&host, count, &pool) == LIM_OK);
        int32_t hits[5] = {0};
        workers_run(pool, 5, mark, hits);
        CHECK(user.calls == 1);
        for (int i = 0; i < 5; ++i) {
            CHECK(hits[i] == 1);
        }
        workers_destroy(pool);
    }
}

#if defined(__x86_64__)
static void note_environment(void* context, int32_t index) {
    ((uint32_t*)context)[index] = _mm_getcsr() & ~0x3Fu;
}

static void tasks_have_our_float_environment_and_give_back_the_callers(void) {
    uint32_t old = _mm_getcsr();
    for (int32_t count = 1; count <= 3; ++count) {
        workers* pool = NULL;
        CHECK(workers_create(NULL, count, &pool) == LIM_OK);
        _mm_setcsr(old | 0x8040u | 0x6000u); /* flush denormals, round to zero */
        uint32_t seen[64] = {0};
        workers_run(pool, 64, note_environment, seen);
        uint32_t after = _mm_getcsr();
        _mm_setcsr(old);
        CHECK((after & ~0x3Fu) == ((old | 0x8040u | 0x6000u) & ~0x3Fu));
        for (int i = 0; i < 64; ++i) {
            CHECK(seen[i] == 0x1F80u);
        }
        workers_destroy(pool);
    }
}
#else
static void tasks_have_our_float_environment_and_give_back_the_callers(void) {
    fpenv_leave(fpenv_enter());
}
#endif

TEST_SUITE(workers) {
    TEST_BEGIN(argc, argv);
    RUN(sums_do_not_depend_on_the_number_of_workers);
    RUN(short_loops_one_after_another);
    RUN(counts_out_of_range_are_refused);
    RUN(memory_failures_clean_up);
    RUN(the_hosts_loop_is_used);
    RUN(tasks_have_our_float_environment_and_give_back_the_callers);
    TEST_END();
}
