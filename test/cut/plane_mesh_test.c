/* SPDX-License-Identifier: MIT
 * Triangulations of one triangle: areas add up, neighbours agree, walls are there.
 */
#include "cut/plane_mesh.h"

#include "base/random.h"
#include "failing_host.h"
#include "test.h"

static double area_of(const plane_mesh* m) {
    double sum = 0.0;
    for (int32_t h = 0; h < m->corner.count; h += 3) {
        const double* a = m->point.data[m->corner.data[h]].at;
        const double* b = m->point.data[m->corner.data[h + 1]].at;
        const double* c = m->point.data[m->corner.data[h + 2]].at;
        double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        CHECK(m->turn * area > -1e-15);
        sum += area;
    }
    return sum;
}

static void check_mesh(const plane_mesh* m, int32_t border) {
    int32_t inner = m->point.count - border, open = 0;
    CHECK(m->corner.count / 3 == border - 2 + 2 * inner);
    for (int32_t h = 0; h < m->corner.count; ++h) {
        int32_t mate = m->mate.data[h];
        open += mate < 0;
        if (mate >= 0) {
            CHECK(m->mate.data[mate] == h);
            CHECK(m->corner.data[mate] == m->corner.data[plane_next(h)]);
            CHECK((m->wall.data[h] != 0) == (m->wall.data[mate] != 0));
        }
    }
    CHECK(open == border);
    for (int32_t p = 0; p < m->point.count; ++p) {
        CHECK(m->corner.data[m->at.data[p]] == p);
    }
}

/* Random points, and a path of walls through all of them in order of x, which cannot cross itself.
 */
static bool one(plane_mesh* m, random_stream* r, int32_t sides, int32_t inner, bool mirrored) {
    double border[64][2];
    const double corner[3][2] = {{0, 0}, {1, 0.1}, {0.2, 1}};
    int32_t first[3], count = 0;
    for (int k = 0; k < 3; ++k) {
        first[k] = count;
        int from = mirrored ? (3 - k) % 3 : k, to = mirrored ? (2 - k) % 3 : (k + 1) % 3;
        for (int32_t i = 0; i <= sides; ++i) {
            double t = (double)i / (sides + 1);
            border[count][0] = corner[from][0] + t * (corner[to][0] - corner[from][0]);
            border[count++][1] = corner[from][1] + t * (corner[to][1] - corner[from][1]);
        }
    }
    if (!plane_mesh_begin(m, (const double(*)[2])border, count, first)) {
        return false;
    }
    int32_t before = -1;
    for (int32_t i = 0; i < inner; ++i) {
        double u = 0.1 + 0.8 * (i + 0.5) / inner, v = 0.05 + 0.9 * (double)random_unit(r);
        double at[2] = {0.2 + 0.5 * u, 0.15 + 0.3 * v};
        int32_t p = plane_mesh_insert(m, at);
        if (p < 0) {
            return false;
        }
    }
    for (int32_t p = count; p < m->point.count; ++p) {
        if (before >= 0 && !plane_mesh_wall(m, before, p, p)) {
            return false;
        }
        before = p;
    }
    plane_mesh_smooth(m);
    if (m->memory_failed) {
        return false;
    }
    check_mesh(m, count);
    CHECK_NEAR(fabs(area_of(m)), 0.5 * 0.98, 1e-12);
    int32_t walls = 0;
    for (int32_t h = 0; h < m->wall.count; ++h) {
        walls += m->wall.data[h] > 0;
    }
    CHECK(walls == (inner > 0 ? inner - 1 : 0));
    return true;
}

static void random_points(void) {
    lim_host host = mem_host(NULL);
    plane_mesh m = {.host = &host};
    random_stream r = random_seed(4);
    for (int32_t i = 0; i < 400; ++i) {
        CHECK(one(&m, &r, random_index(&r, 6), random_index(&r, 60), i % 2 == 1));
    }
    plane_mesh_free(&m);
}

static void memory_runs_out(void) {
    for (int64_t fail = 0;; ++fail) {
        failing_host f;
        failing_host_arm(&f, fail);
        plane_mesh m = {.host = &f.host};
        random_stream r = random_seed(4);
        bool ok = one(&m, &r, 3, 40, false);
        plane_mesh_free(&m);
        CHECK(f.held == 0);
        if (ok) {
            CHECK(fail > 5);
            break;
        }
        CHECK(m.memory_failed);
    }
}

/* Two walls that cross, a point twice: no, but no harm either. */
static void contradictions(void) {
    lim_host host = mem_host(NULL);
    plane_mesh m = {.host = &host};
    const double border[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    const int32_t first[3] = {0, 1, 2};
    const double at[4][2] = {{0.1, 0.1}, {0.4, 0.4}, {0.1, 0.4}, {0.4, 0.1}};
    CHECK(plane_mesh_begin(&m, border, 3, first));
    for (int k = 0; k < 4; ++k) {
        CHECK(plane_mesh_insert(&m, at[k]) == 3 + k);
    }
    CHECK(plane_mesh_wall(&m, 3, 4, 0));
    CHECK(!plane_mesh_wall(&m, 5, 6, 1));
    CHECK(!m.memory_failed);
    CHECK(plane_mesh_insert(&m, at[0]) == -1);
    const double outside[2] = {1.0, 1.0};
    CHECK(plane_mesh_insert(&m, outside) == -1);
    plane_mesh_free(&m);
}

TEST_SUITE(plane_mesh) {
    TEST_BEGIN(argc, argv);
    RUN(random_points);
    RUN(memory_runs_out);
    RUN(contradictions);
    TEST_END();
}
