/* SPDX-License-Identifier: MIT
 * Bodies come to rest where they belong, whatever steps they were dropped with: in long ones they
 * give way as if they were softer, and may fall asleep so; steps of another length wake them.
 */
#include "world_kit.h"

/* The egg on its side, where it rests as it lies. */
static lim_body lay(lim_world* world, const lim_model* model, double height) {
    lim_body body = kit_toy(world, model, 0.0, height);
    lim_quat side = {0.0f, 0.0f, 0.70710678f, 0.70710678f};
    CHECK(lim_body_teleport(world, body, (lim_point){0.0, height, 0.0}, side) == LIM_OK);
    return body;
}

static void steps_of(lim_world* world, float dt, double seconds) {
    for (int32_t i = 0; i < (int32_t)(seconds / (double)dt + 0.5); ++i) {
        CHECK(lim_world_step(world, dt) == LIM_OK);
    }
}

static double height_of(const lim_body_motion* m) {
    return m->bounds.upper.y - m->bounds.lower.y;
}

static void long_steps_leave_no_body_squashed(void) {
    const float length[] = {0.1f, 0.25f, 0.5f, 1.0f};
    lim_model* model = kit_model(64, NULL);
    lim_world* right = kit_world(NULL, 1);
    (void)kit_floor(right);
    lim_body body = lay(right, model, 0.2);
    steps_of(right, 1.0f / 60.0f, 8.0);
    lim_body_motion wanted = motion_of(right, body);
    double side = height_of(&wanted);
    for (int k = 0; k < 4; ++k) {
        lim_world* world = kit_world(NULL, 1);
        (void)kit_floor(world);
        body = lay(world, model, 0.2);
        steps_of(world, length[k], 12.0);
        lim_body_motion before = motion_of(world, body);
        steps_of(world, 1.0f / 60.0f, 8.0);
        lim_body_motion after = motion_of(world, body);
        printf("  steps of %.2f s: height %.3f, then %.3f of %.3f m\n", (double)length[k],
               height_of(&before), height_of(&after), side);
        /* What flows keeps the dents that it got. */
        double slack = KIND_TABLE[kind_now].clay ? 0.3 * side : 0.05 * side;
        CHECK_NEAR(after.centre.y, wanted.centre.y, slack);
        CHECK_NEAR(height_of(&after), side, slack);
        lim_world_destroy(world);
    }
    lim_world_destroy(right);
    lim_model_destroy(model);
}

/* A body of octree cells that sleeps on the ground, having been stepped by dt. */
static lim_world* sleeping(lim_model** model, lim_body* body, float dt) {
    lim_world* world = kit_world(NULL, 1);
    *model = kit_model(64, NULL);
    (void)kit_floor(world);
    *body = lay(world, *model, 0.1);
    steps_of(world, dt, 6.0);
    CHECK(motion_of(world, *body).asleep);
    return world;
}

static void other_steps_wake_and_similar_ones_do_not(void) {
    const float unit = 1.0f / 60.0f;
    const struct {
        float dt;
        bool sleeps;
    } rows[] = {{unit, true},          {0.51f * unit, true},  {1.99f * unit, true},
                {0.49f * unit, false}, {2.01f * unit, false}, {0.1f * unit, false},
                {0.25f, false}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        lim_model* model;
        lim_body body;
        lim_world* world = sleeping(&model, &body, unit);
        CHECK(lim_world_step(world, rows[k].dt) == LIM_OK);
        CHECK(motion_of(world, body).asleep == rows[k].sleeps);
        /* It gets used to them. */
        steps_of(world, rows[k].dt, 4.0);
        CHECK(motion_of(world, body).asleep);
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

/* The step in which a body fell asleep is state: it wakes and sleeps after loading as without. */
static void the_step_of_sleep_is_saved(void) {
    lim_model* model;
    lim_body body;
    lim_world* world = sleeping(&model, &body, 0.1f);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    void* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    for (int k = 0; k < 2; ++k) {
        lim_world* twin = NULL;
        CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
        CHECK(lim_world_hash(twin) == lim_world_hash(world));
        CHECK(lim_world_step(twin, k == 0 ? 0.1f : 1.0f / 60.0f) == LIM_OK);
        CHECK(motion_of(twin, body).asleep == (k == 0));
        lim_world_destroy(twin);
    }
    free(bytes);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Frame times that differ by a fifth from step to step. */
static void unsteady_steps_let_bodies_sleep(void) {
    lim_model* model = kit_model(64, NULL);
    lim_world* world = kit_world(NULL, 1);
    (void)kit_floor(world);
    lim_body body = lay(world, model, 0.1);
    for (int i = 0; i < 480; ++i) {
        CHECK(lim_world_step(world, (0.8f + 0.1f * (float)(i * 7 % 5)) / 60.0f) == LIM_OK);
    }
    CHECK(motion_of(world, body).asleep);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Thrown up at g times the step it stands still when that ends: not for long. */
static void nothing_sleeps_where_it_only_turns_round(void) {
    for (int k = 0; k < 2; ++k) {
        float dt = k == 0 ? 0.5f : 1.0f;
        lim_model* model = kit_model(24, NULL);
        lim_world* world = kit_world(NULL, 1);
        lim_body body = kit_toy(world, model, 0.0, 1.0);
        CHECK(lim_body_set_velocity(world, body, (lim_vec3){0.0f, 9.81f * dt, 0.0f},
                                    (lim_vec3){0.0f, 0.0f, 0.0f}) == LIM_OK);
        CHECK(lim_world_step(world, dt) == LIM_OK);
        lim_body_motion top = motion_of(world, body);
        CHECK(top.speed < 0.01 && !top.asleep);
        CHECK(lim_world_step(world, dt) == LIM_OK);
        CHECK(motion_of(world, body).centre.y < top.centre.y - 1.0 * (double)(dt * dt));
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

TEST_SUITE(rest_steps) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(long_steps_leave_no_body_squashed);
    }
    RUN(other_steps_wake_and_similar_ones_do_not);
    RUN(the_step_of_sleep_is_saved);
    RUN(unsteady_steps_let_bodies_sleep);
    RUN(nothing_sleeps_where_it_only_turns_round);
    TEST_END();
}
