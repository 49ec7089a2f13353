/* SPDX-License-Identifier: MIT
 * Bars held at one end under their own weight against the beam formula: the tip of a bar of length
 * L and thickness t sags by 3/2 rho g L^4 / (E t^2). Slopes in E, L and t, the sag itself, two
 * resolutions, the octree and the lattice.
 */
#include "test.h"

#include "core/physics_kit.h"

enum { HELD = 3 }; /* layers of cells in the pin */
static const double DENSITY = 1000.0, THICKNESS = 0.2;

typedef struct cantilever {
    int32_t length, thick, wide; /* cells */
    double cell, young;
    float volume;
    double bending; /* out: the modulus that is said to be got in bending */
} cantilever;

static double formula(const cantilever* c, double gravity) {
    double l = c->length * c->cell, t = c->thick * c->cell;
    return 1.5 * DENSITY * gravity * l * l * l * l / (c->young * t * t);
}

/* The sag of the last layer of nodes over the formula's at its place, with weight for a sag of 1 %
 * of the length. */
static double sag_of(cantilever* c, double* out_sag) {
    const int32_t n[3] = {c->length + HELD, c->thick, c->wide};
    double l = c->length * c->cell, gravity = 0.01 * l / formula(c, 1.0);
    double speed = sqrt(c->young / DENSITY), rate = 1.016 * c->thick * c->cell / (l * l) * speed;
    lim_material m = lim_material_default();
    m.density = (float)DENSITY;
    m.young = (float)c->young;
    m.viscosity = 0.0f;
    m.volume = c->volume;
    m.damping_time = (float)(1.0 / rate); /* critical */
    /* alpha = E h^2 / (rho sigma^2) of about a half */
    const int32_t substeps = 8;
    float dt = (float)(substeps * 0.6 * c->cell / speed);
    toy t = toy_box(n, c->cell, p3(0, 0, 0), &m, (lim_vec3){0, (float)-gravity, 0}, substeps, 1);
    lim_pin_desc pd = lim_pin_desc_default();
    pd.body = t.body;
    pd.shape = LIM_SHAPE_BOX;
    pd.size = (lim_vec3){(float)(((double)HELD + 0.1) * c->cell), 10.0f, 10.0f};
    pd.position = p3(-0.5 * n[0] * c->cell, 0, 0);
    lim_pin pin;
    CHECK(lim_pin_create(t.world, &pd, &pin) == LIM_OK);
    int32_t steps = (int32_t)(10.0 / rate / (double)dt);
    for (int32_t k = 0; k < steps; ++k) {
        CHECK(lim_world_step(t.world, dt) == LIM_OK);
    }
    lim_body_limits limits;
    CHECK(lim_body_get_limits(t.world, t.body, &limits) == LIM_OK);
    CHECK(limits.young_got > (c->thick < 4 ? 0.96f : 0.998f) * limits.young_asked);
    c->bending = (double)limits.young_bending;
    double end = -1e9, sum = 0.0;
    int32_t count = 0;
    for (int32_t i = 0; i < t.nodes; ++i) {
        end = t.rest[3 * i] > end ? t.rest[3 * i] : end;
    }
    toy_read(&t);
    for (int32_t i = 0; i < t.nodes; ++i) {
        if (t.rest[3 * i] > end - 0.1 * c->cell) {
            sum += t.rest[3 * i + 1] - t.x[3 * i + 1];
            count++;
        }
    }
    toy_free(&t);
    /* at x from the clamp: (x^4 - 4 L x^3 + 6 L^2 x^2) / (3 L^4) of the tip's */
    double x = (end + (0.5 * n[0] - (double)HELD) * c->cell) / l;
    *out_sag = sum / count / gravity; /* per weight */
    return sum / count / (0.01 * l * (x * x * (x * x - 4.0 * x + 6.0) / 3.0));
}

