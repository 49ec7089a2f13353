/* SPDX-License-Identifier: MIT
 * The patch test on real samplings: blended regions move no goal by more than 1 % of a cell inside
 * an evenly deformed body, and 2 % across a change of cell sizes; blocks as printed do, so the test
 * can see them. `long`: every width from 1 to 8 cells at more shifts of the tree.
 */
#include "test.h"

#include "bench/patch_test.h"
#include "failing_host.h"

#include <string.h>

static double worst(patch_regions kind, double width, bool even, int32_t jump, int32_t shifts) {
    double off = 0.0;
    CHECK(patch_worst(kind, width, even, jump, shifts, NULL, &off) == LIM_OK);
    printf("     width %g%s%s: %.5f\n", width, even ? " in finest cells" : "",
           jump > 0 ? " across a jump" : "", off);
    return off;
}

static void blended_regions_leave_no_print(void) {
    for (int width = 1; width <= 3; ++width) {
        CHECK(worst(PATCH_BLENDED, width, false, 0, 3) <= 0.01);
    }
    CHECK(worst(PATCH_BLENDED, 1.5, false, 0, 3) <= 0.01);
}

static void jumps_move_goals_little(void) {
    CHECK(worst(PATCH_BLENDED, 1.0, false, 1, 2) <= 0.02);
    CHECK(worst(PATCH_BLENDED, 2.0, true, 1, 2) <= 0.02);
}

static void blocks_leave_a_print(void) {
    CHECK(worst(PATCH_INTERVAL, 1.5, false, 0, 1) > 0.04);
    CHECK(worst(PATCH_BALLS, 1.5, false, 0, 1) <= 0.01);
}

static void plates_have_an_interior(void) {
    for (int32_t shift = 0; shift < 4; ++shift) {
        patch_plan plan = patch_plate(PATCH_BLENDED, 1.0, false, 1, shift);
        patch_result r;
        CHECK(patch_test(&plan, NULL, &r) == LIM_OK);
        CHECK(r.sizes == 2 && r.inside > 100 && r.inside < r.nodes);
    }
}

static void failures_leak_nothing(void) {
    for (patch_regions kind = PATCH_INTERVAL; kind <= PATCH_BLENDED; ++kind) {
        patch_plan plan = {.kind = kind, .cells = {6, 6, 2}, .width = 1.0, .margin = 1.0};
        for (int n = 0;; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            patch_result r;
            lim_result result = patch_test(&plan, &f.host, &r);
            CHECK(f.held == 0);
            if (result == LIM_OK) {
                CHECK(n > 10 && r.nodes == 72);
                break;
            }
            CHECK(result == LIM_ERROR_MEMORY);
        }
    }
}

static void every_width_at_many_shifts(void) {
    for (int width = 1; width <= 8; ++width) {
        CHECK(worst(PATCH_BLENDED, width, false, 0, 6) <= 0.01);
    }
    /* a width that doubles with the cells from one to the next is a change of its own: narrow
     * regions only */
    for (int width = 1; width <= 2; ++width) {
        CHECK(worst(PATCH_BLENDED, width, false, 1, 6) <= 0.02);
    }
    for (int width = 2; width <= 8; ++width) {
        CHECK(worst(PATCH_BLENDED, width, true, 1, 4) <= 0.02);
    }
}

TEST_SUITE(patch) {
    TEST_BEGIN(argc, argv);
    if (test_long) {
        RUN(every_width_at_many_shifts);
    } else {
        RUN(blended_regions_leave_no_print);
        RUN(jumps_move_goals_little);
        RUN(blocks_leave_a_print);
        RUN(plates_have_an_interior);
        RUN(failures_leak_nothing);
    }
    TEST_END();
}
