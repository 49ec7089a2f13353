/* SPDX-License-Identifier: MIT
 * Winding numbers against the sum of all solid angles.
 */
#include "mesh/winding.h"

#include "failing_host.h"
#include "mesh_shapes.h"

static double slow_number(const lim_mesh* mesh, lim_vec3 at) {
    double sum = 0.0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = p3_sub(p3_of(mesh->point[mesh->triangle_point[3 * t + k]]), p3_of(at));
        }
        double a = p3_length(p[0]), b = p3_length(p[1]), c = p3_length(p[2]);
        double det = p3_dot(p[0], p3_cross(p[1], p[2]));
        sum += 2.0 * atan2(det, a * b * c + p3_dot(p[0], p[1]) * c + p3_dot(p[1], p[2]) * a +
                                    p3_dot(p[2], p[0]) * b);
    }
    return sum / (4.0 * SHAPE_PI);
}

/* Compares at random places; returns the largest difference. */
static double compare(const lim_mesh* mesh, uint64_t seed) {
    arena a;
    arena_init(&a, NULL);
    winding* w = NULL;
    CHECK(winding_build(&a, mesh, &w) == LIM_OK);
    random_stream r = random_seed(seed);
    double worst = 0.0, squares = 0.0;
    for (int i = 0; i < 2000; ++i) {
        lim_vec3 at = v3(random_range(&r, -0.7f, 0.7f), random_range(&r, -0.7f, 0.7f),
                         random_range(&r, -0.7f, 0.7f));
        double difference = fabs((double)winding_number(w, at) - slow_number(mesh, at));
        worst = difference > worst ? difference : worst;
        squares += difference * difference;
    }
    arena_release(&a);
    CHECK(sqrt(squares / 2000.0) < 0.02);
    return worst;
}

static void closed_sphere(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 20);
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(compare(mesh, 1) < 0.05);
    arena a;
    arena_init(&a, NULL);
    winding* w = NULL;
    CHECK(winding_build(&a, mesh, &w) == LIM_OK);
    random_stream r = random_seed(2);
    for (int i = 0; i < 2000; ++i) {
        lim_vec3 at = v3(random_range(&r, -0.7f, 0.7f), random_range(&r, -0.7f, 0.7f),
                         random_range(&r, -0.7f, 0.7f));
        float radius = v3_length(at);
        if (radius < 0.49f || radius > 0.501f) {
            CHECK_NEAR(winding_number(w, at), radius < 0.495f ? 1.0 : 0.0, 0.05);
        }
        CHECK(winding_cost(w, at) < mesh->triangle_count / 2);
    }
    arena_release(&a);
    lim_mesh_destroy(mesh);
}

static void open_sphere(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 20);
    shape_holes(&s, 5);
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(!mesh->report.closed);
    CHECK(compare(mesh, 3) < 0.05);
    lim_mesh_destroy(mesh);
}

static void half_a_sphere(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 20);
    int32_t kept = 0;
    for (int32_t t = 0; t < s.triangles; ++t) {
        if (s.position[3 * s.index[3 * t] + 2] <= 0.01) {
            memmove(s.index + 3 * kept++, s.index + 3 * t, 3 * sizeof(uint32_t));
        }
    }
    s.triangles = kept;
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(compare(mesh, 4) < 0.05);
    lim_mesh_destroy(mesh);
}

static void flipped_sphere_is_turned(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 16);
    shape_flip(&s, 0, s.triangles);
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(compare(mesh, 5) < 0.05);
    CHECK_NEAR(slow_number(mesh, v3(0, 0, 0)), 1.0, 1e-5);
    lim_mesh_destroy(mesh);
}

static void doubled_sphere_counts_twice(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 12);
    int32_t one = s.triangles;
    for (int32_t t = 0; t < one; ++t) { /* the other side of each triangle too */
        shape_triangle(&s, s.index[3 * t], s.index[3 * t + 2], s.index[3 * t + 1]);
    }
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(compare(mesh, 6) < 0.1);
    CHECK_NEAR(slow_number(mesh, v3(0, 0, 0)), 2.0, 1e-5);
    lim_mesh_destroy(mesh);
}

static void soup_of_triangles(void) {
    shape s = {0};
    random_stream r = random_seed(7);
    for (int i = 0; i < 300; ++i) {
        uint32_t v[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = shape_vertex(&s, (double)random_unit(&r), (double)random_unit(&r),
                                (double)random_unit(&r));
        }
        shape_triangle(&s, v[0], v[1], v[2]);
    }
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(compare(mesh, 8) < 0.05);
    lim_mesh_destroy(mesh);
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 16);
    lim_mesh* mesh = shape_mesh(&s);
    bool done = false;
    for (int64_t n = 0; !done && n < 100; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        winding* w = NULL;
        lim_result result = winding_build(&a, mesh, &w);
        done = result == LIM_OK;
        CHECK(done ? w != NULL : result == LIM_ERROR_MEMORY && w == NULL);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(done);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(winding) {
    TEST_BEGIN(argc, argv);
    RUN(closed_sphere);
    RUN(open_sphere);
    RUN(half_a_sphere);
    RUN(flipped_sphere_is_turned);
    RUN(doubled_sphere_counts_twice);
    RUN(soup_of_triangles);
    RUN(every_failed_allocation_is_survived);
    TEST_END();
}
