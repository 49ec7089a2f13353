/* SPDX-License-Identifier: MIT
 * Bodies that ask for what their cells cannot give: small solids far apart in one body, which are
 * small beside it, rods of many cells, and moduli far beyond what a step can bear. They stay
 * finite, gain no energy and come to rest.
 */
#include "base/random.h"
#include "kind_rows.h"
#include "math/trig.h"
#include "scene.h"
#include "test.h"

#include <limber/limber.h>

enum { VERTICES = 4096, TRIANGLES = 8192, NODES = 2000 };
static double position[3 * VERTICES];
static uint32_t corner[3 * TRIANGLES];
static int32_t vertex_count, triangle_count;

static void add_vertex(const double at[3], double size, double x, double y, double z) {
    double* to = position + 3 * (size_t)vertex_count++;
    to[0] = at[0] + size * x;
    to[1] = at[1] + size * y;
    to[2] = at[2] + size * z;
}

static void add_triangle(int32_t first, int32_t a, int32_t b, int32_t c) {
    uint32_t* to = corner + 3 * (size_t)triangle_count++;
    to[0] = (uint32_t)(first + a);
    to[1] = (uint32_t)(first + b);
    to[2] = (uint32_t)(first + c);
}

static void add_tetrahedron(const double at[3], double size) {
    int32_t first = vertex_count;
    for (int k = 0; k < 4; ++k) {
        add_vertex(at, size, k == 1, k == 2, k == 3);
    }
    add_triangle(first, 0, 2, 1);
    add_triangle(first, 0, 1, 3);
    add_triangle(first, 0, 3, 2);
    add_triangle(first, 1, 2, 3);
}

