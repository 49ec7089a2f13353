/* SPDX-License-Identifier: MIT
 * Bending by hand: a cantilever's sag, Euler's load, the elastica beyond it. Strips of one row of
 * cells bend as a beam of stiffness D b, D = E t^3 / 12 for Poisson's ratio 0. The first two rows
 * of vertices are held; the hinge between them and the rest stands for half a cell on either side
 * of it, so the beam is clamped half a cell before the second row.
 */
#include "shell/shell.h"

#include "shell_kit.h"
#include "test.h"

enum { CELLS = 41 };

typedef struct beam {
    kit_surface k;
    shell* s;
    lim_point *x, *load;
    uint8_t* held;
    double stiffness, length; /* D b, from the clamp to the tip */
} beam;

static beam make_beam(void) {
    beam b = {.k = kit_strip(CELLS, 1, 0.025, 0.025 / 4.0)};
    shell_desc d = kit_desc(&b.k);
    d.poisson_ratio = 0.0;
    d.thickness = 0.01;
    CHECK(shell_create(&d, NULL, &b.s) == LIM_OK);
    size_t n = (size_t)b.k.vertices;
    b.x = calloc(n, sizeof *b.x);
    b.load = calloc(n, sizeof *b.load);
    b.held = calloc(n, 1);
    memcpy(b.x, b.k.x, n * sizeof *b.x);
    memset(b.held, 1, 4);
    b.stiffness = d.youngs_modulus * 1e-6 / 12.0 * 0.025 / 4.0;
    b.length = ((double)CELLS - 0.5) * 0.025;
    return b;
}

static void end_beam(beam* b) {
    shell_destroy(b->s);
    kit_free(&b->k);
    free(b->x);
    free(b->load);
    free(b->held);
}

static shell_report pull_tip(beam* b, lim_point force) {
    b->load[2 * CELLS] = b->load[2 * CELLS + 1] = p3_scale(force, 0.5);
    shell_pose pose = shell_pose_default();
    pose.held = b->held;
    pose.load = b->load;
    pose.tolerance = 1e-7;
    pose.most_iterations = 2000;
    shell_report r;
    CHECK(shell_solve(b->s, &pose, b->x, &r) == LIM_OK && r.converged);
    return r;
}

static void a_cantilever_sags_by_f_l3_over_3d(void) {
    beam b = make_beam();
    double sag = 0.01 * b.length;
    double force = 3.0 * b.stiffness * sag / (b.length * b.length * b.length);
    shell_report r = pull_tip(&b, p3(0, -force, 0));
    CHECK_NEAR(-b.x[2 * CELLS].y, sag, 0.01 * sag);
    CHECK_NEAR(r.energy, 0.5 * force * sag, 0.01 * 0.5 * force * sag);
    end_beam(&b);
}

/* Own weight w per length: w L^4 / 8 D. */
static void a_cantilever_under_its_weight(void) {
    beam b = make_beam();
    double sag = 0.01 * b.length, l2 = b.length * b.length;
    double weight = 8.0 * b.stiffness * sag / (l2 * l2);
    for (int i = 0; i < 2 * CELLS; ++i) {
        b.load[i].y = -0.5 * weight * 0.025;
    }
    (void)pull_tip(&b, p3(0, -0.5 * weight * 0.025, 0));
    CHECK_NEAR(-b.x[2 * CELLS].y, sag, 0.015 * sag);
    end_beam(&b);
}

/* The complete elliptic integral K(p) by the arithmetic-geometric mean. */
static double elliptic(double p) {
    double a = 1.0, g = sqrt(1.0 - p * p);
    for (int i = 0; i < 20; ++i) {
        double mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
    }
    return 0.5 * TRIG_PI / a;
}

