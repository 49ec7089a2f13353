/* SPDX-License-Identifier: MIT
 * Bounding volumes: closest points, rays and boxes against brute force; refitting.
 */
#include "mesh/bvh.h"

#include "failing_host.h"
#include "mesh/triangle.h"
#include "mesh_shapes.h"

typedef struct soup {
    int32_t points, triangles;
    lim_vec3* point;
    int32_t* corner;
} soup;

/* Random triangles of all sizes; some without an area, some with coincident centres. */
static soup make_soup(uint64_t seed, int32_t triangles) {
    soup s = {.points = 3 * triangles, .triangles = triangles};
    random_stream r = random_seed(seed);
    s.point = calloc((size_t)s.points, sizeof(lim_vec3));
    s.corner = calloc((size_t)s.points, sizeof(int32_t));
    for (int32_t t = 0; t < triangles; ++t) {
        float size = t % 7 == 0 ? 0.5f : 0.02f;
        lim_vec3 at = v3(random_range(&r, -0.5f, 0.5f), random_range(&r, -0.5f, 0.5f),
                         random_range(&r, -0.5f, 0.5f));
        at = t % 11 == 0 ? v3(0.1f, 0.1f, 0.1f) : at;
        for (int k = 0; k < 3; ++k) {
            int32_t i = 3 * t + k;
            s.corner[i] = i;
            s.point[i] = v3_add(at, v3(random_range(&r, -size, size), random_range(&r, -size, size),
                                       random_range(&r, -size, size)));
        }
        if (t % 13 == 0) {
            s.point[3 * t + 2] = s.point[3 * t + 1];
        }
        if (t % 17 == 0) {
            s.point[3 * t + 1] = s.point[3 * t + 2] = s.point[3 * t];
        }
    }
    return s;
}

static void free_soup(soup* s) {
    free(s->point);
    free(s->corner);
}

/* An independent closest point: minimises over a fine walk of the triangle's own barycentrics. */
static double slow_distance(const soup* s, int32_t t, lim_vec3 at) {
    lim_point a = p3_of(s->point[3 * t]), b = p3_of(s->point[3 * t + 1]);
    lim_point c = p3_of(s->point[3 * t + 2]), q = p3_of(at);
    double u = 1.0 / 3, v = 1.0 / 3, best = INFINITY;
    for (double step = 0.5; step > 1e-7;) {
        double bu = u, bv = v;
        for (int k = 0; k < 9; ++k) {
            double nu = u + step * (k % 3 - 1), nv = v + step * (k / 3 - 1);
            nu = nu < 0 ? 0 : nu > 1 ? 1 : nu;
            nv = nv < 0 ? 0 : nv > 1 - nu ? 1 - nu : nv;
            lim_point p =
                p3_add(p3_scale(a, 1 - nu - nv), p3_add(p3_scale(b, nu), p3_scale(c, nv)));
            double d = p3_length(p3_sub(p, q));
            if (d < best) {
                best = d;
                bu = nu;
                bv = nv;
            }
        }
        if (bu == u && bv == v) {
            step *= 0.5;
        }
        u = bu;
        v = bv;
    }
    return best;
}

static void check_closest(const soup* s, const bvh* tree, random_stream* r, int count) {
    for (int i = 0; i < count; ++i) {
        lim_vec3 at = v3(random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1));
        double best = INFINITY;
        for (int32_t t = 0; t < s->triangles; ++t) {
            double w[3];
            double d = triangle_closest(p3_of(s->point[3 * t]), p3_of(s->point[3 * t + 1]),
                                        p3_of(s->point[3 * t + 2]), p3_of(at), w);
            best = d < best ? d : best;
        }
        bvh_hit hit = bvh_closest(tree, at, 10.0f);
        CHECK(hit.triangle >= 0);
        CHECK_NEAR(hit.distance, sqrt(best), 1e-6);
        CHECK_NEAR(v3_length(v3_sub(hit.point, at)), hit.distance, 1e-6);
        CHECK_NEAR(hit.weights[0] + hit.weights[1] + hit.weights[2], 1.0, 1e-6);
        CHECK(bvh_closest(tree, at, hit.distance * 0.99f).triangle == -1);
    }
}

static void closest_point_of_one_triangle_is_right(void) {
    soup s = make_soup(1, 200);
    random_stream r = random_seed(2);
    for (int32_t t = 0; t < s.triangles; ++t) {
        lim_vec3 at = v3(random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1));
        double w[3];
        double d = triangle_closest(p3_of(s.point[3 * t]), p3_of(s.point[3 * t + 1]),
                                    p3_of(s.point[3 * t + 2]), p3_of(at), w);
        CHECK_NEAR(sqrt(d), slow_distance(&s, t, at), 1e-5);
        CHECK(w[0] >= -1e-12 && w[1] >= -1e-12 && w[2] >= -1e-12);
    }
    free_soup(&s);
}

static void closest_equals_brute_force(void) {
    soup s = make_soup(5, 1500);
    arena a;
    arena_init(&a, NULL);
    bvh* tree = NULL;
    CHECK(bvh_build(&a, s.point, s.corner, s.triangles, &tree) == LIM_OK);
    random_stream r = random_seed(6);
    check_closest(&s, tree, &r, 300);
    CHECK(bvh_closest(tree, v3(NAN, 0, 0), 1.0f).triangle == -1);
    arena_release(&a);
    free_soup(&s);
}

