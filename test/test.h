/* SPDX-License-Identifier: MIT
 * A test kit of one header. A suite is a file:
 *     static void sums_equal_brute_force(void) { CHECK(a == b); CHECK_NEAR(x, y, 1e-6); }
 *     TEST_SUITE(sums) { TEST_BEGIN(argc, argv); RUN(sums_equal_brute_force); TEST_END(); }
 * The suites of a folder are one program (limber_test in CMake, suites.c.in): `test_core` runs all
 * of them, `test_core sums` one, `test_core sums NAME` those of its tests whose name contains NAME.
 * The last line says how many passed and failed, each test's own line how long it took.
 * `test_core sums long [NAME]` sets test_long: a test that makes the same claim of many cases takes
 * a share of them, and all when it is set (LONG in CMake).
 */
#ifndef LIMBER_TEST_H
#define LIMBER_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int test_passed, test_failed, test_failures_here;
static const char* test_filter = "";
static bool test_long;
/* The thread sanitizer looks for races: under it a program runs what has several workers alone. */
#if defined(__SANITIZE_THREAD__)
enum { TEST_RACES = 1 };
#else
enum { TEST_RACES = 0 };
#endif

/* Under a sanitizer a test may take fewer of many cases that are alike. */
#if defined(LIMBER_SANITIZED)
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

static inline double test_clock(void) {
    struct timespec now;
    return timespec_get(&now, TIME_UTC) == 0 ? 0.0
                                             : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The function that a program of suites calls; argv[0] is the suite's name. */
#define TEST_SUITE(name)                                                                           \
    int suite_##name(int argc, char** argv);                                                       \
    int suite_##name(int argc, char** argv)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            test_failures_here++;                                                                  \
            if (test_failures_here <= 10) {                                                        \
                printf("  %s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                 \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* |a - b| <= tolerance; fails for NaN. */
#define CHECK_NEAR(a, b, tolerance)                                                                \
    do {                                                                                           \
        double test_a_ = (double)(a), test_b_ = (double)(b);                                       \
        if (!(fabs(test_a_ - test_b_) <= (double)(tolerance))) {                                   \
            test_failures_here++;                                                                  \
            if (test_failures_here <= 10) {                                                        \
                printf("  %s:%d: %s = %.9g, %s = %.9g, differ by more than %g\n", __FILE__,        \
                       __LINE__, #a, test_a_, #b, test_b_, (double)(tolerance));                   \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define RUN(test)                                                                                  \
    do {                                                                                           \
        if (strstr(#test, test_filter) != NULL) {                                                  \
            double test_start_ = test_clock();                                                     \
            test_failures_here = 0;                                                                \
            test();                                                                                \
            printf("%s %s (%.2f s)\n", test_failures_here == 0 ? "ok  " : "FAIL", #test,           \
                   test_clock() - test_start_);                                                    \
            fflush(stdout);                                                                        \
            test_failures_here == 0 ? test_passed++ : test_failed++;                               \
        }                                                                                          \
    } while (0)

#define TEST_BEGIN(argc, argv)                                                                     \
    do {                                                                                           \
        test_long = (argc) > 1 && strcmp((argv)[1], "long") == 0;                                  \
        test_filter = (argc) > 1 + test_long ? (argv)[1 + test_long] : "";                         \
    } while (0)
#define TEST_END()                                                                                 \
    do {                                                                                           \
        printf("%d passed, %d failed\n", test_passed, test_failed);                                \
        return test_failed == 0 && test_passed > 0 ? 0 : 1;                                        \
    } while (0)

#endif
