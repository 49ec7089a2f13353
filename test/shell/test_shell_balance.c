/* SPDX-License-Identifier: MIT
 * The whole shell: derivatives, sheets and tubes by hand, rigid motion, holds, what is refused.
 */
#include "shell/shell_parts.h"

#include "base/hash.h"
#include "base/random.h"
#include "failing_host.h"
#include "math/quat.h"
#include "shell_kit.h"
#include "test.h"

static shell* make(const shell_desc* d) {
    shell* s = NULL;
    CHECK(shell_create(d, NULL, &s) == LIM_OK);
    return s;
}

static void disturb(lim_point* x, int32_t count, double size, uint64_t seed) {
    random_stream r = random_seed(seed);
    for (int32_t i = 0; i < count; ++i) {
        x[i] = p3_add(x[i], p3(size * (double)random_range(&r, -1, 1),
                               size * (double)random_range(&r, -1, 1),
                               size * (double)random_range(&r, -1, 1)));
    }
}

static lim_point* copy_of(const kit_surface* k) {
    lim_point* x = calloc((size_t)k->vertices, sizeof *x);
    memcpy(x, k->x, (size_t)k->vertices * sizeof *x);
    return x;
}

static double* number(lim_point* x, int32_t i) {
    return i % 3 == 0 ? &x[i / 3].x : i % 3 == 1 ? &x[i / 3].y : &x[i / 3].z;
}

/* With pressure, bulk and loads, far from rest. */
static void the_gradient_is_the_slope_of_the_energy(void) {
    kit_surface k = kit_tube(3, 6, 0.5, 0.4);
    shell_desc d = kit_desc(&k);
    d.youngs_modulus = 1000.0;
    d.thickness = 0.05;
    shell* s = make(&d);
    lim_point *x = copy_of(&k), *g = copy_of(&k), load[32] = {{0, 0, 0}};
    disturb(x, k.vertices, 0.05, 1);
    disturb(load, k.vertices, 3.0, 2);
    shell_pose pose = shell_pose_default();
    pose.pressure = 5.0;
    pose.bulk = 20.0;
    pose.fill = 0.9;
    pose.load = load;
    double spring[32];
    for (int32_t i = 0; i < k.vertices; ++i) {
        spring[i] = 10.0 * (i % 3);
    }
    pose.spring = spring;
    pose.anchor = k.x;
    (void)shell_energy(s, &pose, x, g);
    for (int32_t i = 0; i < 3 * k.vertices; ++i) {
        double *c = number(x, i), at = *c, h = 1e-5;
        *c = at + h;
        double above = shell_energy(s, &pose, x, NULL).total;
        *c = at - h;
        double below = shell_energy(s, &pose, x, NULL).total;
        *c = at;
        CHECK_NEAR(*number(g, i), (above - below) / (2 * h), 2e-6);
    }
    free(x);
    free(g);
    kit_free(&k);
    shell_destroy(s);
}

/* Where hinges are at their rest angles nothing is left out: the matrix, unprojected, times any way
 * is the change of the gradient. */
