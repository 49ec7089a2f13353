/* SPDX-License-Identifier: MIT
 * The share of volume of a material, through the public API: a cube under a press, Young's modulus
 * whatever the share, energy and momentum of bodies that are left to themselves.
 */
#include "test.h"

#include "core/press_kit.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};
static const int32_t CUBE[3] = {8, 8, 8};
#define SIDE 0.5

static lim_material material_of(double young, float volume, lim_goal goal, float beta) {
    lim_material m = lim_material_default();
    m.young = (float)young;
    m.friction = 0.0f;
    m.volume = volume;
    m.goal = goal;
    m.beta = beta;
    return m;
}

/* Of the row that is chosen, with these goals and not the row's. */
static toy cube_of(const lim_material* m) {
    toy t = toy_box(CUBE, SIDE / 8, p3(0, 0, 0), m, NO_GRAVITY, 4, 1);
    CHECK(lim_body_set_material(t.world, t.body, m) == LIM_OK);
    return t;
}

static press_result press_cube(double young, float volume, lim_goal goal, float beta) {
    lim_material m = material_of(young, volume, goal, beta);
    toy t = cube_of(&m);
    press_result p = press(&t, SIDE, 0.3, 2.0);
    CHECK(p.height < 0.71);
    toy_free(&t);
    return p;
}

/* Sideways E (lambda - 1) = (k E / 3) (1 - det F) times what is left of the other two sides, so
 * what is missing is some 3 * 0.195 / (0.7 * 1.195 k) = 0.7 / k: 0.6 % for k = 120. */
static void a_squashed_cube_keeps_its_volume(void) {
    static const int rows[] = {KIND_UNIFORM, KIND_LATTICE};
    for (int r = 0; r < 2; ++r) {
        kind_choose(rows[r]);
        press_result none = press_cube(10e3, 0.0f, LIM_GOAL_RIGID, 0.0f);
        press_result half = press_cube(10e3, 0.5f, LIM_GOAL_RIGID, 0.0f);
        press_result all = press_cube(10e3, 1.0f, LIM_GOAL_RIGID, 0.0f);
        press_result stiff = press_cube(30e3, 1.0f, LIM_GOAL_RIGID, 0.0f);
        press_result linear = press_cube(10e3, 0.0f, LIM_GOAL_LINEAR, 0.9f);
        printf("  off by %.4f with volume 0, %.4f with 0.5, %.4f with 1, %.4f with 1 and 30 kPa;"
               " linear, beta 0.9: %.4f\n",
               none.worst, half.worst, all.worst, stiff.worst, linear.worst);
        CHECK_NEAR(none.last, -0.3, 0.005); /* nothing goes sideways */
        /* nu = 1/4: lambda - 1 = 0.25 * 0.3, if strains were small. */
        CHECK_NEAR(half.last, 0.7 * 1.075 * 1.075 - 1.0, 0.02);
        CHECK(all.worst < 0.01);
        CHECK(all.width > 1.18); /* 0.7^(-1/2) = 1.195 */
        CHECK(stiff.worst < 0.02);
        CHECK(linear.worst < 0.05);
    }
    kind_choose(KIND_ROWS);
}

/* Few clusters: their fits keep their volume, and what the fits do not see is off. */
static void points_keep_their_volume_as_far_as_their_fits_see_it(void) {
    static const int rows[] = {KIND_POINTS, KIND_CLUSTERS};
    for (int r = 0; r < 2; ++r) {
        kind_choose(rows[r]);
        press_result none = press_cube(10e3, 0.0f, LIM_GOAL_RIGID, 0.0f);
        press_result half = press_cube(10e3, 0.5f, LIM_GOAL_RIGID, 0.0f);
        press_result all = press_cube(10e3, 1.0f, LIM_GOAL_RIGID, 0.0f);
        press_result linear = press_cube(10e3, 1.0f, LIM_GOAL_LINEAR, 1.0f);
        printf("  off by %.4f with volume 0, %.4f with 0.5, %.4f with 1; linear, beta 1: %.4f\n",
               none.worst, half.worst, all.worst, linear.worst);
        CHECK(all.worst < 0.5 * none.worst && all.worst < 0.12);
        CHECK(linear.worst < 0.01);
    }
    kind_choose(KIND_ROWS);
}

