/* SPDX-License-Identifier: MIT
 * Sort, hash, random numbers, results: fixed values that no machine may change.
 */
#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "base/sort.h"
#include "base/timer.h"
#include "test.h"

static void insertion_sort(sort_item* items, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        sort_item item = items[i];
        int32_t at = i;
        for (; at > 0 && items[at - 1].key > item.key; --at) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

static void sort_equals_insertion_sort(void) {
    enum { MOST = 700 };
    static sort_item items[MOST], scratch[MOST], slow[MOST];
    static const uint64_t masks[] = {0, 0xFF, 0xF0F, 0xFF00FF00FF, 0x8000000000000001u, ~0ull};
    random_stream r = random_seed(5);
    for (int round = 0; round < 300; ++round) {
        int32_t count = round < 4 ? round : random_index(&r, MOST + 1);
        uint64_t mask = masks[round % 6];
        for (int32_t i = 0; i < count; ++i) {
            slow[i] = items[i] = (sort_item){random_u64(&r) & mask, i, -i};
        }
        sort_items(items, scratch, count);
        insertion_sort(slow, count);
        CHECK(memcmp(items, slow, (size_t)count * sizeof *items) == 0);
    }
}

static void double_keys_keep_the_order(void) {
    static const double ascending[] = {-INFINITY, -1e300, -2.0, -1.0, -0x1p-1074, 0.0,
                                       0x1p-1074, 1.0,    1.5,  2.0,  1e300,      INFINITY};
    for (size_t i = 1; i < sizeof ascending / sizeof *ascending; ++i) {
        CHECK(sort_key_double(ascending[i - 1]) < sort_key_double(ascending[i]));
    }
    CHECK(sort_key_double(-0.0) == sort_key_double(0.0));
}

static void hash_has_fixed_values(void) {
    static const char text[] = "a soft body of 27 regions";
    CHECK(hash_mix(0) == 0);
    CHECK(hash_mix(1) == 0x4179B061E0C0E0D0u);
    CHECK(hash_u64(HASH_SEED, 42) == 0x6A5DDE48C6FF4745u);
    CHECK(hash_bytes(HASH_SEED, text, sizeof text - 1) == 0x1FCB37B1404AB9E2u);
    /* Each byte and the length count. */
    uint64_t seen[27];
    for (size_t size = 0; size < sizeof text; ++size) {
        seen[size] = hash_bytes(1, text, size);
        for (size_t other = 0; other < size; ++other) {
            CHECK(seen[other] != seen[size]);
        }
    }
    char zeros[20] = {0};
    CHECK(hash_bytes(1, zeros, 7) != hash_bytes(1, zeros, 8));
    for (size_t i = 0; i < sizeof zeros; ++i) {
        uint64_t before = hash_bytes(1, zeros, sizeof zeros);
        zeros[i] = 1;
        CHECK(hash_bytes(1, zeros, sizeof zeros) != before);
        zeros[i] = 0;
    }
}

static void random_has_fixed_values(void) {
    random_stream r = random_seed(1);
    CHECK(random_u64(&r) == 0x3DBCFDA705671086u);
    CHECK(random_u64(&r) == 0x0AB4AF5795FEB865u);
    double sum = 0.0;
    int32_t hits[7] = {0};
    for (int i = 0; i < 70000; ++i) {
        float unit = random_unit(&r);
        CHECK(unit >= 0.0f && unit < 1.0f);
        sum += (double)unit;
        int32_t index = random_index(&r, 7);
        CHECK(index >= 0 && index < 7);
        hits[index]++;
        float x = random_range(&r, -2.0f, 3.0f);
        CHECK(x >= -2.0f && x <= 3.0f);
    }
    CHECK_NEAR(sum / 70000, 0.5, 0.005);
    for (int i = 0; i < 7; ++i) {
        CHECK_NEAR(hits[i], 10000, 500);
    }
}

static void results_have_names(void) {
    CHECK(strcmp(lim_result_name(LIM_OK), "LIM_OK") == 0);
    CHECK(strcmp(lim_result_name(LIM_ERROR_MEMORY), "LIM_ERROR_MEMORY") == 0);
    CHECK(strcmp(lim_result_name((lim_result)12345), "LIM_RESULT_UNKNOWN") == 0);
    CHECK(strcmp(lim_version(), "0.1.0") == 0);
}

static double fixed_clock(void* user) {
    return *(double*)user;
}

static void the_clock_is_the_hosts(void) {
    double time = 12.5;
    lim_host host = {.now = fixed_clock, .user = &time};
    CHECK(timer_now(&host) == 12.5);
    double first = timer_now(NULL);
    CHECK(timer_now(NULL) >= first);
}

TEST_SUITE(numbers) {
    TEST_BEGIN(argc, argv);
    RUN(sort_equals_insertion_sort);
    RUN(double_keys_keep_the_order);
    RUN(hash_has_fixed_values);
    RUN(random_has_fixed_values);
    RUN(results_have_names);
    RUN(the_clock_is_the_hosts);
    TEST_END();
}
