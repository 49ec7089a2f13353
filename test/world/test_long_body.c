/* SPDX-License-Identifier: MIT
 * A body long enough for several charts, through the public API: it is as exact 10 km away as at
 * the origin, keeps its momentum, saves and loads with the same bits; damaged bytes are refused or
 * safe; creating it fails cleanly.
 */
#include "test.h"

#include "body/topology.h"
#include "core/physics_kit.h"
#include "failing_host.h"
#include "world/container.h"
#include "world/model.h"

static const double PI = 3.14159265358979323846;
static const lim_vec3 NO_GRAVITY = {0, 0, 0};

static toy long_bar(int32_t cells, lim_point at, const lim_material* m, int32_t threads) {
    return toy_box((const int32_t[3]){cells, 2, 2}, 1.0 / cells, at, m, NO_GRAVITY, 4, threads);
}

/* Bends the bar in a half circle about its middle. */
static void bend(toy* t, lim_point at) {
    double radius = 1.0 / PI;
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        double angle = PI * t->rest[3 * i], arm = radius - t->rest[3 * i + 1];
        t->x[3 * i] = at.x + arm * trig_sin(angle);
        t->x[3 * i + 1] = at.y + radius - arm * trig_cos(angle);
    }
    toy_write(t);
}

/* The same steps of a bar of 1,000 cells that springs open, here and far. */
static void far_is_as_exact_as_near(void) {
    lim_material m = lim_material_default();
    const lim_point place[2] = {{0, 0, 0}, {10000, -3000, 7000}};
    toy t[2];
    for (int p = 0; p < 2; ++p) {
        t[p] = long_bar(1000, place[p], &m, 1);
        CHECK(charts_many(&t[p].model->topology->charts));
        bend(&t[p], place[p]);
        CHECK(lim_body_set_velocity(t[p].world, t[p].body, NO_GRAVITY, (lim_vec3){0.5f, 1, 3}) ==
              LIM_OK);
        for (int k = 0; k < 50; ++k) {
            CHECK(lim_world_step(t[p].world, 1.0f / 60) == LIM_OK);
        }
        toy_read(&t[p]);
    }
    double worst = 0.0, moved = 0.0;
    for (int32_t i = 0; i < t[0].nodes; ++i) {
        const double to[3] = {place[1].x, place[1].y, place[1].z};
        for (int k = 0; k < 3; ++k) {
            double off = fabs(t[1].x[3 * i + k] - to[k] - t[0].x[3 * i + k]);
            worst = off > worst ? off : worst;
        }
        double speed = sqrt((double)t[0].v[3 * i] * (double)t[0].v[3 * i] +
                            (double)t[0].v[3 * i + 1] * (double)t[0].v[3 * i + 1]);
        moved = speed > moved ? speed : moved;
    }
    printf("  a bar of 1 m and 1,000 cells after 50 steps: at most %.1e m apart, speeds to %.2g\n",
           worst, moved);
    CHECK(moved > 1e-3 && worst <= 1e-6);
    toy_free(&t[0]);
    toy_free(&t[1]);
}

static void momentum_is_kept(void) {
    lim_material m = lim_material_default();
    m.damping_time = 0.0f;
    toy t = long_bar(1000, p3(0, 0, 0), &m, 1);
    bend(&t, p3(0, 0, 0));
    CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){0.3f, 0.1f, -0.2f},
                                (lim_vec3){0.5f, 1, 2}) == LIM_OK);
    lim_body_motion a, b;
    CHECK(lim_body_get_motion(t.world, t.body, &a) == LIM_OK);
    for (int k = 0; k < 200; ++k) {
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    CHECK(lim_body_get_motion(t.world, t.body, &b) == LIM_OK);
    double absolute = a.mass * sqrt(2.0 * a.kinetic / a.mass), turning = 0.0;
    for (int k = 0; k < 3; ++k) {
        turning += a.angular_momentum[k] * a.angular_momentum[k];
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(b.momentum[k], a.momentum[k], 1e-6 * absolute);
        CHECK_NEAR(b.angular_momentum[k], a.angular_momentum[k], 1e-5 * sqrt(turning));
    }
    toy_free(&t);
}

/* 80 cells: three charts. */
static lim_model* three_charts(const lim_host* host, lim_result* out_result) {
    lim_mesh* mesh = box_surface((const int32_t[3]){80, 2, 2}, 0.01);
    lim_model_desc md = lim_model_desc_default();
    md.cell_size = 0.01f;
    lim_model* model = NULL;
    *out_result = lim_model_create(mesh, &md, host, &model);
    lim_mesh_destroy(mesh);
    return model;
}

static unsigned char* model_bytes(const lim_model* model, size_t* out_size) {
    CHECK(lim_model_save(model, NULL, 0, out_size) == LIM_OK);
    unsigned char* bytes = malloc(*out_size);
    CHECK(lim_model_save(model, bytes, *out_size, out_size) == LIM_OK);
    return bytes;
}

/* A few steps of a body of the model that is thrown; the hash of what it does. */
static uint64_t thrown(const lim_model* model, int32_t threads) {
    lim_world_desc wd = lim_world_desc_default();
    wd.workers = threads;
    lim_body_desc bd = lim_body_desc_default();
    bd.model = model;
    bd.angular_velocity = (lim_vec3){3, 8, 1};
    lim_world* world = NULL;
    lim_body body;
    CHECK(lim_world_create(&wd, NULL, &world) == LIM_OK);
    CHECK(lim_body_create(world, &bd, &body) == LIM_OK);
    for (int k = 0; k < 10; ++k) {
        CHECK(lim_world_step(world, 1.0f / 60) == LIM_OK);
    }
    uint64_t hash = lim_world_hash(world);
    lim_world_destroy(world);
    return hash;
}