static void the_matrix_is_the_slope_of_the_gradient(void) {
    kit_surface k = kit_tube(3, 6, 0.5, 0.4);
    shell_desc d = kit_desc(&k);
    d.youngs_modulus = 1000.0;
    d.thickness = 0.05;
    shell* s = make(&d);
    int32_t n = k.vertices;
    lim_point *x = copy_of(&k), *above = copy_of(&k), *below = copy_of(&k), *way = copy_of(&k);
    for (int32_t i = 0; i < n; ++i) {
        x[i] = p3_scale(x[i], 1.1); /* stretched, and no angle changed */
    }
    memset(way, 0, (size_t)n * sizeof *way);
    disturb(way, n, 1.0, 3);
    shell_pose pose = shell_pose_default();
    pose.pressure = 5.0;
    pose.bulk = 20.0;
    pose.fill = 0.9;
    double spring[32];
    for (int32_t i = 0; i < n; ++i) {
        spring[i] = 10.0 * (i % 3);
    }
    pose.spring = spring;
    pose.anchor = k.x;
    shell_terms now = shell_energy(s, &pose, x, NULL);
    shell_assemble(s, &pose, x, MEMBRANE_WHOLE, now.pressure);
    block_matrix_apply(&s->matrix, 0.0, way, s->trial);
    block_rank bulk = shell_bulk(s, &pose);
    double h = 1e-6, along = bulk.scale * block_dot(bulk.v, way, n);
    for (int32_t i = 0; i < n; ++i) {
        x[i] = p3_mad(x[i], way[i], h);
    }
    (void)shell_energy(s, &pose, x, above);
    for (int32_t i = 0; i < n; ++i) {
        x[i] = p3_mad(x[i], way[i], -2.0 * h);
    }
    (void)shell_energy(s, &pose, x, below);
    for (int32_t i = 0; i < n; ++i) {
        lim_point got = p3_mad(s->trial[i], bulk.v[i], along);
        lim_point slope = p3_scale(p3_sub(above[i], below[i]), 0.5 / h);
        CHECK_NEAR(p3_length(p3_sub(got, slope)), 0.0, 1e-5 * p3_length(slope));
    }
    free(x);
    free(above);
    free(below);
    free(way);
    kit_free(&k);
    shell_destroy(s);
}

/* A strip pulled by its ends: force E t b strain, sides drawn in by Poisson's ratio. */
static void a_pulled_strip_is_hookes(void) {
    kit_surface k = kit_strip(20, 4, 0.1, 0.1);
    shell_desc d = kit_desc(&k);
    d.poisson_ratio = 0.4;
    shell* s = make(&d);
    lim_point* x = copy_of(&k);
    double force = d.youngs_modulus * d.thickness * 0.4 * 1e-4;
    lim_point* load = calloc((size_t)k.vertices, sizeof *load);
    for (int j = 0; j <= 4; ++j) { /* edges carry half at the corners */
        double share = j == 0 || j == 4 ? 0.125 : 0.25;
        load[j].x = -force * share;
        load[100 + j].x = force * share;
    }
    shell_pose pose = shell_pose_default();
    pose.load = load;
    pose.tolerance = 1e-6;
    shell_report r;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged);
    CHECK_NEAR((x[75].x - x[25].x) / 1.0 - 1.0, 1e-4, 2e-7);
    CHECK_NEAR((x[54].z - x[50].z) / 0.4 - 1.0, -0.4e-4, 2e-7);
    free(load);
    free(x);
    kit_free(&k);
    shell_destroy(s);
}

/* A closed tube under pressure: hoop strain p r / (E t) (1 - nu / 2) and, along, (1/2 - nu). */
static void a_tube_under_pressure_swells_by_the_formula(void) {
    kit_surface k = kit_tube(30, 48, 0.1, 0.013);
    shell_desc d = kit_desc(&k);
    shell* s = make(&d);
    CHECK(shell_get_info(s).closed && shell_get_info(s).slivers == 0);
    CHECK_NEAR(shell_get_info(s).volume, TRIG_PI * 0.01 * 0.39, 0.005 * TRIG_PI * 0.01 * 0.39);
    lim_point* x = copy_of(&k);
    shell_pose pose = shell_pose_default();
    pose.pressure = 50.0; /* p r / (E t) = 5e-3 */
    pose.tolerance = 1e-5;
    shell_report r;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged);
    double radius = 0.0;
    for (int i = 0; i < 48; ++i) {
        lim_point p = x[15 * 48 + i];
        radius += sqrt(p.y * p.y + p.z * p.z) / 48.0;
    }
    CHECK_NEAR(radius / 0.1 - 1.0, 5e-3 * 0.85, 5e-3 * 0.02);
    double length = x[18 * 48].x - x[12 * 48].x;
    CHECK_NEAR(length / (6 * 0.013) - 1.0, 5e-3 * 0.2, 5e-3 * 0.03);
    CHECK(r.pressure == 50.0 && r.volume > shell_get_info(s).volume);
    free(x);
    kit_free(&k);
    shell_destroy(s);
}

