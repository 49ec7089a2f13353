/* SPDX-License-Identifier: MIT
 * One triangle and one hinge: derivatives against differences, known values, what rigid motion
 * does.
 */
#include "shell/hinge.h"
#include "shell/membrane.h"

#include "base/random.h"
#include "math/quat.h"
#include "math/trig.h"
#include "test.h"

static lim_point random_point(random_stream* r, double size) {
    double x = (double)random_range(r, -1, 1), y = (double)random_range(r, -1, 1);
    return p3(size * x, size * y, size * (double)random_range(r, -1, 1));
}

/* A triangle at rest and the same deformed by `strength` of its size; false for a sliver. */
static bool random_triangle(random_stream* r, double strength, membrane_rest* rest,
                            lim_point corner[3]) {
    lim_point at[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = random_point(r, 1.0);
        corner[k] = p3_add(at[k], random_point(r, strength));
    }
    *rest = membrane_rest_of(at[0], at[1], at[2], 0.01);
    lim_point n = p3_cross(p3_sub(corner[1], corner[0]), p3_sub(corner[2], corner[0]));
    return rest->volume > 2e-3 && p3_length(n) > 0.2;
}

static double* coordinate(lim_point* p, int i) {
    return i % 3 == 0 ? &p[i / 3].x : i % 3 == 1 ? &p[i / 3].y : &p[i / 3].z;
}

static void membrane_gradient_is_the_slope_of_the_energy(void) {
    random_stream r = random_seed(1);
    membrane_material m = membrane_material_of(3.0, 0.35);
    for (int trial = 0; trial < 300; ++trial) {
        membrane_rest rest;
        lim_point x[3], g[3], none[3];
        if (!random_triangle(&r, 0.4, &rest, x)) {
            continue;
        }
        (void)membrane_energy(&rest, &m, x, g);
        for (int i = 0; i < 9; ++i) {
            double *c = coordinate(x, i), at = *c, h = 1e-5;
            *c = at + h;
            double above = membrane_energy(&rest, &m, x, none);
            *c = at - h;
            double below = membrane_energy(&rest, &m, x, NULL);
            *c = at;
            double slope = *coordinate(g, i);
            CHECK_NEAR(slope, (above - below) / (2 * h), 1e-6 * (0.1 + fabs(slope)));
        }
    }
}

static void membrane_hessian_is_the_slope_of_the_gradient(void) {
    random_stream r = random_seed(2);
    membrane_material m = membrane_material_of(3.0, 0.35);
    for (int trial = 0; trial < 300; ++trial) {
        membrane_rest rest;
        lim_point x[3], above[3], below[3];
        double hessian[81];
        if (!random_triangle(&r, 0.4, &rest, x)) {
            continue;
        }
        membrane_hessian(&rest, &m, x, MEMBRANE_WHOLE, hessian);
        for (int i = 0; i < 9; ++i) {
            double *c = coordinate(x, i), at = *c, h = 1e-6;
            *c = at + h;
            (void)membrane_energy(&rest, &m, x, above);
            *c = at - h;
            (void)membrane_energy(&rest, &m, x, below);
            *c = at;
            for (int k = 0; k < 9; ++k) {
                double slope = (*coordinate(above, k) - *coordinate(below, k)) / (2 * h);
                CHECK_NEAR(hessian[9 * i + k], slope, 1e-5 * (0.1 + fabs(slope)));
            }
        }
    }
}

/* The positive part: never below the whole one along any way, never below 0, and the whole one
 * where that is positive. */
