/* SPDX-License-Identifier: MIT
 * Meshes: cleaning, welding, parts, orientation, normals, failures.
 */
#include "mesh/surface.h"

#include "failing_host.h"
#include "mesh_shapes.h"

static lim_mesh_report report_of(shape* s) {
    lim_mesh* mesh = shape_mesh(s);
    lim_mesh_report report = lim_mesh_get_report(mesh);
    lim_mesh_destroy(mesh);
    return report;
}

static void a_box_is_closed_and_measured(void) {
    shape s = {0};
    shape_box(&s, 1, 2, 3, 3, 5, 7);
    lim_mesh_report r = report_of(&s);
    CHECK(r.closed && r.parts == 1 && r.open_edges == 0 && r.points == 8);
    CHECK(r.triangles_kept == 12 && r.vertices_unused == 0 && r.parts_flipped == 0);
    CHECK_NEAR(r.volume, 24.0, 1e-9);
    CHECK_NEAR(r.area, 52.0, 1e-9);
    CHECK_NEAR(r.bounds.lower.x, 1.0, 0.0);
    CHECK_NEAR(r.bounds.upper.z, 7.0, 0.0);
}

static void bad_triangles_are_dropped_and_counted(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 8);
    int32_t good = s.triangles;
    uint32_t nan = shape_vertex(&s, NAN, 0, 0), inf = shape_vertex(&s, 0, INFINITY, 0);
    uint32_t far = shape_vertex(&s, 0, 0, 1e26), a = shape_vertex(&s, 0.1, 0.2, 0.3);
    uint32_t b = shape_vertex(&s, 0.2, 0.4, 0.6), c = shape_vertex(&s, 0.3, 0.6, 0.9);
    shape_triangle(&s, nan, 0, 1);
    shape_triangle(&s, 0, inf, 1);
    shape_triangle(&s, 0, 1, far);
    shape_triangle(&s, a, b, c);
    shape_triangle(&s, a, a, b);
    shape_triangle(&s, s.index[1], s.index[2], s.index[0]);
    shape_vertex(&s, 1e6, 0, 0);
    lim_mesh_desc desc = shape_desc(&s);
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    lim_mesh_report r = lim_mesh_get_report(mesh);
    CHECK(r.dropped_non_finite == 3 && r.dropped_degenerate == 2 && r.dropped_duplicate == 1);
    CHECK(r.triangles_kept == good && r.closed && r.vertices_unused == 7);
    CHECK_NEAR(r.bounds.upper.x, 1.0, 1e-12); /* unused vertices do not count */
    lim_mesh_view view = lim_mesh_get_view(mesh);
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        CHECK(isfinite(view.positions[i].x) && isfinite(view.positions[i].y));
        const float* n = view.normals + 3 * i;
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-5);
    }
    CHECK(mesh->vertex_point[nan] == -1 && mesh->vertex_point[0] >= 0);
    lim_mesh_destroy(mesh);
    shape_free(&s);
}

static void needles_and_caps_stay(void) {
    shape s = {0};
    uint32_t a = shape_vertex(&s, 0, 0, 0), b = shape_vertex(&s, 1, 0, 0);
    uint32_t c = shape_vertex(&s, 1, 1e-12, 0), d = shape_vertex(&s, 0.5, 1e-12, 0);
    shape_triangle(&s, a, b, c);
    shape_triangle(&s, a, d, b);
    lim_mesh_report r = report_of(&s);
    CHECK(r.triangles_kept == 2 && r.dropped_degenerate == 0 && r.points == 4);
}

static void unwelded_corners_are_welded(void) {
    for (int jitter = 0; jitter < 2; ++jitter) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1, 10);
        int32_t points = s.vertices;
        shape_unweld(&s, jitter ? 1e-7 : 0.0);
        lim_mesh_report r = report_of(&s);
        CHECK(r.points == points && r.closed && r.parts == 1 && r.open_edges == 0);
    }
    /* Without welding each triangle is its own part. */
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 10);
    shape_unweld(&s, 1e-7);
    lim_mesh_desc desc = shape_desc(&s);
    desc.weld_distance = 0.0f;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    CHECK(lim_mesh_get_report(mesh).parts == s.triangles);
    lim_mesh_destroy(mesh);
    shape_free(&s);
}