/* The inside as a stiff fluid: pressed flatter between two held ends, the tube keeps its volume. */
static void bulk_keeps_the_volume(void) {
    kit_surface k = kit_tube(10, 24, 0.1, 0.03);
    shell_desc d = kit_desc(&k);
    shell* s = make(&d);
    lim_point *x = copy_of(&k), *goal = copy_of(&k);
    uint8_t* held = calloc((size_t)k.vertices, 1);
    for (int32_t i = 0; i < k.vertices; ++i) {
        held[i] = k.x[i].x < 1e-9 || k.x[i].x > 0.3 - 1e-9;
        goal[i].x *= 0.9;
    }
    shell_pose pose = shell_pose_default();
    pose.held = held;
    pose.goal = goal;
    pose.increments = 4;
    shell_report without, with;
    double rest = shell_get_info(s).volume;
    CHECK(shell_solve(s, &pose, x, &without) == LIM_OK && without.converged);
    pose.bulk = 1e6;
    pose.fill = rest;
    memcpy(x, k.x, (size_t)k.vertices * sizeof *x);
    CHECK(shell_solve(s, &pose, x, &with) == LIM_OK && with.converged);
    CHECK(without.volume < 0.95 * rest);
    CHECK_NEAR(with.volume, rest, 1e-3 * rest);
    CHECK_NEAR(with.pressure, 1e6 * (1.0 - with.volume / rest), 1e-3 * with.pressure);
    for (int32_t i = 0; i < k.vertices; ++i) {
        CHECK(!held[i] || memcmp(&x[i], &goal[i], sizeof *x) == 0);
    }
    free(held);
    free(goal);
    free(x);
    kit_free(&k);
    shell_destroy(s);
}

/* What shell_report says of the residual, counted again. */
static void a_converged_pose_meets_its_residual(void) {
    kit_surface k = kit_tube(10, 24, 0.1, 0.03);
    shell_desc d = kit_desc(&k);
    shell* s = make(&d);
    lim_point *x = copy_of(&k), *g = copy_of(&k);
    uint8_t* held = calloc((size_t)k.vertices, 1);
    for (int32_t i = 0; i < 24; ++i) {
        held[5 * 24 + i] = i < 4;
        x[5 * 24 + i].y -= i < 4 ? 0.03 : 0.0;
    }
    shell_pose pose = shell_pose_default();
    pose.held = held;
    pose.pressure = 100.0;
    shell_report r;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged && r.residual <= 1e-3);
    (void)shell_energy(s, &pose, x, g);
    double left = 0.0, load = 0.0;
    lim_point* push = calloc((size_t)k.vertices, sizeof *push);
    for (int32_t t = 0; t < k.triangles; ++t) {
        const int32_t* v = k.index + 3 * t;
        lim_point n = p3_cross(p3_sub(x[v[1]], x[v[0]]), p3_sub(x[v[2]], x[v[0]]));
        for (int c = 0; c < 3; ++c) {
            push[v[c]] = p3_mad(push[v[c]], n, 100.0 / 6.0);
        }
    }
    for (int32_t i = 0; i < k.vertices; ++i) {
        lim_point what = held[i] ? g[i] : push[i];
        load += p3_dot(what, what) / k.vertices;
        left += held[i] ? 0.0 : p3_dot(g[i], g[i]) / (k.vertices - 4);
    }
    CHECK_NEAR(r.load, sqrt(load), 1e-9 * sqrt(load));
    CHECK_NEAR(r.residual, sqrt(left / load), 1e-9);
    pose.tolerance = 1e-12;
    pose.most_iterations = 1;
    x[0].x += 1e-4;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && !r.converged && r.iterations == 1);
    free(push);
    free(held);
    free(g);
    free(x);
    kit_free(&k);
    shell_destroy(s);
}