static void a_saved_model_is_the_same(void) {
    lim_result result;
    lim_model *model = three_charts(NULL, &result), *twin = NULL;
    CHECK(result == LIM_OK && model->topology->charts.count == 3);
    CHECK(model->topology->charts.ghost_count > 0 && topology_is_valid(model->topology));
    size_t size = 0, again = 0;
    unsigned char* bytes = model_bytes(model, &size);
    CHECK(lim_model_load(bytes, size, NULL, &twin) == LIM_OK);
    unsigned char* copy = model_bytes(twin, &again);
    CHECK(size == again && memcmp(bytes, copy, size) == 0);
    CHECK(thrown(model, 1) == thrown(twin, 2));
    /* A ghost is no member: a node in the middle has a region of 4 x 2 x 2 nodes, wherever charts
     * end. */
    lim_model_nodes nodes = lim_model_get_nodes(model);
    for (int32_t i = 0; i < nodes.count; ++i) {
        int32_t members[64], count = lim_model_get_region(model, i, members, NULL, 64);
        CHECK(count == (fabsf(nodes.x[i]) < 0.375f ? 16 : count) && count <= 16);
        for (int32_t k = 0; k < count; ++k) {
            CHECK(members[k] >= 0 && members[k] < nodes.count);
            CHECK(fabsf(nodes.x[members[k]] - nodes.x[i]) < 0.025f);
            CHECK(k == 0 || members[k] != members[k - 1]);
        }
    }
    free(copy);
    free(bytes);
    lim_model_destroy(twin);
    lim_model_destroy(model);
}

/* Every field of the charts set to something that it must not be. */
static void damaged_charts_are_noticed(void) {
    lim_result result;
    lim_model* model = three_charts(NULL, &result);
    topology* t = model->topology;
    charts* c = &t->charts;
    int32_t* const fields[] = {&c->count,
                               &c->components,
                               &c->slots,
                               &c->ghost_count,
                               &c->ghost_block_count,
                               &c->begin[1],
                               &c->component[1],
                               &c->node[1],
                               &c->ghost_begin[1],
                               &c->ghost_node[0],
                               &c->node_offset[c->slots / 2],
                               &c->node_ghost[0],
                               &c->ghost_blocks[1].begin,
                               &c->ghost_blocks[1].end,
                               &c->ghost_blocks[1].chart,
                               &c->ghost_blocks[1].component,
                               &t->blocks[1].begin,
                               &t->blocks[1].end,
                               &t->blocks[1].chart,
                               &t->blocks[1].component};
    const int32_t wrong[] = {-1, -8, 1 << 20, INT32_MAX, INT32_MIN};
    CHECK(topology_is_valid(t));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        int32_t keep = *fields[i];
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
            *fields[i] = wrong[k];
            CHECK(!topology_is_valid(t));
        }
        *fields[i] = keep + 1;
        CHECK(!topology_is_valid(t));
        *fields[i] = keep;
    }
    c->origin[0][1] += 0.25f;
    CHECK(!topology_is_valid(t));
    c->origin[0][1] = t->x0[0][c->node[1]];
    CHECK(topology_is_valid(t));
    lim_model_destroy(model);
}

/* Random changes with a good checksum: refused, or a body of it can be stepped. */
static void forged_models_are_judged(void) {
    lim_result result;
    lim_model* model = three_charts(NULL, &result);
    size_t size = 0;
    unsigned char* bytes = model_bytes(model, &size);
    unsigned char* forged = malloc(size);
    random_stream r = random_seed(21);
    int loaded = 0, refused = 0;
    for (int n = 0; n < 1000; ++n) {
        memcpy(forged, bytes, size);
        size_t at = CONTAINER_HEAD + (size_t)random_index(&r, (int32_t)(size - CONTAINER_HEAD));
        forged[at] = (unsigned char)random_u64(&r);
        container_seal(forged, size, "LIMMODEL");
        lim_model* twin = NULL;
        lim_result read = lim_model_load(forged, size, NULL, &twin);
        CHECK((read == LIM_OK) == (twin != NULL));
        if (twin != NULL && n % 8 == 0) {
            thrown(twin, 1);
        }
        loaded += twin != NULL;
        refused += twin == NULL;
        lim_model_destroy(twin);
    }
    CHECK(loaded > 50 && refused > 50);
    free(forged);
    free(bytes);
    lim_model_destroy(model);
}

static void creating_fails_cleanly(void) {
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_result result;
        lim_model* model = three_charts(&f.host, &result);
        done = result == LIM_OK;
        CHECK(done || (result == LIM_ERROR_MEMORY && model == NULL));
        lim_model_destroy(model);
        CHECK(f.held == 0);
    }
}

TEST_SUITE(world_long_body) {
    TEST_BEGIN(argc, argv);
    RUN(far_is_as_exact_as_near);
    RUN(momentum_is_kept);
    RUN(a_saved_model_is_the_same);
    RUN(damaged_charts_are_noticed);
    RUN(forged_models_are_judged);
    RUN(creating_fails_cleanly);
    TEST_END();
}
