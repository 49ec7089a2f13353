/* SPDX-License-Identifier: MIT
 * Hard grabs: the held point is where the target is, the force is what hangs on it, a limit gives
 * way and holds again, and all of it is state.
 */
#include "world_kit.h"

static lim_grab hard_grab(lim_world* world, lim_body b, lim_point at, float limit) {
    lim_grab_desc desc = lim_grab_desc_default();
    desc.body = b;
    desc.point = at;
    desc.hard = true;
    desc.force_limit = limit;
    lim_grab made = {0};
    CHECK(lim_grab_create(world, &desc, &made) == LIM_OK);
    return made;
}

static lim_point held_at(const lim_world* world, lim_grab g) {
    lim_point at = {0};
    CHECK(lim_grab_get_point(world, g, &at) == LIM_OK);
    return at;
}

static double pull_of(const lim_world* world, lim_grab g) {
    lim_load load = {0};
    CHECK(lim_grab_get_load(world, g, &load) == LIM_OK);
    lim_vec3 f = load.force;
    return sqrt((double)f.x * (double)f.x + (double)f.y * (double)f.y + (double)f.z * (double)f.z);
}

static double apart(lim_point a, lim_point b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void the_held_point_is_at_the_target(void) {
    lim_model* model = kit_model(120, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_toy(world, model, 0.0, 1.0);
    lim_grab g = hard_grab(world, b, (lim_point){0, 1.12, 0}, 0.0f);
    lim_point target = held_at(world, g);
    for (int k = 0; k < 60; ++k) {
        target.x += 1.0 / 60.0 * 0.8;
        target.y += 1.0 / 60.0 * 0.6;
        CHECK(lim_grab_move(world, g, target) == LIM_OK);
        kit_steps(world, 1);
        CHECK(apart(held_at(world, g), target) < 1e-4);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void what_hangs_has_its_weight(void) {
    lim_model* model = kit_model(120, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_toy(world, model, 0.0, 1.0);
    lim_grab g = hard_grab(world, b, (lim_point){0, 1.12, 0}, 0.0f);
    kit_steps(world, 240);
    double sum = 0.0, weight = 9.81 * motion_of(world, b).mass;
    for (int k = 0; k < 60; ++k) {
        kit_steps(world, 1);
        lim_load load;
        CHECK(lim_grab_get_load(world, g, &load) == LIM_OK);
        sum -= (double)load.force.y / 60.0; /* on the tool */
    }
    CHECK_NEAR(sum / weight, 1.0, 0.02);
    /* let go, it falls */
    CHECK(lim_grab_destroy(world, g) == LIM_OK);
    kit_steps(world, 6);
    CHECK(motion_of(world, b).momentum[1] / motion_of(world, b).mass < -0.8);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Less than the weight: it sinks under that force. More: it follows a jump with that force, and
 * holds again when it is there. Damping towards what is held comes on top of the limit, and is felt
 * in light patches of points. */
static void a_limit_gives_way_and_holds_again(void) {
    lim_model* model = kit_model(120, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_toy(world, model, 0.0, 1.0);
    float weight = (float)(9.81 * motion_of(world, b).mass);
    double slack = kind_has_points(kind_now) ? 1.3 : 1.001;
    lim_grab g = hard_grab(world, b, (lim_point){0, 1.12, 0}, 0.5f * weight);
    kit_steps(world, 1);
    for (int k = 0; k < 15; ++k) {
        kit_steps(world, 1);
        CHECK(pull_of(world, g) <= 0.5 * slack * (double)weight);
    }
    lim_body_motion m = motion_of(world, b);
    CHECK_NEAR(m.momentum[1] / m.mass / (-0.5 * 9.81 * 16.0 / 60.0), 1.0, 0.1);
    CHECK(lim_grab_destroy(world, g) == LIM_OK);
    CHECK(lim_body_reset(world, b) == LIM_OK);
    g = hard_grab(world, b, (lim_point){0, 1.12, 0}, 3.0f * weight);
    lim_point target = held_at(world, g);
    target.x += 0.5;
    CHECK(lim_grab_move(world, g, target) == LIM_OK);
    kit_steps(world, 1);
    CHECK(apart(held_at(world, g), target) > (kind_has_points(kind_now) ? 0.2 : 0.4));
    for (int k = 0; k < 600; ++k) {
        kit_steps(world, 1);
        CHECK(pull_of(world, g) <= 3.0 * slack * (double)weight);
    }
    CHECK(apart(held_at(world, g), target) < 1e-4);
    CHECK_NEAR(pull_of(world, g) / (double)weight, 1.0, 0.1);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* In the middle of giving way, too. */
static void hard_grabs_are_state(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_toy(world, model, 0.0, 1.0);
    float weight = (float)(9.81 * motion_of(world, b).mass);
    lim_grab free_of =
        hard_grab(world, kit_toy(world, model, 1.0, 1.0), (lim_point){1, 1.12, 0}, 0);
    lim_grab g = hard_grab(world, b, (lim_point){0, 1.12, 0}, 2.0f * weight);
    lim_point target = held_at(world, g);
    target.x += 0.3;
    CHECK(lim_grab_move(world, g, target) == LIM_OK);
    kit_steps(world, 5);
    lim_snapshot* before = NULL;
    CHECK(lim_snapshot_create(world, &before) == LIM_OK);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    void* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    lim_world* again = NULL;
    CHECK(lim_world_load(bytes, size, 2, NULL, &again) == LIM_OK);
    CHECK(lim_world_hash(world) == lim_world_hash(again));
    for (int k = 0; k < 60; ++k) {
        kit_steps(world, 1);
        kit_steps(again, 1);
        CHECK(lim_world_hash(world) == lim_world_hash(again));
    }
    uint64_t after = lim_world_hash(world);
    CHECK(lim_grab_destroy(world, free_of) == LIM_OK);
    CHECK(lim_snapshot_restore(world, before) == LIM_OK);
    kit_steps(world, 60);
    CHECK(lim_world_hash(world) == after);
    lim_snapshot_destroy(before);
    free(bytes);
    lim_world_destroy(again);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(hard_grab) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(the_held_point_is_at_the_target);
        RUN(what_hangs_has_its_weight);
        RUN(a_limit_gives_way_and_holds_again);
        RUN(hard_grabs_are_state);
    }
    TEST_END();
}