/* The whole case turned and moved: the same shape. */
static void turning_the_case_turns_the_answer(void) {
    kit_surface k = kit_tube(8, 12, 0.1, 0.04);
    shell_desc d = kit_desc(&k);
    shell* s = make(&d);
    dquat turn = dquat_unit((dquat){0.3, -0.5, 0.2, 0.7});
    int32_t n = k.vertices;
    lim_point *x = copy_of(&k), *y = copy_of(&k), *load = calloc((size_t)n, sizeof *load);
    uint8_t* held = calloc((size_t)n, 1);
    for (int i = 0; i < 12; ++i) {
        held[i] = 1;
        load[8 * 12 + i].y = -0.02;
    }
    shell_pose pose = shell_pose_default();
    pose.held = held;
    pose.load = load;
    pose.pressure = 20.0;
    pose.tolerance = 1e-8;
    shell_report a, b;
    CHECK(shell_solve(s, &pose, x, &a) == LIM_OK && a.converged);
    for (int32_t i = 0; i < n; ++i) {
        y[i] = p3_add(dquat_rotate(turn, y[i]), p3(10, -20, 30));
        load[i] = dquat_rotate(turn, load[i]);
    }
    CHECK(shell_solve(s, &pose, y, &b) == LIM_OK && b.converged);
    CHECK(fabs(x[8 * 12].y - k.x[8 * 12].y) > 1e-3);
    for (int32_t i = 0; i < n; ++i) {
        lim_point back = dquat_rotate(dquat_conjugate(turn), p3_sub(y[i], p3(10, -20, 30)));
        CHECK_NEAR(p3_length(p3_sub(back, x[i])), 0.0, 1e-7);
    }
    CHECK_NEAR(a.energy, b.energy, 1e-7 * a.energy);
    free(held);
    free(load);
    free(y);
    free(x);
    kit_free(&k);
    shell_destroy(s);
}

/* A sheet whose material is pressed to 0.64 of its thickness grows to 1.25 of its size. */
static void thinning_bulges(void) {
    kit_surface k = kit_strip(6, 6, 0.1, 0.1);
    shell_desc d = kit_desc(&k);
    shell* s = make(&d);
    lim_point* x = copy_of(&k);
    double thinning[72];
    for (int t = 0; t < 72; ++t) {
        thinning[t] = 0.64;
    }
    shell_pose pose = shell_pose_default();
    pose.thinning = thinning;
    shell_report r;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged);
    CHECK_NEAR(p3_length(p3_sub(x[48], x[0])), 1.25 * 0.6 * sqrt(2.0), 1e-9);
    free(x);
    kit_free(&k);
    shell_destroy(s);
}

/* The same bits each time, and on every machine: + - x / sqrt only. */
static void the_bits_are_a_promise(void) {
    uint64_t hash[2];
    for (int pass = 0; pass < 2; ++pass) {
        kit_surface k = kit_tube(6, 8, 0.1, 0.05);
        shell_desc d = kit_desc(&k);
        shell* s = make(&d);
        lim_point* x = copy_of(&k);
        shell_pose pose = shell_pose_default();
        pose.pressure = 500.0;
        shell_report r;
        x[3].y += 0.01;
        CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged);
        hash[pass] = hash_bytes(HASH_SEED, x, (size_t)k.vertices * sizeof *x);
        free(x);
        kit_free(&k);
        shell_destroy(s);
    }
    printf("  hash %016llx\n", (unsigned long long)hash[0]);
    CHECK(hash[0] == hash[1]);
    CHECK(hash[0] == 0x283a32db8b422db0u);
}

/* A sheet on springs under an even load goes down by load / spring everywhere; under a load in one
 * place all springs together bear it. */
static void springs_bear_the_load(void) {
    kit_surface k = kit_strip(8, 8, 0.1, 0.1);
    shell_desc d = kit_desc(&k);
    shell* s = make(&d);
    lim_point *x = copy_of(&k), *load = copy_of(&k);
    double* spring = calloc((size_t)k.vertices, sizeof *spring);
    for (int32_t i = 0; i < k.vertices; ++i) {
        spring[i] = 50.0;
        load[i] = p3(0, -0.2, 0);
    }
    shell_pose pose = shell_pose_default();
    shell_report r;
    pose.load = load;
    pose.spring = spring;
    pose.anchor = k.x;
    pose.tolerance = 1e-8;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged);
    for (int32_t i = 0; i < k.vertices; ++i) {
        CHECK_NEAR(p3_length(p3_sub(x[i], p3_add(k.x[i], p3(0, -0.004, 0)))), 0.0, 1e-7);
    }
    memset(load, 0, (size_t)k.vertices * sizeof *load);
    load[40] = p3(0, -3.0, 0);
    memcpy(x, k.x, (size_t)k.vertices * sizeof *x);
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged);
    double borne = 0.0;
    for (int32_t i = 0; i < k.vertices; ++i) {
        borne += spring[i] * (k.x[i].y - x[i].y);
    }
    CHECK_NEAR(borne, 3.0, 1e-4);
    CHECK(k.x[40].y - x[40].y > 1.5 * (k.x[0].y - x[0].y));
    spring[3] = -1.0;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_ERROR_ARGUMENT);
    free(spring);
    free(load);
    free(x);
    shell_destroy(s);
    kit_free(&k);
}

