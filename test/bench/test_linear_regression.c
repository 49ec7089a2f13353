/* SPDX-License-Identifier: MIT
 * Linear regression: gives examples back, and of the opposite deformation the inverted detail,
 * where the correlation of detail/correlate.h gives none.
 */
#include "bench/linear_regression.h"
#include "detail/correlate.h"

#include "base/random.h"
#include "failing_host.h"
#include "test.h"

enum { COUNT = 12, WIDTH = 48 };

static void make(float u[COUNT][WIDTH]) {
    random_stream r = random_seed(6);
    for (int i = 0; i < COUNT * WIDTH; ++i) {
        u[i / WIDTH][i % WIDTH] = random_range(&r, -1, 1) + (i % WIDTH < 8 ? 1.0f : 0.0f);
    }
}

static void linear_regression_gives_examples_back(void) {
    float u[COUNT][WIDTH];
    arena scratch;
    lim_host host = mem_host(NULL);
    arena_init(&scratch, &host);
    make(u);
    for (int32_t k = 0; k < COUNT; ++k) {
        double w[COUNT];
        CHECK(linear_regression(&scratch, u[0], COUNT, WIDTH, 1e-13, u[k], w) == LIM_OK);
        for (int32_t i = 0; i < COUNT; ++i) {
            CHECK_NEAR(w[i], i == k, 1e-6);
        }
    }
    arena_release(&scratch);
}

static void it_inverts_wrinkles_and_correlation_does_not(void) {
    float u[COUNT][WIDTH], size[1], room[1], w[1], opposite[WIDTH], way[WIDTH];
    double linear[1], square = 0.0;
    arena scratch;
    lim_host host = mem_host(NULL);
    arena_init(&scratch, &host);
    make(u);
    for (int i = 0; i < WIDTH; ++i) {
        square += (double)u[0][i] * (double)u[0][i];
    }
    size[0] = (float)sqrt(square);
    for (int i = 0; i < WIDTH; ++i) {
        opposite[i] = -u[0][i];
        way[i] = u[0][i] / size[0];
    }
    const detail_examples e = {1, WIDTH, way, size, 0.5f, DETAIL_TAU, 1};
    CHECK(linear_regression(&scratch, u[0], 1, WIDTH, 1e-12, opposite, linear) == LIM_OK);
    detail_correlate(isa_best(), &e, opposite, size[0], room, w);
    CHECK_NEAR(linear[0], -1.0, 1e-6);
    CHECK(w[0] == 0.0f);
    arena_release(&scratch);
}

/* The same example twice: half each. */
static void dependent_examples_share(void) {
    float u[COUNT][WIDTH];
    double w[2];
    failing_host f;
    failing_host_arm(&f, -1);
    arena scratch;
    arena_init(&scratch, &f.host);
    make(u);
    memcpy(u[1], u[0], sizeof u[0]);
    CHECK(linear_regression(&scratch, u[0], 2, WIDTH, 1e-6, u[0], w) == LIM_OK);
    CHECK_NEAR(w[0], 0.5, 1e-4);
    CHECK_NEAR(w[1], 0.5, 1e-4);
    arena_release(&scratch);
    failing_host_arm(&f, 0);
    arena_init(&scratch, &f.host);
    CHECK(linear_regression(&scratch, u[0], 2, WIDTH, 1e-6, u[0], w) == LIM_ERROR_MEMORY);
    arena_release(&scratch);
    CHECK(f.held == 0);
}

TEST_SUITE(linear_regression) {
    TEST_BEGIN(argc, argv);
    RUN(linear_regression_gives_examples_back);
    RUN(it_inverts_wrinkles_and_correlation_does_not);
    RUN(dependent_examples_share);
    TEST_END();
}
