/* SPDX-License-Identifier: MIT
 * Job: run the tasks of one parallel loop on a small pool of threads. In: a task and a count. Out:
 * all tasks done, in any order. One 64-bit ticket holds (generation, tasks left); taking a task is
 * one compare-and-swap of it, which fails when the loop it belongs to is over, so a late thread can
 * never run a task of a loop it did not see. Threads spin for some microseconds between loops (a
 * step has many short ones), then sleep on a condition; the caller works too, and sleeps likewise
 * when the last tasks are in other hands, so a busy machine costs time but never a stall.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/workers.h"

#include "base/fpenv.h"
#include "base/log.h"
#include "base/mem.h"

enum { WORKERS_LARGEST = 64 };

typedef struct hook_call {
    workers_task* task;
    void* context;
} hook_call;

static void run_one(workers_task* task, void* context, int32_t index) {
    fpenv old = fpenv_enter();
    task(context, index);
    fpenv_leave(old);
}

static void run_hooked(void* context, int32_t index) {
    const hook_call* call = context;
    run_one(call->task, call->context, index);
}

static void run_alone(int32_t count, workers_task* task, void* context) {
    for (int32_t i = 0; i < count; ++i) {
        run_one(task, context, i);
    }
}

#if defined(__wasm__)

struct workers {
    lim_host host;
    int32_t count;
};

static lim_result start_threads(workers* pool, bool* out_started) {
    (void)pool;
    *out_started = false;
    return LIM_OK;
}
static void stop_threads(workers* pool) {
    (void)pool;
}
static void run_pooled(workers* pool, int32_t count, workers_task* task, void* context) {
    (void)pool;
    run_alone(count, task, context);
}

#else

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* About 30 microseconds: longer than the serial gaps of a step, shorter than a time slice. */
enum { SPIN_TURNS = 1500 };

struct workers {
    lim_host host;
    int32_t count;   /* threads that work, the caller included */
    int32_t started; /* threads to join */
    pthread_t* threads;
    pthread_mutex_t mutex; /* guards going to sleep and waking up only */
    pthread_cond_t wake, done;

    _Alignas(64) atomic_uint_fast64_t ticket; /* generation << 32 | tasks not yet taken */
    _Alignas(64) atomic_int unfinished;       /* tasks not yet done */
    _Alignas(64) atomic_int sleepers;         /* threads in `wake` */
    atomic_bool caller_sleeps, quit;
    /* The loop of the current generation; written only while no task is left to take. */
    _Atomic(workers_task*) task;
    _Atomic(void*) context;
    atomic_int total;
};

static void pause_a_little(void) {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Takes and runs tasks until none is left to take. */
static void work(workers* pool) {
    uint_fast64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
    while ((uint32_t)ticket != 0) {
        workers_task* task = atomic_load_explicit(&pool->task, memory_order_relaxed);
        void* context = atomic_load_explicit(&pool->context, memory_order_relaxed);
        int32_t total = atomic_load_explicit(&pool->total, memory_order_relaxed);
        /* When the ticket is still the one read above, so is the loop read after it. */
        if (!atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, ticket - 1,
                                                   memory_order_acq_rel, memory_order_acquire)) {
            continue;
        }
        run_one(task, context, total - (int32_t)(uint32_t)ticket);
        if (atomic_fetch_sub(&pool->unfinished, 1) == 1 && atomic_load(&pool->caller_sleeps)) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
        ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
    }
}

static bool nothing_to_do(workers* pool) {
    return (uint32_t)atomic_load(&pool->ticket) == 0 && !atomic_load(&pool->quit);
}

static void* thread_main(void* argument) {
    workers* pool = argument;
    while (!atomic_load(&pool->quit)) {
        for (int turn = 0; turn < SPIN_TURNS && nothing_to_do(pool); ++turn) {
            pause_a_little();
        }
        if (nothing_to_do(pool)) {
            /* Saying that we sleep comes before the last look, publishing a loop before the look
             * at the sleepers: one of the two sees the other. */
            pthread_mutex_lock(&pool->mutex);
            atomic_fetch_add(&pool->sleepers, 1);
            while (nothing_to_do(pool)) {
                pthread_cond_wait(&pool->wake, &pool->mutex);
            }
            atomic_fetch_sub(&pool->sleepers, 1);
            pthread_mutex_unlock(&pool->mutex);
        }
        work(pool);
    }
    return NULL;
}