static void the_positive_part_lies_above(void) {
    random_stream r = random_seed(3);
    membrane_material m = membrane_material_of(3.0, 0.35);
    int raised = 0, same = 0;
    for (int trial = 0; trial < 400; ++trial) {
        membrane_rest rest;
        lim_point x[3];
        double whole[81], positive[81], difference = 0.0;
        if (!random_triangle(&r, trial % 2 == 0 ? 0.6 : 0.0, &rest, x)) {
            continue;
        }
        for (int k = 0; trial % 2 == 1 && k < 3; ++k) {
            x[k] = p3_scale(x[k], 1.1); /* stretched both ways: nothing is negative */
        }
        membrane_hessian(&rest, &m, x, MEMBRANE_WHOLE, whole);
        membrane_hessian(&rest, &m, x, MEMBRANE_POSITIVE, positive);
        for (int way = 0; way < 20; ++way) {
            double d[9], a = 0.0, b = 0.0;
            for (int i = 0; i < 9; ++i) {
                d[i] = (double)random_range(&r, -1, 1);
            }
            for (int i = 0; i < 81; ++i) {
                a += d[i / 9] * whole[i] * d[i % 9];
                b += d[i / 9] * positive[i] * d[i % 9];
            }
            CHECK(b >= -1e-12 && b >= a - 1e-12);
        }
        for (int i = 0; i < 81; ++i) {
            difference += fabs(whole[i] - positive[i]);
        }
        raised += difference > 1e-3;
        same += difference < 1e-12;
        CHECK(trial % 2 == 0 || difference < 1e-12);
    }
    CHECK(raised > 50 && same > 50);
}

/* Small strains: W = E / (2 (1 - nu^2)) (exx^2 + eyy^2 + 2 nu exx eyy) + G (2 exy)^2 / 2. */
static void small_strains_are_plane_stress(void) {
    const double E = 2.0, nu = 0.3, G = E / (2.0 * (1.0 + nu)), e = 1e-5;
    membrane_material m = membrane_material_of(E, nu);
    membrane_rest rest = membrane_rest_of(p3(0, 0, 0), p3(1, 0, 0), p3(0, 1, 0), 0.1);
    const double cases[4][3] = {{e, 0, 0}, {e, e, 0}, {e, -e, 0}, {0, 0, e}};
    for (int i = 0; i < 4; ++i) {
        double xx = cases[i][0], yy = cases[i][1], xy = cases[i][2];
        const lim_point x[3] = {{0, 0, 0}, {1 + xx, xy, 0}, {xy, 1 + yy, 0}};
        double hand = E / (2 * (1 - nu * nu)) * (xx * xx + yy * yy + 2 * nu * xx * yy) +
                      0.5 * G * 4 * xy * xy;
        CHECK_NEAR(membrane_energy(&rest, &m, x, NULL), 0.05 * hand, 1e-4 * hand);
    }
}

static void a_squashed_triangle_pushes_back_without_bound(void) {
    membrane_material m = membrane_material_of(1.0, 0.3);
    membrane_rest rest = membrane_rest_of(p3(0, 0, 0), p3(1, 0, 0), p3(0, 1, 0), 1.0);
    double before = 0.0;
    for (double s = 0.5; s > 1e-6; s *= 0.5) {
        const lim_point flat[3] = {{0, 0, 0}, {1, 0, 0}, {0, s, 0}};
        const lim_point small[3] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}};
        double now = membrane_energy(&rest, &m, flat, NULL);
        CHECK(now > before && membrane_energy(&rest, &m, small, NULL) > now);
        before = now;
    }
    CHECK(before > 1e3);
    const lim_point line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    CHECK(isinf(membrane_energy(&rest, &m, line, NULL)));
    membrane_rest none = membrane_rest_of(line[0], line[1], line[2], 1.0);
    CHECK(none.volume == 0.0 && membrane_energy(&none, &m, line, NULL) == 0.0);
}

/* Thickness c t: the sheet is at rest when it is c^-1/2 as long both ways. */
static void thinning_grows_the_rest_shape(void) {
    membrane_material m = membrane_material_of(1.0, 0.3);
    const lim_point at[3] = {{0, 0, 0}, {1, 0.2, 0}, {0.3, 0.9, 0.1}};
    membrane_rest rest = membrane_rest_of(at[0], at[1], at[2], 1.0);
    membrane_rest thin = membrane_thinned(&rest, 0.64);
    lim_point grown[3];
    for (int k = 0; k < 3; ++k) {
        grown[k] = p3_scale(at[k], 1.25);
    }
    CHECK(membrane_energy(&thin, &m, grown, NULL) < 1e-15);
    CHECK(membrane_energy(&thin, &m, at, NULL) > 1e-2);
}

