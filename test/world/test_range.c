/* SPDX-License-Identifier: MIT
 * Range: who is outside rests as if it were switched off, to the bit, stands in the way, is not
 * woken, and goes on when the range comes back.
 */
#include "world_kit.h"

static const lim_box NEAR_ORIGIN = {{-3, -3, -3}, {3, 3, 3}};

/* Two worlds with one body near and one far; in the second the far one is switched off instead. */
static void out_of_range_is_as_good_as_switched_off(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world[2];
    lim_body near[2], far[2];
    for (int k = 0; k < 2; ++k) {
        world[k] = kit_world(NULL, 1);
        kit_floor(world[k]);
        near[k] = kit_body(world[k], model, 0.0, 1.0);
        far[k] = kit_body(world[k], model, 8.0, 1.0);
    }
    for (int step = 0; step < 40; ++step) {
        bool out = step >= 5 && step < 20;
        CHECK(lim_world_set_range(world[0], out ? &NEAR_ORIGIN : NULL) == LIM_OK);
        CHECK(lim_body_set_enabled(world[1], far[1], !out) == LIM_OK);
        double before = motion_of(world[0], far[0]).centre.y;
        for (int k = 0; k < 2; ++k) {
            kit_steps(world[k], 1);
        }
        CHECK(lim_world_get_report(world[0]).bodies_awake == (out ? 1 : 2));
        CHECK((motion_of(world[0], far[0]).centre.y == before) == out);
        for (int j = 0; j < 2; ++j) {
            lim_body_motion a = motion_of(world[0], j == 0 ? near[0] : far[0]);
            lim_body_motion b = motion_of(world[1], j == 0 ? near[1] : far[1]);
            CHECK(a.centre.y == b.centre.y && a.kinetic == b.kinetic && a.elastic == b.elastic);
        }
    }
    CHECK(lim_world_hash(world[0]) == lim_world_hash(world[1]));
    for (int k = 0; k < 2; ++k) {
        lim_world_destroy(world[k]);
    }
    lim_model_destroy(model);
}

/* One that hangs out of range in the air carries one that falls on it, and stays where it is. */
static void who_is_out_of_range_stands_in_the_way(void) {
    lim_model* model = kit_model(120, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body below = kit_toy(world, model, 0.0, 1.0), above = kit_toy(world, model, 0.0, 1.5);
    lim_box upper = {{-3, 1.4, -3}, {3, 5, 3}}; /* its nodes and a reach about them are below */
    CHECK(lim_world_set_range(world, &upper) == LIM_OK);
    double least = 2.0, start = motion_of(world, below).centre.y;
    for (int k = 0; k < 25; ++k) {
        kit_steps(world, 1);
        double y = motion_of(world, above).centre.y;
        least = y < least ? y : least;
    }
    CHECK(motion_of(world, below).centre.y == start);
    CHECK(least < 1.4 && least > 1.05); /* free fall would be at 0.65 */
    CHECK(lim_world_set_range(world, NULL) == LIM_OK);
    kit_steps(world, 10);
    CHECK(motion_of(world, below).centre.y < 0.99);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void sleepers_out_of_range_are_not_woken(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body b = kit_toy(world, model, 0.0, 0.125);
    for (int k = 0; k < 40 && !motion_of(world, b).asleep; ++k) {
        kit_steps(world, 30);
    }
    CHECK(motion_of(world, b).asleep);
    lim_box far = {{50, 0, 0}, {51, 1, 1}};
    lim_collider_desc c = lim_collider_desc_default();
    lim_collider made;
    c.shape = LIM_SHAPE_SPHERE;
    c.position = (lim_point){-3, 0.2, 0};
    c.velocity = (lim_vec3){6, 0, 0};
    c.size.x = 0.1f;
    CHECK(lim_collider_create(world, &c, &made) == LIM_OK);
    CHECK(lim_world_set_range(world, &far) == LIM_OK);
    kit_steps(world, 60);
    CHECK(motion_of(world, b).asleep);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void the_range_is_state(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    kit_body(world, model, 0.0, 1.0);
    lim_body far = kit_body(world, model, 8.0, 1.0);
    double start = motion_of(world, far).centre.y;
    uint64_t everywhere = lim_world_hash(world);
    CHECK(lim_world_set_range(world, &NEAR_ORIGIN) == LIM_OK);
    CHECK(lim_world_hash(world) != everywhere);
    kit_steps(world, 3);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    void* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    lim_world* again = NULL;
    CHECK(lim_world_load(bytes, size, 2, NULL, &again) == LIM_OK);
    kit_steps(world, 10);
    kit_steps(again, 10);
    CHECK(motion_of(again, far).centre.y == start);
    CHECK(lim_world_hash(again) == lim_world_hash(world));
    uint64_t before = lim_world_hash(world);
    lim_box upside_down = {{3, 3, 3}, {-3, -3, -3}}, nowhere = {{NAN, 0, 0}, {1, 1, 1}};
    CHECK(lim_world_set_range(world, &upside_down) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_range(world, &nowhere) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_range(NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_hash(world) == before);
    free(bytes);
    lim_world_destroy(again);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(range) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(out_of_range_is_as_good_as_switched_off);
        RUN(who_is_out_of_range_stands_in_the_way);
        RUN(sleepers_out_of_range_are_not_woken);
        RUN(the_range_is_state);
    }
    TEST_END();
}