static void welding_never_collapses_fine_detail(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1e6, 8);
    shape_sphere(&s, 3e6, 0, 0, 1e-3, 8); /* 1e-10 of the size: far below the weld distance */
    int32_t triangles = s.triangles, points = s.vertices;
    lim_mesh_report r = report_of(&s);
    CHECK(r.triangles_kept == triangles && r.points == points && r.closed && r.parts == 2);
}

static void sizes_from_tiny_to_huge_work(void) {
    const double scale[] = {1e-40, 1e-30, 1e-18, 1.0, 1e18, 1e30, 1e38};
    for (size_t i = 0; i < sizeof scale / sizeof *scale; ++i) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1, 8);
        shape_place(&s, scale[i], 0, 0, 0);
        lim_mesh* mesh = shape_mesh(&s);
        CHECK(mesh->report.closed && mesh->report.dropped_degenerate == 0);
        CHECK_NEAR(mesh->size / scale[i], 2.0, 1e-9);
        for (int32_t p = 0; p < mesh->point_count; ++p) {
            CHECK_NEAR(v3_length(mesh->point[p]), 0.5, 1e-6);
        }
        lim_mesh_destroy(mesh);
    }
}

static void inverted_parts_are_turned(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 8);
    int32_t one = s.triangles;
    shape_sphere(&s, 3, 0, 0, 1, 8);
    shape_flip(&s, one, s.triangles);
    double volume = 0.0;
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(mesh->report.parts == 2 && mesh->report.parts_flipped == 1 && mesh->report.closed);
    CHECK(mesh->part_volume[0] > 0.0 && mesh->part_volume[1] > 0.0);
    /* Turned inside only: the caller's corners keep their order. */
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        lim_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = mesh->point[mesh->triangle_point[3 * t + k]];
        }
        volume += (double)v3_dot(p[0], v3_cross(p[1], p[2])) / 6.0;
        bool same =
            mesh->vertex_point[mesh->triangle_vertex[3 * t + 1]] == mesh->triangle_point[3 * t + 1];
        CHECK(same == (t < one) || mesh->triangle_part[t] == 0);
    }
    CHECK_NEAR(volume * pow(mesh->size, 3), mesh->report.volume, 1e-4);
    lim_mesh_destroy(mesh);
}

static void randomly_flipped_triangles_become_consistent(void) {
    shape s = {0};
    shape_torus(&s, 1.0, 0.4, 24, 12);
    random_stream r = random_seed(3);
    for (int32_t t = 0; t < s.triangles; ++t) {
        if (random_unit(&r) < 0.4f) {
            shape_flip(&s, t, t + 1);
        }
    }
    lim_mesh_report report = report_of(&s);
    CHECK(report.closed);
    CHECK_NEAR(report.volume, 2.0 * SHAPE_PI * SHAPE_PI * 0.16, 0.2);
}

/* Volume of a sphere in a sphere, each turned as asked. */
static double nested_volume(bool outer_in, bool inner_in, int32_t* out_flipped) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 16);
    shape_flip(&s, 0, outer_in ? s.triangles : 0);
    int32_t one = s.triangles;
    shape_sphere(&s, 0.1, 0, 0, 0.5, 16);
    shape_flip(&s, one, inner_in ? s.triangles : one);
    lim_mesh_report r = report_of(&s);
    CHECK(r.closed && r.parts == 2);
    *out_flipped = r.parts_flipped;
    return r.volume;
}

