/* SPDX-License-Identifier: MIT
 * What the figures of trained detail say: the stretching problem, and stamps between two places.
 */
#include "bench/trained_figures.h"

#include "test.h"

static void only_regression_inverts_wrinkles(void) {
    trained_stretch s;
    CHECK(trained_stretch_measure(NULL, &s) == LIM_OK);
    CHECK_NEAR(s.regression_pressed, 1.0, 1e-5);
    CHECK_NEAR(s.ours_pressed, 1.0, 1e-5);
    CHECK_NEAR(s.regression_stretched, -1.0, 1e-5);
    CHECK(s.ours_stretched == 0.0);
}

/* Two bulges of radius r whose middles are d apart, each by half: by hand 1/2 (1 + exp(-(d / r)^2))
 * at each of them. */
static void only_stamps_go_along(void) {
    trained_between b;
    CHECK(trained_between_measure(NULL, &b) == LIM_OK);
    CHECK_NEAR(b.height[0], 0.5 * (1.0 + exp(-(0.16 / 0.06) * (0.16 / 0.06))), 0.02);
    CHECK_NEAR(b.off[0], 0.5, 0.06);
    CHECK(b.height[1] > 0.97 && b.height[1] < 1.001 && b.off[1] < 0.05);
}

TEST_SUITE(trained_figures) {
    TEST_BEGIN(argc, argv);
    RUN(only_regression_inverts_wrinkles);
    RUN(only_stamps_go_along);
    TEST_END();
}
