/* SPDX-License-Identifier: MIT
 * Plastic strain per vertex, for all kinds of body, against the hand: nothing without flow, what a
 * stretched body has let flow in one short step, nothing after a reset.
 */
#include "failing_host.h"
#include "world_kit.h"

static lim_world* still_world(const lim_host* host) {
    lim_world* world = kit_world(host, 1);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    return world;
}

/* The excess flows within a step: creep is large. */
static lim_body plastic_body(lim_world* world, const lim_model* model, float yield) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.material = kind_material(desc.material);
    desc.material.yield = yield;
    desc.material.creep = 1e6f;
    lim_body made = {0};
    CHECK(lim_body_create(world, &desc, &made) == LIM_OK);
    return made;
}

/* Stretches along world x by `strain` and takes a step too short to move. */
static void stretch(lim_world* world, lim_body b, int32_t nodes, double strain) {
    double* x = malloc(24u * (size_t)nodes);
    CHECK(lim_body_get_nodes(world, b, x, NULL, nodes) == LIM_OK);
    for (int32_t i = 0; i < nodes; ++i) {
        x[3 * i] *= 1.0 + strain;
    }
    CHECK(lim_body_set_nodes(world, b, x, NULL, nodes) == LIM_OK);
    CHECK(lim_world_step(world, 1e-4f) == LIM_OK);
    free(x);
}

static void largest_and_least(const lim_world* world, lim_body b, int32_t count, double out[2]) {
    float* value = malloc(sizeof(float) * (size_t)count);
    CHECK(lim_body_get_plastic(world, b, value, count) == LIM_OK);
    out[0] = out[1] = (double)value[0];
    for (int32_t i = 1; i < count; ++i) {
        out[0] = (double)value[i] < out[0] ? (double)value[i] : out[0];
        out[1] = (double)value[i] > out[1] ? (double)value[i] : out[1];
    }
    free(value);
}

/* A stretch of e = 0.2 has n = e; of it n - yield = 0.15 flows: U is diag(1.1, 0.95, 0.95) scaled
 * to determinant 1, and n(P) of a stretch along an axis is the difference of its two entries. */
static void it_is_what_has_flowed(void) {
    lim_model* model = kit_model(300, NULL);
    lim_world* world = still_world(NULL);
    lim_body b = plastic_body(world, model, 0.05f);
    int32_t nodes = lim_model_get_info(model).nodes;
    int32_t count = lim_model_get_surface(model).vertex_count;
    double found[2];
    largest_and_least(world, b, count, found);
    CHECK(found[0] == 0.0 && found[1] == 0.0);
    stretch(world, b, nodes, 0.2);
    largest_and_least(world, b, count, found);
    const double expected = 0.15 / cbrt(1.1 * 0.95 * 0.95);
    CHECK_NEAR(found[0], expected, 0.02 * expected);
    CHECK_NEAR(found[1], expected, 0.02 * expected);
    CHECK(lim_body_reset(world, b) == LIM_OK);
    largest_and_least(world, b, count, found);
    CHECK(found[1] == 0.0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void without_yield_nothing_flows(void) {
    lim_model* model = kit_model(300, NULL);
    lim_world* world = still_world(NULL);
    lim_body b = plastic_body(world, model, 0.0f);
    double found[2];
    stretch(world, b, lim_model_get_info(model).nodes, 0.2);
    largest_and_least(world, b, lim_model_get_surface(model).vertex_count, found);
    CHECK(found[0] == 0.0 && found[1] == 0.0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void without_memory_nothing_is_lost(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    lim_model* model = kit_model(60, NULL);
    lim_world* world = still_world(&f.host);
    lim_body b = plastic_body(world, model, 0.05f);
    int32_t count = lim_model_get_surface(model).vertex_count;
    float* value = malloc(sizeof(float) * (size_t)count);
    stretch(world, b, lim_model_get_info(model).nodes, 0.2);
    int64_t held = f.held;
    f.allocations = 0;
    f.fail_at = 0;
    CHECK(lim_body_get_plastic(world, b, value, count) == LIM_ERROR_MEMORY);
    CHECK(f.held == held);
    CHECK(lim_body_get_plastic(world, b, value, count) == LIM_OK);
    CHECK(f.held == held);
    CHECK(lim_body_get_plastic(world, b, value, count - 1) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_get_plastic(world, b, NULL, count) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_get_plastic(NULL, b, value, count) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_destroy(world, b) == LIM_OK);
    CHECK(lim_body_get_plastic(world, b, value, count) == LIM_ERROR_ID);
    free(value);
    lim_world_destroy(world);
    CHECK(f.held == 0);
    lim_model_destroy(model);
}

TEST_SUITE(world_plastic_view) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(without_yield_nothing_flows);
        if (KIND_TABLE[k].goal != LIM_GOAL_QUADRATIC) { /* these never flow */
            RUN(it_is_what_has_flowed);
            RUN(without_memory_nothing_is_lost);
        }
    }
    TEST_END();
}