static void memory_may_run_out(void) {
    kit_surface k = kit_tube(3, 6, 0.5, 0.4);
    shell_desc d = kit_desc(&k);
    for (int n = 0;; ++n) {
        failing_host f;
        shell* s = NULL;
        failing_host_arm(&f, n);
        lim_result result = shell_create(&d, &f.host, &s);
        if (result == LIM_OK) {
            shell_destroy(s);
            CHECK(f.held == 0 && n > 1);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && s == NULL && f.held == 0);
    }
    kit_free(&k);
}

static void what_cannot_be_is_refused(void) {
    kit_surface k = kit_strip(2, 2, 1.0, 1.0);
    shell_desc d = kit_desc(&k);
    shell* s = NULL;
    d.thickness = 0.0;
    CHECK(shell_create(&d, NULL, &s) == LIM_ERROR_ARGUMENT);
    d = kit_desc(&k);
    d.poisson_ratio = 1.0;
    CHECK(shell_create(&d, NULL, &s) == LIM_ERROR_ARGUMENT);
    d = kit_desc(&k);
    int32_t swap = k.index[1];
    k.index[1] = 9;
    CHECK(shell_create(&d, NULL, &s) == LIM_ERROR_ARGUMENT);
    k.index[1] = k.index[0];
    CHECK(shell_create(&d, NULL, &s) == LIM_ERROR_ARGUMENT);
    k.index[1] = k.index[2]; /* turned the other way */
    k.index[2] = swap;
    CHECK(shell_create(&d, NULL, &s) == LIM_ERROR_ARGUMENT);
    k.index[2] = k.index[1];
    k.index[1] = swap;
    k.x[4].y = NAN;
    CHECK(shell_create(&d, NULL, &s) == LIM_ERROR_ARGUMENT && s == NULL);
    k.x[4].y = 0.0;
    s = make(&d);
    lim_point* x = copy_of(&k);
    shell_pose pose = shell_pose_default();
    shell_report r;
    pose.pressure = 1.0; /* an open sheet */
    CHECK(shell_solve(s, &pose, x, &r) == LIM_ERROR_ARGUMENT);
    pose = shell_pose_default();
    pose.increments = 0;
    CHECK(shell_solve(s, &pose, x, &r) == LIM_ERROR_ARGUMENT);
    pose.increments = 1;
    x[4] = x[0]; /* triangles without area */
    CHECK(shell_solve(s, &pose, x, &r) == LIM_ERROR_ARGUMENT);
    memcpy(x, k.x, 9 * sizeof *x);
    CHECK(shell_solve(s, &pose, x, &r) == LIM_OK && r.converged && r.iterations == 0);
    CHECK(memcmp(x, k.x, 9 * sizeof *x) == 0);
    free(x);
    shell_destroy(s);
    kit_free(&k);
}

TEST_SUITE(shell_balance) {
    TEST_BEGIN(argc, argv);
    RUN(the_gradient_is_the_slope_of_the_energy);
    RUN(the_matrix_is_the_slope_of_the_gradient);
    RUN(a_pulled_strip_is_hookes);
    RUN(a_tube_under_pressure_swells_by_the_formula);
    RUN(bulk_keeps_the_volume);
    RUN(a_converged_pose_meets_its_residual);
    RUN(turning_the_case_turns_the_answer);
    RUN(springs_bear_the_load);
    RUN(thinning_bulges);
    RUN(the_bits_are_a_promise);
    RUN(memory_may_run_out);
    RUN(what_cannot_be_is_refused);
    TEST_END();
}