/* Pushed along its length, free at the tip: stays straight below D b (pi / 2 L)^2. */
static void a_column_below_eulers_load_comes_back(void) {
    beam b = make_beam();
    double euler = b.stiffness * (0.5 * TRIG_PI / b.length) * (0.5 * TRIG_PI / b.length);
    for (int i = 2; i <= CELLS; ++i) {
        b.x[2 * i].y = b.x[2 * i + 1].y = 0.02 * (i - 1.5) * (i - 1.5) / (CELLS * CELLS);
    }
    (void)pull_tip(&b, p3(-0.97 * euler, 0, 0));
    CHECK(fabs(b.x[2 * CELLS].y) < 1e-3 * b.length);
    end_beam(&b);
}

/* Beyond it, the elastica: K(p) = L sqrt(P / D b), tip 2 p L / K aside. */
static void a_column_beyond_it_is_the_elastica(void) {
    for (double over = 1.1; over < 1.6; over += 0.2) {
        beam b = make_beam();
        double euler = b.stiffness * (0.5 * TRIG_PI / b.length) * (0.5 * TRIG_PI / b.length);
        double k = 0.5 * TRIG_PI * sqrt(over), low = 0.0, high = 1.0;
        for (int i = 0; i < 60; ++i) {
            double middle = 0.5 * (low + high);
            low = elliptic(middle) < k ? middle : low;
            high = elliptic(middle) < k ? high : middle;
        }
        for (int i = 2; i <= CELLS; ++i) {
            b.x[2 * i].y = b.x[2 * i + 1].y = 0.02 * (i - 1.5) * (i - 1.5) / (CELLS * CELLS);
        }
        (void)pull_tip(&b, p3(-over * euler, 0, 0));
        double aside = 2.0 * low * b.length / k;
        printf("  P / Pe %.1f: tip %.4f L, elastica %.4f L\n", over, b.x[2 * CELLS].y / b.length,
               aside / b.length);
        CHECK_NEAR(fabs(b.x[2 * CELLS].y), aside, 0.02 * aside);
        end_beam(&b);
    }
}

/* Rolled about a cylinder of radius r: D (1 / r)^2 / 2 per area, whichever way. */
static void a_rolled_sheet_has_the_energy_of_a_cylinder(void) {
    kit_surface k = kit_equilateral(60, 0.01);
    shell_desc d = kit_desc(&k);
    d.poisson_ratio = 0.0;
    shell* s = NULL;
    CHECK(shell_create(&d, NULL, &s) == LIM_OK);
    const double ways[3] = {0.0, 0.5 * TRIG_PI, 0.2 * TRIG_PI}, radius = 0.5;
    for (int w = 0; w < 3; ++w) {
        lim_point* x = calloc((size_t)k.vertices, sizeof *x);
        double c = trig_cos(ways[w]), sn = trig_sin(ways[w]);
        for (int32_t i = 0; i < k.vertices; ++i) {
            double along = c * k.x[i].x + sn * k.x[i].z, across = c * k.x[i].z - sn * k.x[i].x;
            x[i] = p3(radius * trig_sin(along / radius), radius * (1.0 - trig_cos(along / radius)),
                      across);
        }
        shell_pose pose = shell_pose_default();
        pose.most_iterations = 1;
        uint8_t* held = calloc((size_t)k.vertices, 1);
        memset(held, 1, (size_t)k.vertices);
        pose.held = held;
        shell_report r;
        CHECK(shell_solve(s, &pose, x, &r) == LIM_OK);
        double bending = d.youngs_modulus * 1e-9 / 12.0, area = 0.36 * sqrt(0.75);
        double hand = 0.5 * bending / (radius * radius) * area;
        printf("  bent along %.0f degrees: %.3f of the cylinder's energy\n",
               ways[w] * 180.0 / TRIG_PI, r.energy / hand);
        CHECK_NEAR(r.energy, hand, 0.04 * hand);
        free(held);
        free(x);
    }
    shell_destroy(s);
    kit_free(&k);
}

TEST_SUITE(shell_bending) {
    TEST_BEGIN(argc, argv);
    RUN(a_cantilever_sags_by_f_l3_over_3d);
    RUN(a_cantilever_under_its_weight);
    RUN(a_column_below_eulers_load_comes_back);
    RUN(a_column_beyond_it_is_the_elastica);
    RUN(a_rolled_sheet_has_the_energy_of_a_cylinder);
    TEST_END();
}
