/* SPDX-License-Identifier: MIT
 * Nearest points against brute force, with equal distances and equal points.
 */
#include "mesh/nearest.h"

#include "base/random.h"
#include "failing_host.h"
#include "test.h"

static double distance2(lim_vec3 a, lim_vec3 b) {
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
    double z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z;
}

/* How many points come before (d2, number). */
static int32_t rank_of(const lim_vec3* point, int32_t count, lim_vec3 at, nearest_found f) {
    int32_t before = 0;
    for (int32_t i = 0; i < count; ++i) {
        double d2 = distance2(point[i], at);
        before += d2 < f.distance2 || (d2 == f.distance2 && i < f.point);
    }
    return before;
}

static void finds_what_brute_force_finds(void) {
    random_stream r = random_seed(7);
    for (int round = 0; round < 40; ++round) {
        int32_t count = 1 + random_index(&r, round < 20 ? 40 : 3000);
        int32_t grid = round % 3 == 0 ? 4 : 0; /* many at one place, many equally far */
        lim_vec3* point = calloc((size_t)count, sizeof *point);
        for (int32_t i = 0; i < count; ++i) {
            float p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = grid > 0 ? 0.25f * (float)random_index(&r, grid)
                                : random_range(&r, -0.5f, 0.5f);
            }
            point[i] = v3(p[0], p[1], round % 5 == 4 ? 0.0f : p[2]);
        }
        arena a;
        arena_init(&a, NULL);
        nearest_tree tree;
        CHECK(nearest_build(&a, point, count, &tree) == LIM_OK);
        for (int q = 0; q < 50; ++q) {
            lim_vec3 at = v3(random_range(&r, -1.0f, 1.0f), random_range(&r, -1.0f, 1.0f),
                             q % 2 ? 0.25f : random_range(&r, -1.0f, 1.0f));
            at = q % 7 == 0 ? point[random_index(&r, count)] : at;
            int32_t want = 1 + random_index(&r, NEAREST_MOST);
            nearest_found found[NEAREST_MOST];
            int32_t n = nearest_find(&tree, at, want, found);
            CHECK(n == (want < count ? want : count));
            for (int32_t i = 0; i < n; ++i) {
                CHECK(found[i].distance2 == distance2(point[found[i].point], at));
                CHECK(rank_of(point, count, at, found[i]) == i);
            }
        }
        arena_release(&a);
        free(point);
    }
}

static void failures_leak_nothing(void) {
    static lim_vec3 point[3000];
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        nearest_tree tree;
        lim_result result = nearest_build(&a, point, 3000, &tree);
        arena_release(&a);
        CHECK(f.held == 0 && (result == LIM_OK || result == LIM_ERROR_MEMORY));
        if (result == LIM_OK) {
            break;
        }
    }
}

TEST_SUITE(nearest) {
    TEST_BEGIN(argc, argv);
    RUN(finds_what_brute_force_finds);
    RUN(failures_leak_nothing);
    TEST_END();
}