static void stop_threads(workers* pool) {
    if (pool->threads == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 0; i < pool->started; ++i) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    mem_free(&pool->host, pool->threads, (size_t)pool->count - 1, sizeof(pthread_t));
    pool->threads = NULL;
}

/* The caller is one of the workers: count - 1 threads. Signals stay with the host's threads. */
static lim_result start_threads(workers* pool, bool* out_started) {
    *out_started = false;
    pthread_t* threads = mem_alloc(&pool->host, (size_t)pool->count - 1, sizeof(pthread_t));
    LIM_TRY_MEMORY(threads);
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        goto no_mutex;
    }
    if (pthread_cond_init(&pool->wake, NULL) != 0) {
        goto no_wake;
    }
    if (pthread_cond_init(&pool->done, NULL) != 0) {
        goto no_done;
    }
    pool->threads = threads;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (pool->started < pool->count - 1 &&
           pthread_create(&threads[pool->started], NULL, thread_main, pool) == 0) {
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (pool->started < pool->count - 1) {
        stop_threads(pool);
        return LIM_OK;
    }
    *out_started = true;
    return LIM_OK;

no_done:
    pthread_cond_destroy(&pool->wake);
no_wake:
    pthread_mutex_destroy(&pool->mutex);
no_mutex:
    mem_free(&pool->host, threads, (size_t)pool->count - 1, sizeof(pthread_t));
    return LIM_OK;
}

static void run_pooled(workers* pool, int32_t count, workers_task* task, void* context) {
    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->total, count, memory_order_relaxed);
    atomic_store_explicit(&pool->unfinished, count, memory_order_relaxed);
    uint_fast64_t generation = (atomic_load(&pool->ticket) >> 32) + 1;
    atomic_store(&pool->ticket, generation << 32 | (uint32_t)count);
    int sleepers = atomic_load(&pool->sleepers);
    if (sleepers > 0) {
        pthread_mutex_lock(&pool->mutex);
        for (int32_t i = 0; i < sleepers && i < count - 1; ++i) {
            pthread_cond_signal(&pool->wake);
        }
        pthread_mutex_unlock(&pool->mutex);
    }
    work(pool);
    for (int turn = 0; turn < SPIN_TURNS && atomic_load(&pool->unfinished) > 0; ++turn) {
        pause_a_little();
    }
    if (atomic_load(&pool->unfinished) > 0) {
        pthread_mutex_lock(&pool->mutex);
        atomic_store(&pool->caller_sleeps, true);
        while (atomic_load(&pool->unfinished) > 0) {
            pthread_cond_wait(&pool->done, &pool->mutex);
        }
        atomic_store(&pool->caller_sleeps, false);
        pthread_mutex_unlock(&pool->mutex);
    }
}

#endif

lim_result workers_create(const lim_host* host, int32_t count, workers** out) {
    *out = NULL;
    if (count < 1 || count > WORKERS_LARGEST) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "%d workers; ask for 1 to %d", (int)count,
                        (int)WORKERS_LARGEST);
    }
    lim_host hooks = mem_host(host);
    if (count == 1 && hooks.parallel_for == NULL) {
        return LIM_OK;
    }
    workers* pool = mem_alloc(&hooks, 1, sizeof *pool);
    LIM_TRY_MEMORY(pool);
    pool->host = hooks;
    pool->count = count;
    if (hooks.parallel_for == NULL) {
        bool started = false;
        lim_result result = start_threads(pool, &started);
        if (!started) {
            mem_free(&hooks, pool, 1, sizeof *pool);
            if (result == LIM_OK) {
                log_say(host, LIM_LOG_WARNING,
                        "no threads to be had here: working on the caller's");
            }
            return result;
        }
    }
    *out = pool;
    return LIM_OK;
}

void workers_destroy(workers* pool) {
    if (pool != NULL) {
        lim_host hooks = pool->host;
        stop_threads(pool);
        mem_free(&hooks, pool, 1, sizeof *pool);
    }
}

int32_t workers_count(const workers* pool) {
    return pool != NULL ? pool->count : 1;
}

void workers_run(workers* pool, int32_t count, workers_task* task, void* context) {
    if (pool == NULL || count <= 1) {
        run_alone(count, task, context);
    } else if (pool->host.parallel_for != NULL) {
        hook_call call = {task, context};
        pool->host.parallel_for(pool->host.user, count, run_hooked, &call);
    } else {
        run_pooled(pool, count, task, context);
    }
}