/* How far the centre of a bar sinks that hangs by its upper end, over rho g L^2 / (3 E). */
static double hang(float volume) {
    const int32_t n[3] = {4, 16, 4};
    const double cell = 0.05, gravity = 2.0, young = 20e3;
    /* The pin holds the nodes of one cell, or of a lattice the corners at the end. */
    const double length = (kind_now == KIND_LATTICE ? 16 : 15) * cell;
    lim_material m = material_of(young, volume, LIM_GOAL_RIGID, 0.0f);
    m.damping_time = 0.2f;
    toy t = toy_box(n, cell, p3(0, 0, 0), &m, (lim_vec3){0, (float)-gravity, 0}, 4, 1);
    lim_pin_desc pin = lim_pin_desc_default();
    lim_pin id;
    pin.body = t.body;
    pin.shape = LIM_SHAPE_BOX;
    pin.size = (lim_vec3){1.0f, (float)(0.6 * cell), 1.0f};
    pin.position = p3(0, 8 * cell, 0);
    CHECK(lim_pin_create(t.world, &pin, &id) == LIM_OK);
    for (int k = 0; k < 300; ++k) {
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    lim_body_motion now;
    CHECK(lim_body_get_motion(t.world, t.body, &now) == LIM_OK);
    toy_free(&t);
    return -now.centre.y * 3.0 * young / (1000.0 * gravity * length * length) * 16 * cell / length;
}

static void a_bar_has_its_modulus_whatever_its_volume(void) {
    static const int rows[] = {KIND_UNIFORM, KIND_LATTICE};
    for (int r = 0; r < 2; ++r) {
        kind_choose(rows[r]);
        double none = hang(0.0f), half = hang(0.5f), most = hang(0.95f);
        printf("  sinks by %.3f with volume 0, %.3f with 0.5, %.3f with 0.95\n", none, half, most);
        CHECK_NEAR(none, 1.0, 0.12);
        CHECK_NEAR(half / none, 1.0, 0.05);
        CHECK_NEAR(most / none, 1.0, 0.1);
    }
    kind_choose(KIND_ROWS);
}

/* A body that is bent, swollen, twisted and turning, and left to itself. */
static void disturb(toy* t) {
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        t->x[3 * i] *= 1.1;
        t->x[3 * i + 1] += 0.5 * t->rest[3 * i] * t->rest[3 * i];
        t->v[3 * i + 2] += (float)(2.0 * t->rest[3 * i] * t->rest[3 * i + 1]);
        t->v[3 * i] += (float)(0.5 - 3.0 * t->rest[3 * i + 1]);
        t->v[3 * i + 1] += (float)(3.0 * t->rest[3 * i]);
    }
    toy_write(t);
}

typedef struct course {
    double first, most, last; /* energy: the largest of the first 100 steps, and ever; the last */
    double momentum, turning; /* largest change over the size of the motion */
} course;

static course leave(toy* t, int steps) {
    course c = {0};
    lim_body_motion begin, now;
    CHECK(lim_body_get_motion(t->world, t->body, &begin) == LIM_OK);
    for (int k = 0; k < steps; ++k) {
        CHECK(lim_world_step(t->world, 1.0f / 60) == LIM_OK);
        CHECK(lim_body_get_motion(t->world, t->body, &now) == LIM_OK);
        c.last = now.kinetic + now.elastic;
        c.most = c.last > c.most ? c.last : c.most;
        c.first = k < 100 && c.last > c.first ? c.last : c.first;
        double size = sqrt(2.0 * begin.mass * c.most);
        for (int j = 0; j < 3; ++j) {
            double off = fabs(now.momentum[j] - begin.momentum[j]) / size;
            double turn =
                fabs(now.angular_momentum[j] - begin.angular_momentum[j]) / t->size / size;
            c.momentum = off > c.momentum ? off : c.momentum;
            c.turning = turn > c.turning ? turn : c.turning;
        }
    }
    return c;
}

static void check_energy(const lim_material* m, int steps) {
    const int32_t n[3] = {8, 3, 3};
    toy t = toy_box(n, 0.05, p3(0, 0, 0), m, NO_GRAVITY, 4, 1);
    CHECK(lim_body_set_material(t.world, t.body, m) == LIM_OK);
    disturb(&t);
    course c = leave(&t, steps);
    CHECK(c.most <= 1.02 * c.first);
    CHECK(m->damping_time == 0.0f || c.last < 0.9 * c.first);
    CHECK(c.momentum < 1e-5);
    CHECK(c.turning < 1e-4);
    if (c.most > 1.02 * c.first || c.momentum >= 1e-5 || c.turning >= 1e-4) {
        printf(
            "  volume %.2f, damping %.1f: energy %.3f, later %.3f, momentum %.1e, turning %.1e\n",
            (double)m->volume, (double)m->damping_time, c.first, c.most, c.momentum, c.turning);
    }
    toy_free(&t);
}

static void energy_never_rises(void) {
    static const int rows[] = {KIND_UNIFORM, KIND_MIXED, KIND_LATTICE, KIND_POINTS, KIND_CLUSTERS};
    static const float shares[] = {0.5f, 1.0f};
    for (int r = 0; r < 5; ++r) {
        kind_choose(rows[r]);
        for (int k = 0; k < 4; ++k) {
            lim_material m = material_of(20e3, shares[k / 2], LIM_GOAL_RIGID, 0.0f);
            if (k % 2 == 0) {
                m.viscosity = m.damping_time = 0.0f;
            }
            check_energy(&m, test_long ? 10000 : 1000);
        }
        lim_material thick = material_of(20e3, 1.0f, LIM_GOAL_RIGID, 0.0f);
        thick.viscosity = 1e6f; /* damped wholly in every substep */
        check_energy(&thick, 1000);
    }
    kind_choose(KIND_ROWS);
}

TEST_SUITE(volume) {
    TEST_BEGIN(argc, argv);
    RUN(a_squashed_cube_keeps_its_volume);
    RUN(points_keep_their_volume_as_far_as_their_fits_see_it);
    RUN(a_bar_has_its_modulus_whatever_its_volume);
    RUN(energy_never_rises);
    TEST_END();
}