static void cavities_stay_cavities(void) {
    int32_t flipped = 0;
    double one = 4.0 / 3.0 * SHAPE_PI;
    CHECK_NEAR(nested_volume(false, true, &flipped), one * 7.0 / 8.0, 0.15);
    CHECK(flipped == 0);
    CHECK_NEAR(nested_volume(true, false, &flipped), one * 7.0 / 8.0, 0.15);
    CHECK(flipped == 2);
    CHECK_NEAR(nested_volume(false, false, &flipped), one * 9.0 / 8.0, 0.15);
    CHECK(flipped == 0);
    CHECK_NEAR(nested_volume(true, true, &flipped), one * 9.0 / 8.0, 0.15);
    CHECK(flipped == 2);
}

static void two_faces_are_a_sheet_when_open_and_a_wall_when_closed(void) {
    shape s = {0};
    shape_sheet(&s, 4, 0.0);
    int32_t front = s.triangles;
    for (int32_t t = 0; t < front; ++t) {
        shape_triangle(&s, s.index[3 * t], s.index[3 * t + 2], s.index[3 * t + 1]);
    }
    lim_mesh* mesh = shape_mesh(&s);
    CHECK(mesh->triangle_count == 2 * front && mesh->part_closed[0]);
    CHECK_NEAR(mesh->part_volume[0], 0.0, 0.0);
    for (int32_t t = 0; t < front; ++t) {
        CHECK(mesh->triangle_point[3 * t + 1] == mesh->triangle_point[3 * (t + front) + 2]);
    }
    lim_mesh_destroy(mesh);
    shape_sphere(&s, 0, 0, 0, 1, 6);
    front = s.triangles;
    for (int32_t t = 0; t < front; ++t) {
        shape_triangle(&s, s.index[3 * t], s.index[3 * t + 2], s.index[3 * t + 1]);
    }
    mesh = shape_mesh(&s);
    CHECK(mesh->triangle_count == 2 * front && mesh->report.closed);
    CHECK(mesh->part_volume[0] > 0.1);
    for (int32_t t = 0; t < front; ++t) {
        CHECK(mesh->triangle_point[3 * t + 1] == mesh->triangle_point[3 * (t + front) + 1]);
    }
    lim_mesh_destroy(mesh);
}

static void edges_are_counted(void) {
    shape s = {0};
    shape_sheet(&s, 3, 0.0);
    lim_mesh_report r = report_of(&s);
    CHECK(r.open_edges == 12 && r.non_manifold_edges == 0 && !r.closed);
    uint32_t a = shape_vertex(&s, 0, 0, 0), b = shape_vertex(&s, 0, 0, 1);
    for (int k = 0; k < 5; ++k) {
        shape_triangle(&s, a, b, shape_vertex(&s, cos(k), sin(k), 0.5));
    }
    r = report_of(&s);
    CHECK(r.open_edges == 10 && r.non_manifold_edges == 1 && r.parts == 1);
}

static void normals_are_kept_or_computed(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 2, 12);
    float* normal = calloc((size_t)s.vertices, 3 * sizeof(float));
    normal[0] = 3.0f; /* the others are zero: computed */
    normal[3] = NAN;
    lim_mesh_desc desc = shape_desc(&s);
    desc.normals = normal;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    CHECK_NEAR(mesh->normal[0], 1.0, 1e-6);
    for (int32_t i = 1; i < mesh->vertex_count; ++i) {
        const double* p = s.position + 3 * i;
        CHECK_NEAR(mesh->normal[3 * i], p[0] / 2.0, 0.02);
        CHECK_NEAR(mesh->normal[3 * i + 2], p[2] / 2.0, 0.02);
    }
    lim_mesh_destroy(mesh);
    free(normal);
    shape_free(&s);
}