/* Sides 1, y and z. */
static void add_box(const double at[3], double size, double y, double z) {
    static const int8_t face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                       {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                       {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int32_t first = vertex_count;
    for (int k = 0; k < 8; ++k) {
        add_vertex(at, size, k & 1, y * (k >> 1 & 1), z * (k >> 2));
    }
    for (int k = 0; k < 12; ++k) {
        add_triangle(first, face[k][0], face[k][1], face[k][2]);
    }
}

static void add_ball(const double at[3], double size) {
    enum { RINGS = 6, SIDES = 8 };
    int32_t first = vertex_count, south = 1 + (RINGS - 1) * SIDES;
    add_vertex(at, size, 0.0, 0.5, 0.0);
    for (int r = 1; r < RINGS; ++r) {
        double a = TRIG_PI * r / (double)RINGS, wide = 0.5 * trig_sin(a), high = 0.5 * trig_cos(a);
        for (int s = 0; s < SIDES; ++s) {
            double b = 2.0 * TRIG_PI * s / (double)SIDES;
            add_vertex(at, size, wide * trig_sin(b), high, wide * trig_cos(b));
        }
    }
    add_vertex(at, size, 0.0, -0.5, 0.0);
    for (int s = 0; s < SIDES; ++s) {
        int next = (s + 1) % SIDES;
        add_triangle(first, 0, 1 + s, 1 + next);
        for (int r = 0; r < RINGS - 2; ++r) {
            int row = 1 + r * SIDES;
            add_triangle(first, row + s, row + SIDES + s, row + next);
            add_triangle(first, row + next, row + SIDES + s, row + SIDES + next);
        }
        int last = 1 + (RINGS - 2) * SIDES;
        add_triangle(first, south, last + next, last + s);
    }
}

static lim_mesh* take_mesh(void) {
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = vertex_count;
    desc.positions = position;
    desc.triangle_count = triangle_count;
    desc.indices = corner;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    vertex_count = triangle_count = 0;
    return mesh;
}

static double power(double base, double exponent) {
    return trig_exp(exponent * log(base));
}

/* 2 to 30 solids of 1 mm to 1 m, all of about one size or each of its own, within 2 to 1,000 sizes.
 */
static lim_mesh* random_specks(uint64_t seed) {
    random_stream r = random_seed(seed);
    int32_t count = 2 + random_index(&r, 29);
    bool alike = random_index(&r, 2) == 0;
    double common = power(10.0, (double)random_range(&r, -3.0f, 0.0f));
    double room = common * power(10.0, (double)random_range(&r, 0.3f, 3.0f));
    for (int32_t i = 0; i < count; ++i) {
        double at[3], size = common * (double)random_range(&r, 0.5f, 1.0f);
        size = alike ? size : power(10.0, (double)random_range(&r, -3.0f, 0.0f));
        for (int k = 0; k < 3; ++k) {
            at[k] = room * (double)random_unit(&r);
        }
        switch (random_index(&r, 3)) {
        case 0:
            add_tetrahedron(at, size);
            break;
        case 1:
            add_box(at, size, 1.0, 1.0);
            break;
        default:
            add_ball(at, size);
            break;
        }
    }
    return take_mesh();
}

static double longest_side(const lim_mesh* mesh) {
    lim_box b = lim_mesh_get_report(mesh).bounds;
    double x = b.upper.x - b.lower.x, y = b.upper.y - b.lower.y, z = b.upper.z - b.lower.z;
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

/* ---- falls ------------------------------------------------------------------------------------
 */

enum { LOOK = 30, FALL_MOST = 3600 }; /* steps: between two looks, and at most */

/* Steps until all sleeps: finite all the time, never more energy than at first, but for a millionth
 * of what has gone to and fro (where the potential is zero is anybody's choice). rests: below this
 * speed it counts as at rest if it does not sleep after a minute. */
static void fall(lim_world* world, lim_body body, double rests, const char* what, uint64_t seed) {
    lim_body_motion m;
    CHECK(lim_body_get_motion(world, body, &m) == LIM_OK);
    double first = m.kinetic + m.potential + m.elastic, high = m.potential, most = first;
    bool grew = false;
    int32_t step = 0, restored = 0;
    for (; step < FALL_MOST && !m.asleep && restored == 0; ++step) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
        restored += lim_world_get_report(world).bodies_restored;
        if (step % LOOK == 0 || restored > 0) {
            CHECK(lim_body_get_motion(world, body, &m) == LIM_OK);
            double now = m.kinetic + m.potential + m.elastic;
            CHECK(isfinite(now) && isfinite(m.strain));
            most = now > most ? now : most;
            grew = grew || now - first > 1e-6 * (m.kinetic + fabs(high - m.potential)) + 1e-12;
        }
    }
    bool good = restored == 0 && (m.asleep || m.speed < rests) && !m.frozen && !grew;
    if (!good) {
        printf("     %s, seed %d: restored %d, asleep %d after %d steps, energy %g of %g, %g m/s\n",
               what, (int)seed, restored, m.asleep, step, most, first, m.speed);
    }
    CHECK(good);
}

static void specks_are_dropped_as_the_tool_does(void) {
    const int sets = test_long ? 100 : 4;
    for (int i = 0; i < sets; ++i) {
        lim_mesh* mesh = random_specks((uint64_t)i);
        scene_drop_options drop = scene_drop_options_default();
        drop.nodes = NODES;
        scene_options options = {0};
        scene* plan = NULL;
        scene_run* run = NULL;
        CHECK(scene_drop_of_mesh(mesh, &drop, NULL, &plan, NULL) == LIM_OK);
        CHECK(scene_start(plan, &options, NULL, &run, NULL) == LIM_OK);
        fall(scene_run_world(run), scene_run_body_at(run, 0).body, 0.0, "drop", (uint64_t)i);
        scene_stop(run);
        scene_destroy(plan);
        lim_mesh_destroy(mesh);
    }
}

static lim_world* world_with_ground(double height) {
    lim_world_desc desc = lim_world_desc_default();
    lim_collider_desc ground = lim_collider_desc_default();
    lim_collider id;
    lim_world* world = NULL;
    ground.position.y = height;
    CHECK(lim_world_create(&desc, NULL, &world) == LIM_OK);
    CHECK(lim_collider_create(world, &ground, &id) == LIM_OK);
    return world;
}

/* Of the kind of a row. */
static void specks_fall(int row, uint64_t seed) {
    /* A lattice may rock on a small foot for long, a cloud of points that is one shape swing on a
     * few of them (docs/limits.md). */
    static const double speeds[] = {[LIM_NODES_IN_CELLS] = 0.0,
                                    [LIM_NODES_AT_CORNERS] = 0.1,
                                    [LIM_NODES_ARE_POINTS] = INFINITY};
    lim_kind_info kind = kind_info(row);
    lim_mesh* mesh = random_specks(seed);
    lim_model_desc how = lim_model_desc_default();
    lim_model* model = NULL;
    how.kind = kind_id(row);
    how.node_count = NODES;
    how.scale = 1.0 / longest_side(mesh);
    CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
    lim_model_info info = lim_model_get_info(model);
    lim_world* world = world_with_ground(info.bounds.lower.y - info.centre.y - 0.25);
    lim_body_desc desc = lim_body_desc_default();
    lim_body body;
    desc.model = model;
    desc.material = scene_auto_material(scene_body_default().material, 1.0, 9.81);
    CHECK(lim_body_create(world, &desc, &body) == LIM_OK);
    fall(world, body, speeds[kind.nodes], kind.name, seed);
    lim_world_destroy(world);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
}

static void specks_of_every_kind_fall(void) {
    const int sets = test_long ? 100 : 3;
    uint64_t seed = 1000;
    for (int i = 0; i < sets; ++i) {
        for (int k = 0; (k = kind_first(k)) >= 0; ++k) {
            specks_fall(k, seed++);
        }
    }
}

/* ---- moduli -----------------------------------------------------------------------------------
 */

/* A free body that turns and is out of shape: its energy does not grow, its momentum stays 0. */
static void float_free(lim_model* model, float young, const char* what) {
    lim_world_desc wd = lim_world_desc_default();
    lim_body_desc desc = lim_body_desc_default();
    lim_world* world = NULL;
    lim_body body;
    lim_body_motion m;
    wd.gravity = (lim_vec3){0, 0, 0};
    desc.model = model;
    desc.material.young = young;
    desc.material.viscosity = desc.material.damping_time = 0.0f;
    desc.angular_velocity = (lim_vec3){1.0f, 2.0f, 3.0f};
    CHECK(lim_world_create(&wd, NULL, &world) == LIM_OK);
    CHECK(lim_body_create(world, &desc, &body) == LIM_OK);
    int32_t nodes = lim_model_get_info(model).nodes;
    float* v = malloc(3 * (size_t)nodes * sizeof(float));
    random_stream r = random_seed(7);
    CHECK(lim_body_get_nodes(world, body, NULL, v, nodes) == LIM_OK);
    for (int32_t i = 0; i < 3 * nodes; ++i) {
        v[i] += random_range(&r, -0.1f, 0.1f);
    }
    CHECK(lim_body_set_nodes(world, body, NULL, v, nodes) == LIM_OK);
    CHECK(lim_body_get_motion(world, body, &m) == LIM_OK);
    double first = m.kinetic, most = 0.0;
    for (int step = 0; step < 300; ++step) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
        CHECK(lim_world_get_report(world).bodies_restored == 0);
        if (step % LOOK == LOOK - 1) {
            CHECK(lim_body_get_motion(world, body, &m) == LIM_OK);
            most = m.kinetic > most || !isfinite(m.kinetic) ? m.kinetic : most;
        }
    }
    printf("     %s, %g Pa: %.4f of the energy at first, at most %.4f; strain %.3g\n", what,
           (double)young, m.kinetic / first, most / first, m.strain);
    CHECK(most <= 1.001 * first && (m.strain < 0.5 || lim_model_get_info(model).components > 1));
    free(v);
    lim_world_destroy(world);
}

/* young: of 1e3 to 1e9 times what cells of this size can give. */
static void no_modulus_is_too_much(void) {
    static const double origin[3] = {0, 0, 0}, away[3] = {3.0, 0.5, 0.2};
    static const char* const names[] = {"cube", "specks", "rod"};
    for (int shape = 0; shape < 3; ++shape) {
        lim_model_desc how = lim_model_desc_default();
        double cells = shape == 0 ? 8.0 : test_long ? 10000.0 : 1000.0;
        if (shape == 2) {
            add_box(origin, 1.0, 1.0 / cells, 1.0 / cells);
            how.node_count = (int32_t)cells;
        } else {
            add_box(origin, 1.0, 1.0, 1.0);
            how.node_count = 500;
        }
        if (shape == 1) {
            add_box(away, 0.02, 1.0, 1.0);
            add_ball(away, 0.001);
        }
        lim_mesh* mesh = take_mesh();
        lim_model* model = NULL;
        how.scale = 0.01;
        CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
        double cell = (double)lim_model_get_info(model).cell_size, h = 1.0 / 480.0;
        double given = 1000.0 * 0.75 * cell * cell / (h * h);
        for (int k = 0; k < 3; ++k) {
            float_free(model, (float)(given * power(10.0, 3.0 + 3.0 * k)), names[shape]);
        }
        lim_model_destroy(model);
        lim_mesh_destroy(mesh);
    }
}

static void a_rod_of_many_cells_falls(void) {
    static const double origin[3] = {0, 0, 0};
    double cells = test_long ? 10000.0 : 1000.0;
    add_box(origin, 1.0, 1.0 / cells, 1.0 / cells);
    lim_mesh* mesh = take_mesh();
    scene_drop_options drop = scene_drop_options_default();
    drop.nodes = (int32_t)cells;
    scene_options options = {0};
    scene* plan = NULL;
    scene_run* run = NULL;
    CHECK(scene_drop_of_mesh(mesh, &drop, NULL, &plan, NULL) == LIM_OK);
    CHECK(scene_start(plan, &options, NULL, &run, NULL) == LIM_OK);
    fall(scene_run_world(run), scene_run_body_at(run, 0).body, 0.0, "rod", (uint64_t)cells);
    scene_stop(run);
    scene_destroy(plan);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(specks) {
    TEST_BEGIN(argc, argv);
    RUN(specks_are_dropped_as_the_tool_does);
    RUN(specks_of_every_kind_fall);
    RUN(no_modulus_is_too_much);
    RUN(a_rod_of_many_cells_falls);
    TEST_END();
}