typedef struct visits {
    uint8_t* seen;
    int32_t count, stop;
} visits;

static bool count_visit(void* user, int32_t triangle) {
    visits* v = user;
    v->seen[triangle]++;
    return ++v->count != v->stop;
}

static void boxes_equal_brute_force(void) {
    soup s = make_soup(12, 800);
    arena a;
    arena_init(&a, NULL);
    bvh* tree = NULL;
    CHECK(bvh_build(&a, s.point, s.corner, s.triangles, &tree) == LIM_OK);
    random_stream r = random_seed(13);
    visits v = {.seen = calloc((size_t)s.triangles, 1)};
    for (int i = 0; i < 100; ++i) {
        lim_vec3 p = v3(random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1));
        lim_vec3 q = v3(random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1));
        lim_vec3 lower = v3_min(p, q), upper = v3_max(p, q);
        memset(v.seen, 0, (size_t)s.triangles);
        v.count = 0;
        v.stop = 0;
        bvh_visit(tree, lower, upper, count_visit, &v);
        for (int32_t t = 0; t < s.triangles; ++t) {
            lim_vec3 low = v3_min(v3_min(s.point[3 * t], s.point[3 * t + 1]), s.point[3 * t + 2]);
            lim_vec3 high = v3_max(v3_max(s.point[3 * t], s.point[3 * t + 1]), s.point[3 * t + 2]);
            bool meets = low.x <= upper.x && high.x >= lower.x && low.y <= upper.y &&
                         high.y >= lower.y && low.z <= upper.z && high.z >= lower.z;
            CHECK(v.seen[t] == (meets ? 1 : 0));
        }
        if (v.count > 3) {
            v.count = 0;
            v.stop = 3;
            bvh_visit(tree, lower, upper, count_visit, &v);
            CHECK(v.count == 3);
        }
    }
    free(v.seen);
    arena_release(&a);
    free_soup(&s);
}

static void coincident_triangles_and_none_at_all_work(void) {
    soup s = {.points = 3 * 5000, .triangles = 5000};
    s.point = calloc((size_t)s.points, sizeof(lim_vec3));
    s.corner = calloc((size_t)s.points, sizeof(int32_t));
    for (int32_t i = 0; i < s.points; ++i) {
        s.corner[i] = i;
        s.point[i] = v3(0.1f * (float)(i % 3), 0.1f * (float)(i % 3 == 1), 0);
    }
    arena a;
    arena_init(&a, NULL);
    bvh* tree = NULL;
    CHECK(bvh_build(&a, s.point, s.corner, s.triangles, &tree) == LIM_OK);
    CHECK_NEAR(bvh_closest(tree, v3(0, 0, 1), 2.0f).distance, 1.0, 1e-6);
    CHECK(bvh_closest(tree, v3(0, 0, 1), 2.0f).triangle == 0);
    CHECK(bvh_build(&a, s.point, s.corner, 0, &tree) == LIM_OK);
    CHECK(bvh_closest(tree, v3(0, 0, 1), 2.0f).triangle == -1);
    arena_release(&a);
    free_soup(&s);
}

/* Those that are sound are found beside others that are not. */
static void places_beyond_floats_do_no_harm(void) {
    const float wild[4] = {INFINITY, -INFINITY, 3e38f, -3e38f};
    soup s = make_soup(7, 3000);
    random_stream r = random_seed(8);
    for (int i = 0; i < 300; ++i) {
        lim_vec3* at = &s.point[3 * (1500 + random_index(&r, 1500))];
        *at = v3(wild[random_index(&r, 4)], wild[random_index(&r, 4)], at->z);
    }
    arena a;
    arena_init(&a, NULL);
    bvh* tree = NULL;
    CHECK(bvh_build(&a, s.point, s.corner, s.triangles, &tree) == LIM_OK);
    uint8_t* seen = calloc((size_t)s.triangles, 1);
    visits v = {.seen = seen};
    bvh_visit(tree, v3(-2, -2, -2), v3(2, 2, 2), count_visit, &v);
    for (int32_t t = 0; t < 1500; ++t) {
        CHECK(seen[t]);
    }
    free(seen);
    arena_release(&a);
    free_soup(&s);
}

static void every_failed_allocation_is_survived(void) {
    soup s = make_soup(3, 2000);
    bool done = false;
    for (int64_t n = 0; !done && n < 100; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        bvh* tree = NULL;
        lim_result result = bvh_build(&a, s.point, s.corner, s.triangles, &tree);
        done = result == LIM_OK;
        CHECK(done ? tree != NULL : result == LIM_ERROR_MEMORY && tree == NULL);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(done);
    free_soup(&s);
}

TEST_SUITE(bvh) {
    TEST_BEGIN(argc, argv);
    RUN(closest_point_of_one_triangle_is_right);
    RUN(closest_equals_brute_force);
    RUN(boxes_equal_brute_force);
    RUN(coincident_triangles_and_none_at_all_work);
    RUN(places_beyond_floats_do_no_harm);
    RUN(every_failed_allocation_is_survived);
    TEST_END();
}
