/* SPDX-License-Identifier: MIT
 * Pressure inside closed surfaces, through the public API: how far bodies swell, what it leaves of
 * momentum, what it does to open surfaces and at any strength.
 */
#include "test.h"

#include "core/physics_kit.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};

/* Mean stretch of the nodes, by their moments. */
static double stretch_of(toy* t) {
    toy_read(t);
    double sum = 0.0, rest = 0.0;
    lim_point c = p3(0, 0, 0);
    double mass = 0.0;
    for (int32_t i = 0; i < t->nodes; ++i) {
        c = p3_mad(c, p3(t->x[3 * i], t->x[3 * i + 1], t->x[3 * i + 2]), (double)t->mass[i]);
        mass += (double)t->mass[i];
    }
    const double centre[3] = {c.x / mass, c.y / mass, c.z / mass};
    for (int32_t i = 0; i < 3 * t->nodes; ++i) {
        sum += (double)t->mass[i / 3] * (t->x[i] - centre[i % 3]) * t->rest[i];
        rest += (double)t->mass[i / 3] * t->rest[i] * t->rest[i];
    }
    return sum / rest;
}

static void run(toy* t, int steps) {
    for (int k = 0; k < steps; ++k) {
        CHECK(lim_world_step(t->world, 1.0f / 60) == LIM_OK);
    }
}

static lim_material pressed(float pressure) {
    lim_material m = lim_material_default();
    m.pressure = pressure;
    m.damping_time = 0.2f;
    return m;
}

/* A solid that is pulled at all its faces: with Poisson's ratio 0 each side stretches as a bar, and
 * the pull on a side of the rest is p V0 / V lambda^2 = p / lambda: E (lambda - 1) lambda = p. */
static void a_solid_swells_as_its_modulus_says(void) {
    static const int rows[] = {KIND_UNIFORM, KIND_LATTICE};
    const int32_t n[3] = {10, 10, 10};
    for (int r = 0; r < 2; ++r) {
        kind_choose(rows[r]);
        for (int k = -1; k <= 2; ++k) {
            const double share = 0.1 * k, young = 30e3;
            lim_material m = pressed((float)(share * young));
            toy t = toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 4, 1);
            run(&t, 180);
            /* Below V0 the pressure stays: E (lambda - 1) = p lambda^2. */
            double grown = share >= 0.0 ? 0.5 + sqrt(0.25 + share)
                                        : (1.0 - sqrt(1.0 - 4.0 * share)) / (2.0 * share);
            printf("  p / E = %4.1f: stretched %.4f, by hand %.4f\n", share, stretch_of(&t), grown);
            CHECK_NEAR(stretch_of(&t) - 1.0, grown - 1.0, 0.05 * fabs(grown - 1.0) + 1e-6);
            toy_free(&t);
        }
    }
    kind_choose(KIND_ROWS);
}

/* A hollow cube's walls carry p times the area they enclose; a thinner skin of cells swells more
 * than the solid by far. */
static void a_shell_swells_more_than_a_solid(void) {
    const int32_t n[3] = {12, 12, 12};
    double grown[2];
    for (int k = 0; k < 2; ++k) {
        kind_now = k == 0 ? KIND_LATTICE : KIND_SHELL;
        lim_material m = pressed(1000.0f);
        toy t = toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 4, 1);
        run(&t, 180);
        grown[k] = stretch_of(&t) - 1.0;
        toy_free(&t);
    }
    printf("  solid %.4f, shell %.4f\n", grown[0], grown[1]);
    CHECK(grown[1] > 2.0 * grown[0] && grown[1] < 1.0);
    kind_now = 0;
}

/* Whatever the body does, linear and angular momentum are those of a body without pressure. */
static void momentum_is_that_of_a_free_body(void) {
    const int32_t n[3] = {8, 4, 3};
    for (int r = 0; kind_choose(r); ++r) {
        lim_material m = pressed(3000.0f);
        toy t = toy_box(n, 0.05, p3(1, 2, 3), &m, NO_GRAVITY, 4, 1);
        lim_body_motion begin, now;
        CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){0.3f, 0.1f, -0.2f},
                                    (lim_vec3){1.0f, 2.0f, 0.5f}) == LIM_OK);
        CHECK(lim_body_get_motion(t.world, t.body, &begin) == LIM_OK);
        run(&t, 300);
        CHECK(lim_body_get_motion(t.world, t.body, &now) == LIM_OK);
        double speed = sqrt(2.0 * begin.kinetic / begin.mass);
        double p = 0.0, l = 0.0;
        for (int k = 0; k < 3; ++k) {
            double dp = fabs(now.momentum[k] - begin.momentum[k]) / (begin.mass * speed);
            double dl = fabs(now.angular_momentum[k] - begin.angular_momentum[k]) /
                        (begin.mass * speed * t.size);
            p = dp > p ? dp : p;
            l = dl > l ? dl : l;
        }
        CHECK(p < 1e-6 && l < 1e-4);              /* what viscosity leaves without pressure too */
        CHECK(toy_distance(&t) > 0.003 * t.size); /* it does act */
        if (p >= 1e-6 || l >= 1e-4) {
            printf("  momentum off by %.1e, angular %.1e\n", p, l);
        }
        toy_free(&t);
    }
}