static void bad_calls_are_refused(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    lim_mesh* mesh = NULL;
    lim_mesh_desc desc = shape_desc(&s);
    CHECK(lim_mesh_create(NULL, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(lim_mesh_create(&desc, NULL, NULL) == LIM_ERROR_ARGUMENT);
    desc.cookie = 0;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_DESC);
    desc = shape_desc(&s);
    desc.weld_distance = NAN;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    desc = shape_desc(&s);
    desc.triangle_count = -1;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    desc.triangle_count = 0;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_MESH);
    desc = shape_desc(&s);
    desc.positions = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    desc = shape_desc(&s);
    int32_t submesh[12] = {0};
    submesh[5] = 1;
    desc.submeshes = submesh;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    desc.submesh_count = 2;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    CHECK(lim_mesh_get_view(mesh).submeshes[5] == 1);
    lim_mesh_destroy(mesh);
    s.index[4] = 8;
    desc = shape_desc(&s);
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(mesh == NULL);
    for (int32_t i = 0; i < 3 * s.triangles; ++i) {
        s.index[i] = 0;
    }
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_ERROR_MESH);
    lim_mesh_destroy(NULL);
    CHECK(lim_mesh_get_report(NULL).triangles == 0 && lim_mesh_get_view(NULL).vertex_count == 0);
    shape_free(&s);
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 24);
    shape_sphere(&s, 0, 0, 0, 0.5, 6);
    shape_unweld(&s, 1e-8);
    lim_mesh_desc desc = shape_desc(&s);
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_mesh* mesh = NULL;
        lim_result result = lim_mesh_create(&desc, &f.host, &mesh);
        done = result == LIM_OK;
        CHECK(done || (result == LIM_ERROR_MEMORY && mesh == NULL));
        lim_mesh_destroy(mesh);
        CHECK(f.held == 0);
        CHECK(n < 1000 && (!done || n > 5));
        done = done || n >= 1000;
    }
    shape_free(&s);
}

static void random_soups_do_no_harm(void) {
    random_stream r = random_seed(11);
    for (int round = 0; round < 200; ++round) {
        shape s = {0};
        int32_t vertices = 3 + random_index(&r, 20);
        for (int32_t i = 0; i < vertices; ++i) {
            /* Few different coordinates: duplicates, collinear and coincident corners abound. */
            double p[3];
            for (int k = 0; k < 3; ++k) {
                int32_t kind = random_index(&r, 40);
                p[k] = kind == 0 ? NAN : kind == 1 ? 1e30 : kind == 2 ? 1e-30 : kind % 4;
            }
            shape_vertex(&s, p[0], p[1], p[2]);
        }
        for (int32_t t = random_index(&r, 40) + 1; t > 0; --t) {
            shape_triangle(&s, (uint32_t)random_index(&r, vertices),
                           (uint32_t)random_index(&r, vertices),
                           (uint32_t)random_index(&r, vertices));
        }
        lim_mesh_desc desc = shape_desc(&s);
        lim_mesh* mesh = NULL;
        lim_result result = lim_mesh_create(&desc, NULL, &mesh);
        CHECK(result == LIM_OK || result == LIM_ERROR_MESH);
        if (result == LIM_OK) {
            lim_mesh_report p = mesh->report;
            CHECK(p.triangles == p.triangles_kept + p.dropped_degenerate + p.dropped_duplicate +
                                     p.dropped_non_finite);
            for (int32_t i = 0; i < mesh->point_count; ++i) {
                CHECK(fabsf(mesh->point[i].x) <= 0.5f && fabsf(mesh->point[i].y) <= 0.5f);
            }
        }
        lim_mesh_destroy(mesh);
        shape_free(&s);
    }
}

TEST_SUITE(surface) {
    TEST_BEGIN(argc, argv);
    RUN(a_box_is_closed_and_measured);
    RUN(bad_triangles_are_dropped_and_counted);
    RUN(needles_and_caps_stay);
    RUN(unwelded_corners_are_welded);
    RUN(welding_never_collapses_fine_detail);
    RUN(sizes_from_tiny_to_huge_work);
    RUN(inverted_parts_are_turned);
    RUN(randomly_flipped_triangles_become_consistent);
    RUN(cavities_stay_cavities);
    RUN(two_faces_are_a_sheet_when_open_and_a_wall_when_closed);
    RUN(edges_are_counted);
    RUN(normals_are_kept_or_computed);
    RUN(bad_calls_are_refused);
    RUN(every_failed_allocation_is_survived);
    RUN(random_soups_do_no_harm);
    TEST_END();
}