/* Two triangles of random shape whose normals part by `fold` or so. */
static void random_hinge(random_stream* r, lim_point corner[4]) {
    corner[0] = random_point(r, 0.1);
    corner[1] = p3_add(p3(0, 1, 0), random_point(r, 0.1));
    double fold = (double)random_range(r, -2.5f, 2.5f);
    corner[2] = p3_add(p3(1, 0.5, 0), random_point(r, 0.2));
    corner[3] = p3_add(p3(-trig_cos(fold), 0.5, -trig_sin(fold)), random_point(r, 0.2));
}

static void hinge_gradient_is_the_slope_of_the_angle(void) {
    random_stream r = random_seed(4);
    for (int trial = 0; trial < 300; ++trial) {
        lim_point x[4], g[4], none[4];
        double angle, above, below;
        random_hinge(&r, x);
        CHECK(hinge_angle(x, &angle, g));
        for (int i = 0; i < 12; ++i) {
            double *c = coordinate(x, i), at = *c, h = 1e-6;
            *c = at + h;
            (void)hinge_angle(x, &above, none);
            *c = at - h;
            (void)hinge_angle(x, &below, none);
            *c = at;
            CHECK_NEAR(*coordinate(g, i), hinge_turn(above, below) / (2 * h), 1e-7);
        }
    }
}

static void bending_makes_no_force_and_no_torque(void) {
    random_stream r = random_seed(5);
    for (int trial = 0; trial < 300; ++trial) {
        lim_point x[4], g[4], force = {0, 0, 0}, torque = {0, 0, 0};
        double angle;
        random_hinge(&r, x);
        CHECK(hinge_angle(x, &angle, g));
        for (int k = 0; k < 4; ++k) {
            force = p3_add(force, g[k]);
            torque = p3_add(torque, p3_cross(x[k], g[k]));
        }
        CHECK(p3_length(force) < 1e-13 && p3_length(torque) < 1e-13);
    }
}

static void angles_have_the_sign_and_size_of_the_fold(void) {
    for (double fold = -3.1; fold <= 3.1; fold += 0.1) {
        /* the second triangle turned about the edge: its normal turns from z by `fold` about it */
        const lim_point x[4] = {
            {0, 0, 0}, {0, 1, 0}, {-1, 0.5, 0}, {trig_cos(fold), 0.4, -trig_sin(fold)}};
        lim_point g[4];
        double angle;
        CHECK(hinge_angle(x, &angle, g));
        CHECK_NEAR(angle, fold, 1e-12);
    }
    CHECK_NEAR(hinge_turn(3.0, -3.0), 6.0 - 2.0 * TRIG_PI, 1e-15);
    const lim_point line[4] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}};
    lim_point g[4];
    double angle;
    CHECK(!hinge_angle(line, &angle, g) && angle == 0.0 && p3_length(g[3]) == 0.0);
}

TEST_SUITE(membrane) {
    TEST_BEGIN(argc, argv);
    RUN(membrane_gradient_is_the_slope_of_the_energy);
    RUN(membrane_hessian_is_the_slope_of_the_gradient);
    RUN(the_positive_part_lies_above);
    RUN(small_strains_are_plane_stress);
    RUN(a_squashed_triangle_pushes_back_without_bound);
    RUN(thinning_grows_the_rest_shape);
    RUN(hinge_gradient_is_the_slope_of_the_angle);
    RUN(bending_makes_no_force_and_no_torque);
    RUN(angles_have_the_sign_and_size_of_the_fold);
    TEST_END();
}
