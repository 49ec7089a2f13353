/* SPDX-License-Identifier: MIT
 * Memory, arenas, growing arrays: aligned, zeroed, checked, and given back after every failure.
 */
#include "base/arena.h"
#include "base/array.h"
#include "base/log.h"
#include "failing_host.h"
#include "test.h"

static bool all_zero(const void* memory, size_t size) {
    const unsigned char* at = memory;
    for (size_t i = 0; i < size; ++i) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

static void sizes_are_checked(void) {
    size_t bytes = 7;
    CHECK(mem_size(0, 5, &bytes) && bytes == 0);
    CHECK(mem_size(5, 0, &bytes) && bytes == 0);
    CHECK(mem_size(SIZE_MAX, 1, &bytes) && bytes == SIZE_MAX);
    CHECK(!mem_size(SIZE_MAX / 2 + 1, 2, &bytes));
    lim_host host = mem_host(NULL);
    CHECK(mem_alloc(&host, SIZE_MAX / 2, 4) == NULL);
    CHECK(mem_alloc(&host, SIZE_MAX, 1) == NULL);
    CHECK(mem_alloc(&host, 0, 4) == NULL);
    mem_free(&host, NULL, 3, 4);
}

static void memory_is_zeroed_and_aligned(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    for (size_t count = 1; count < 300; count += 7) {
        unsigned char* memory = mem_alloc(&f.host, count, 3);
        CHECK(memory != NULL && (uintptr_t)memory % MEM_ALIGN == 0);
        CHECK(all_zero(memory, count * 3));
        memset(memory, 0xAB, count * 3);
        mem_free(&f.host, memory, count, 3);
    }
    CHECK(f.held == 0);
}

static void half_a_pair_of_hooks_is_not_used(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    f.host.free = NULL;
    lim_host host = mem_host(&f.host);
    CHECK(host.alloc != NULL && host.alloc != f.host.alloc && host.free != NULL);
    CHECK(host.user == &f);
}

static void arena_pieces_do_not_overlap(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    arena a;
    arena_init(&a, &f.host);
    enum { PIECES = 400 };
    unsigned char* piece[PIECES];
    size_t size[PIECES];
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < PIECES; ++i) {
            size[i] = (size_t)((i * 7919) % 5000);
            size[i] = i == 100 ? (size_t)6 << 20 : i == 200 ? (size_t)4 << 20 : size[i];
            piece[i] = ARENA_ARRAY(&a, unsigned char, size[i]);
            CHECK(piece[i] != NULL && (uintptr_t)piece[i] % MEM_ALIGN == 0);
            CHECK(all_zero(piece[i], size[i]));
            memset(piece[i], i & 0xFF, size[i]);
        }
        for (int i = 0; i < PIECES; ++i) {
            bool kept = true;
            for (size_t k = 0; k < size[i]; ++k) {
                kept = kept && piece[i][k] == (unsigned char)(i & 0xFF);
            }
            CHECK(kept);
        }
        CHECK(a.total >= (size_t)6 << 20);
        arena_release(&a);
        CHECK(f.held == 0 && a.total == 0);
    }
    for (size_t bytes = 0; bytes < 200; ++bytes) { /* room: nothing is left behind its end */
        unsigned char* room = ARENA_ROOM(&a, unsigned char, bytes);
        size_t end = (bytes + MEM_ALIGN - (bytes > 0)) / MEM_ALIGN * MEM_ALIGN;
        CHECK(room != NULL && (uintptr_t)room % MEM_ALIGN == 0);
        CHECK(all_zero(room + bytes, end - bytes));
        memset(room, 0xFF, end);
    }
    CHECK(arena_room(&a, SIZE_MAX / 2, 4) == NULL);
    CHECK(arena_alloc(&a, SIZE_MAX / 2, 4) == NULL);
    CHECK(arena_alloc(&a, SIZE_MAX, 1) == NULL);
    arena_release(&a);
    CHECK(f.held == 0);
}