/* Least squares over the points. */
static double slope_of(int count, const double x[3], const double y[3]) {
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (int k = 0; k < count; ++k) {
        mx += log(x[k]) / count;
        my += log(y[k]) / count;
    }
    for (int k = 0; k < count; ++k) {
        xx += (log(x[k]) - mx) * (log(x[k]) - mx);
        xy += (log(x[k]) - mx) * (log(y[k]) - my);
    }
    return xy / xx;
}

static void slopes_are_those_of_the_beam(void) {
    const cantilever base = {
        .length = 48, .thick = 8, .wide = 4, .cell = THICKNESS / 8, .young = 5e4};
    static const double youngs[3] = {1e4, 5e4, 25e4};
    static const int32_t lengths[3] = {40, 56, 80}, thick[3] = {8, 10, 12};
    static const char* const names[3] = {"E", "L", "t"};
    static const double expected[3] = {-1.0, 4.0, -2.0};
    const int count = test_long ? 3 : 2; /* the third of each is the slowest */
    for (int what = 0; what < 3; ++what) {
        double x[3], sag[3];
        for (int k = 0; k < count; ++k) {
            cantilever c = base;
            c.young = what == 0 ? youngs[k] : c.young;
            c.length = what == 1 ? lengths[k] : what == 2 ? 72 : c.length;
            c.thick = what == 2 ? thick[k] : c.thick;
            x[k] = what == 0 ? c.young : what == 1 ? c.length : c.thick;
            double share = sag_of(&c, &sag[k]);
            printf("     %s = %g: %.3f of the formula\n", names[what], x[k], share);
            CHECK_NEAR(share, 1.0, 0.15);
        }
        double slope = slope_of(count, x, sag);
        printf("     slope in %s: %.3f\n", names[what], slope);
        CHECK_NEAR(slope / expected[what], 1.0, 0.05);
    }
}

static void resolution_changes_little(void) {
    cantilever coarse = {.length = 48, .thick = 8, .wide = 4, .cell = THICKNESS / 8, .young = 5e4};
    cantilever fine = {.length = 72, .thick = 12, .wide = 6, .cell = THICKNESS / 12, .young = 5e4};
    double sag, share[2] = {sag_of(&coarse, &sag), sag_of(&fine, &sag)};
    printf("     8 cells: %.3f, 12 cells: %.3f of the formula\n", share[0], share[1]);
    CHECK_NEAR(share[1] / share[0], 1.0, 0.05);
}

/* A share of volume costs some of the modulus in bending, as body/bending.c has it: beside a bar
 * without, so that what clamp and shear do is in both. Shear is softer by Poisson's ratio, a
 * percent here. */
static void volume_costs_what_is_said(void) {
    for (int32_t thick = test_long ? 2 : 4; thick <= (test_long ? 8 : 4); thick *= 2) {
        static const float volumes[] = {0.0f, 0.3f, 0.95f};
        double sag[3], said[3];
        for (int k = 0; k < 3; ++k) {
            cantilever c = {.length = 6 * thick,
                            .thick = thick,
                            .wide = thick,
                            .cell = THICKNESS / thick,
                            .young = 5e4,
                            .volume = volumes[k]};
            sag_of(&c, &sag[k]);
            said[k] = c.bending;
            printf("     %d cells, volume %.2f: %.3f of the modulus without, %.3f said\n",
                   (int)thick, (double)volumes[k], sag[0] / sag[k], said[k] / said[0]);
            CHECK_NEAR(sag[0] / sag[k], said[k] / said[0], 0.03);
        }
        CHECK(sag[0] / sag[2] < 0.96);
    }
}

TEST_SUITE(cantilever) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; k < 1 + test_long; ++k) {
        kind_choose(k == 0 ? KIND_UNIFORM : KIND_LATTICE);
        RUN(slopes_are_those_of_the_beam);
        RUN(volume_costs_what_is_said);
        if (test_long) {
            RUN(resolution_changes_little);
        }
    }
    TEST_END();
}