/* Far beyond what the material can hold, in and out, at long steps: finite, and it does not fly. */
static void no_pressure_tears_a_body_apart(void) {
    const int32_t n[3] = {6, 4, 4};
    static const float strength[] = {3e5f, -3e5f, 1e9f, -1e9f};
    for (int r = 0; kind_choose(r); ++r) {
        for (int k = 0; k < 4; ++k) {
            lim_material m = pressed(strength[k]);
            toy t = toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 4, 1);
            run(&t, 300);
            lim_body_motion now;
            CHECK(lim_body_get_motion(t.world, t.body, &now) == LIM_OK);
            CHECK(!now.frozen && now.speed < 1e4 && now.speed >= 0.0);
            CHECK(fabs(now.centre.x) + fabs(now.centre.y) + fabs(now.centre.z) < 0.05);
            if (now.frozen || now.speed > 1e4) {
                printf("  %g Pa: speed %g, frozen %d\n", (double)strength[k], now.speed,
                       (int)now.frozen);
            }
            toy_free(&t);
        }
    }
}

/* Pressure, volume and flow together: the same bits with any number of workers, and after a load.
 */
static void workers_and_loads_change_nothing(void) {
    const int32_t n[3] = {24, 14, 14}; /* large enough to be split */
    static const int rows[] = {KIND_UNIFORM, KIND_LATTICE};
    for (int r = 0; r < 2; ++r) {
        kind_choose(rows[r]);
        uint64_t hash[2];
        for (int k = 0; k < 2; ++k) {
            lim_material m = pressed(2000.0f);
            m.volume = 0.9f;
            m.yield = 0.01f;
            toy t = toy_box(n, 0.05, p3(0, 1, 0), &m, (lim_vec3){0, -9.81f, 0}, 2, k == 0 ? 1 : 3);
            run(&t, 10);
            size_t size = 0;
            CHECK(lim_world_save(t.world, NULL, 0, &size) != LIM_ERROR_MEMORY && size > 0);
            unsigned char* bytes = malloc(size);
            lim_world* loaded = NULL;
            CHECK(lim_world_save(t.world, bytes, size, &size) == LIM_OK);
            CHECK(lim_world_load(bytes, size, 1, NULL, &loaded) == LIM_OK);
            run(&t, 10);
            for (int step = 0; step < 10; ++step) {
                CHECK(lim_world_step(loaded, 1.0f / 60) == LIM_OK);
            }
            hash[k] = lim_world_hash(t.world);
            CHECK(lim_world_hash(loaded) == hash[k]);
            lim_world_destroy(loaded);
            free(bytes);
            toy_free(&t);
        }
        CHECK(hash[0] == hash[1]);
    }
    kind_choose(KIND_ROWS);
}

static int warnings;
static void count_warnings(void* user, lim_log_level level, const char* message) {
    (void)user;
    warnings += level == LIM_LOG_WARNING && strstr(message, "pressure") != NULL;
}

/* A square without thickness has no inside: it says so once and moves as without. */
static void an_open_surface_feels_none(void) {
    const double p[12] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1};
    const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    lim_host host = {.log = count_warnings};
    lim_mesh_desc md = lim_mesh_desc_default();
    md.vertex_count = 4;
    md.triangle_count = 2;
    md.positions = p;
    md.indices = corners;
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_world* world = NULL;
    lim_model_desc desc = lim_model_desc_default();
    lim_world_desc wd = lim_world_desc_default();
    wd.gravity = NO_GRAVITY;
    CHECK(lim_mesh_create(&md, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    CHECK(lim_world_create(&wd, &host, &world) == LIM_OK);
    lim_body_desc bd = lim_body_desc_default();
    bd.model = model;
    bd.material.pressure = 1000.0f;
    lim_body body;
    warnings = 0;
    CHECK(lim_body_create(world, &bd, &body) == LIM_OK);
    CHECK(warnings == 1);
    for (int k = 0; k < 60; ++k) {
        CHECK(lim_world_step(world, 1.0f / 60) == LIM_OK);
    }
    lim_body_motion now;
    CHECK(lim_body_get_motion(world, body, &now) == LIM_OK);
    CHECK(now.speed == 0.0 && warnings == 1);
    lim_world_destroy(world);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(pressure) {
    TEST_BEGIN(argc, argv);
    RUN(a_solid_swells_as_its_modulus_says);
    RUN(a_shell_swells_more_than_a_solid);
    RUN(momentum_is_that_of_a_free_body);
    RUN(no_pressure_tears_a_body_apart);
    RUN(workers_and_loads_change_nothing);
    RUN(an_open_surface_feels_none);
    TEST_END();
}