/* What an arena adopts stays as it was, and goes with it; either may be empty. */
static void arenas_are_adopted(void) {
    for (int which = 0; which < 4; ++which) {
        failing_host f;
        failing_host_arm(&f, -1);
        arena a[2];
        unsigned char* piece[2][40];
        for (int k = 0; k < 2; ++k) {
            arena_init(&a[k], &f.host);
            for (int i = 0; i < 40 && (which >> k & 1) != 0; ++i) {
                piece[k][i] = ARENA_ARRAY(&a[k], unsigned char, 3000);
                memset(piece[k][i], 40 * k + i, 3000);
            }
        }
        size_t total = a[0].total + a[1].total;
        arena_adopt(&a[0], &a[1]);
        CHECK(a[0].total == total && a[1].total == 0);
        arena_release(&a[1]);
        CHECK(ARENA_ARRAY(&a[0], unsigned char, 3000) != NULL);
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < 40 && (which >> k & 1) != 0; ++i) {
                CHECK(piece[k][i][0] == 40 * k + i && piece[k][i][2999] == 40 * k + i);
            }
        }
        arena_release(&a[0]);
        CHECK(f.held == 0);
    }
}

static void arena_failures_leave_it_usable(void) {
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        int got = 0, failed = 0;
        for (int i = 0; i < 100; ++i) {
            int32_t* piece = ARENA_ARRAY(&a, int32_t, 1000);
            failed += piece == NULL;
            got += piece != NULL;
        }
        CHECK(failed <= 1 && got >= 99);
        arena_release(&a);
        CHECK(f.held == 0);
        if (failed == 0) {
            CHECK(n > 3);
            break;
        }
    }
}

typedef struct pair {
    int32_t key;
    double value;
} pair;

static void arrays_grow_and_keep_their_elements(void) {
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        ARRAY(pair) pairs = {0};
        bool failed = false;
        for (int32_t i = 0; i < 3000; ++i) {
            if (!ARRAY_PUSH(&f.host, &pairs, ((pair){i, 2.0 * i}))) {
                /* Nothing changed: the next push works again. */
                failed = true;
                CHECK(pairs.count == i);
                CHECK(ARRAY_PUSH(&f.host, &pairs, ((pair){i, 2.0 * i})));
            }
        }
        CHECK(pairs.count == 3000 && pairs.capacity >= 3000);
        for (int32_t i = 0; i < 3000; ++i) {
            CHECK(pairs.data[i].key == i && pairs.data[i].value == 2.0 * i);
        }
        ARRAY_FREE(&f.host, &pairs);
        CHECK(pairs.data == NULL && pairs.count == 0 && pairs.capacity == 0);
        CHECK(f.held == 0);
        if (!failed) {
            CHECK(n > 3);
            break;
        }
    }
}

static void arrays_refuse_more_than_int32(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    ARRAY(char) text = {0};
    int64_t too_many = (int64_t)INT32_MAX + 1 + f.held;
    CHECK(!ARRAY_RESERVE(&f.host, &text, too_many));
    CHECK(text.data == NULL && text.capacity == 0);
    CHECK(ARRAY_RESERVE(&f.host, &text, 100) && text.capacity >= 100);
    ARRAY_FREE(&f.host, &text);
    CHECK(f.held == 0);
}

static char last_text[600];
static lim_log_level last_level;

static void keep_text(void* user, lim_log_level level, const char* text) {
    (void)user;
    last_level = level;
    snprintf(last_text, sizeof last_text, "%s", text);
}

static void log_says_one_line(void) {
    lim_host host = {.log = keep_text};
    log_say(&host, LIM_LOG_INFO, "%d %s", 42, "regions");
    CHECK(strcmp(last_text, "42 regions") == 0 && last_level == LIM_LOG_INFO);
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    CHECK(log_fail(&host, LIM_ERROR_MESH, "%s", longer) == LIM_ERROR_MESH);
    CHECK(strlen(last_text) == 511 && last_level == LIM_LOG_ERROR);
    CHECK(log_fail(NULL, LIM_ERROR_ID, "nobody listens") == LIM_ERROR_ID);
    lim_host silent = {0};
    log_say(&silent, LIM_LOG_INFO, "nobody listens");
}

TEST_SUITE(memory) {
    TEST_BEGIN(argc, argv);
    RUN(sizes_are_checked);
    RUN(memory_is_zeroed_and_aligned);
    RUN(half_a_pair_of_hooks_is_not_used);
    RUN(arena_pieces_do_not_overlap);
    RUN(arenas_are_adopted);
    RUN(arena_failures_leave_it_usable);
    RUN(arrays_grow_and_keep_their_elements);
    RUN(arrays_refuse_more_than_int32);
    RUN(log_says_one_line);
    TEST_END();
}
