/* SPDX-License-Identifier: MIT
 * A system that refuses the n-th thread: the pool gives back what it has and the caller works
 * alone.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/workers.h"
#include "failing_host.h"
#include "test.h"

#include <pthread.h>

static int refuse_at = -1, created; /* -1: no thread is refused */

int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                          void* (*start)(void*), void* argument) {
    if (created++ == refuse_at) {
        return 11; /* EAGAIN */
    }
    return __real_pthread_create(thread, attributes, start, argument);
}

static int warnings;

static void note_warning(void* user, lim_log_level level, const char* text) {
    (void)user;
    warnings += level == LIM_LOG_WARNING && strstr(text, "threads") != NULL;
}

static void mark(void* context, int32_t index) {
    ((int32_t*)context)[index]++;
}

static void a_refused_thread_leaves_the_caller_working(void) {
    for (refuse_at = 0; refuse_at <= 3; ++refuse_at) {
        failing_host f;
        failing_host_arm(&f, -1);
        f.host.log = note_warning;
        created = warnings = 0;
        workers* pool = NULL;
        CHECK(workers_create(&f.host, 4, &pool) == LIM_OK);
        CHECK((pool == NULL) == (refuse_at < 3));
        CHECK(warnings == (refuse_at < 3 ? 1 : 0));
        int32_t hits[10] = {0};
        workers_run(pool, 10, mark, hits);
        for (int i = 0; i < 10; ++i) {
            CHECK(hits[i] == 1);
        }
        workers_destroy(pool);
        CHECK(f.held == 0);
    }
    refuse_at = -1;
}

TEST_SUITE(workers_refused) {
    TEST_BEGIN(argc, argv);
    RUN(a_refused_thread_leaves_the_caller_working);
    TEST_END();
}
