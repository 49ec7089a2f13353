/* SPDX-License-Identifier: MIT
 * Restitution: what falls bounces the higher the larger it is, never gains energy, and sleeps on
 * the ground all the same; bodies that bounce off each other keep their momentum.
 */
#include "contact_kit.h"

static lim_body_desc bouncy(const lim_model* model, lim_point at, float restitution) {
    lim_body_desc desc = firm(model, at);
    desc.material.restitution = restitution;
    return desc;
}

/* How high the middle of a ball of 10 cm comes again, above where it lies, of 1 m of fall. The
 * floor or the ball has the restitution: the larger counts. */
static double rebound(const lim_model* model, float restitution, double height, bool by_floor) {
    lim_world* world = kit_world(NULL, 1);
    lim_collider_desc floor = lim_collider_desc_default();
    lim_collider made;
    floor.restitution = by_floor ? restitution : 0.0f;
    CHECK(lim_collider_create(world, &floor, &made) == LIM_OK);
    CHECK(lim_collider_get(world, made, &floor) == LIM_OK);
    CHECK(floor.restitution == (by_floor ? restitution : 0.0f));
    lim_body_desc desc =
        bouncy(model, (lim_point){0, 0.1 + height, 0}, by_floor ? 0.0f : restitution);
    lim_body b = make(world, &desc);
    lim_body_motion m = motion_of(world, b);
    double start = m.kinetic + m.potential, most = 0.0, energy = 0.0;
    bool fell = false;
    for (int k = 0; k < 120; ++k) {
        kit_steps(world, 1);
        m = motion_of(world, b);
        energy = m.kinetic + m.potential > energy ? m.kinetic + m.potential : energy;
        fell = fell || m.momentum[1] > 0.0;
        most = fell && m.centre.y > most ? m.centre.y : most;
    }
    CHECK(fell);
    CHECK(energy <= start * (1.0 + 1e-5));
    lim_world_destroy(world);
    return most - 0.1;
}

static void rebound_grows_with_restitution(void) {
    lim_model* model = ball_model(120);
    double none = rebound(model, 0.0f, 1.0, false), half = rebound(model, 0.5f, 1.0, false);
    double most = rebound(model, 0.9f, 1.0, false), floor = rebound(model, 0.5f, 1.0, true);
    double all = rebound(model, 1.0f, 1.0, false);
    printf("  rebound %.3f %.3f %.3f %.3f of a metre\n", none, half, most, all);
    CHECK(half > none + 0.01 && most > half + 0.01 && all > most);
    CHECK(floor == half);
    lim_model_destroy(model);
}

/* How long a ball that falls on the ground takes to fall asleep, s; AWAKE if it does not. */
static const double AWAKE = 22.0;
static double time_to_sleep(const lim_model* model, double height, bool by_floor) {
    lim_world* world = kit_world(NULL, 1);
    lim_collider_desc floor = lim_collider_desc_default();
    lim_collider made;
    floor.restitution = by_floor ? 1.0f : 0.0f;
    CHECK(lim_collider_create(world, &floor, &made) == LIM_OK);
    lim_body_desc desc = bouncy(model, (lim_point){0, 0.1 + height, 0}, by_floor ? 0.0f : 1.0f);
    lim_body b = make(world, &desc);
    int step = 0;
    while (step < AWAKE * 60.0 && !motion_of(world, b).asleep) {
        kit_steps(world, 1);
        step++;
    }
    lim_world_destroy(world);
    return step / 60.0;
}

/* How a ball rocks before it lies turns on the last digits of where it fell from, so several drops
 * are judged together: all fall asleep, but for hollow balls and those of two cell sizes, which may
 * rock on (docs/limits.md). */
static void what_bounces_fully_sleeps(void) {
    lim_model* model = ball_model(120);
    bool rocks = kind_now == KIND_SHELL || kind_now == KIND_MIXED;
    int drops = test_long ? 24 : 4, awake = 0;
    double longest = 0.0;
    for (int k = 0; k < 2 * drops; ++k) {
        double height = (k % 2 == 0 ? 0.005 : 0.02) * (1.0 + 1e-4 * (k / 2));
        double time = time_to_sleep(model, height, k % 2 != 0);
        awake += !(time < AWAKE);
        longest = fmax(longest, time);
    }
    printf("  %d of %d awake after %.0f s, the last falls asleep after %.1f s\n", awake, 2 * drops,
           AWAKE, longest);
    CHECK(4 * awake <= (rocks ? 6 * drops : 0));
    lim_model_destroy(model);
}

/* Two balls in empty space: momentum is kept, energy does not grow, they part the faster. */
static double parting(const lim_model* model, float restitution) {
    lim_world* world = empty_space(1);
    lim_body_desc desc = bouncy(model, (lim_point){-0.2, 0, 0}, restitution);
    desc.velocity = (lim_vec3){2, 0, 0};
    lim_body a = make(world, &desc);
    desc = bouncy(model, (lim_point){0.2, 0.02, 0}, 0.0f);
    desc.velocity = (lim_vec3){-2, 0, 0};
    desc.scale = 1.25f;
    lim_body b = make(world, &desc);
    lim_body_motion ma = motion_of(world, a), mb = motion_of(world, b);
    double start = ma.kinetic + mb.kinetic, before[3], size = 2.0 * (ma.mass + mb.mass);
    for (int j = 0; j < 3; ++j) {
        before[j] = ma.momentum[j] + mb.momentum[j];
    }
    for (int k = 0; k < 30; ++k) {
        kit_steps(world, 1);
        ma = motion_of(world, a);
        mb = motion_of(world, b);
        CHECK(ma.kinetic + mb.kinetic < 1.001 * start);
    }
    for (int j = 0; j < 3; ++j) {
        CHECK_NEAR(ma.momentum[j] + mb.momentum[j], before[j], 1e-4 * size);
    }
    lim_world_destroy(world);
    return mb.momentum[0] / mb.mass - ma.momentum[0] / ma.mass;
}

static void bodies_bounce_off_each_other(void) {
    lim_model* model = ball_model(120);
    double none = parting(model, 0.0f), most = parting(model, 0.9f);
    printf("  part at %.2f and %.2f of 4 m/s\n", none, most);
    CHECK(most > none + 0.1);
    lim_model_destroy(model);
}

static void bounces_have_the_same_bits(void) {
    lim_model* model = ball_model(60);
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        lim_world* world = kit_world(NULL, k == 0 ? 1 : 3);
        kit_floor(world);
        for (int i = 0; i < 4; ++i) {
            lim_body_desc desc = bouncy(model, (lim_point){0.03 * i, 0.3 + 0.25 * i, 0}, 0.8f);
            make(world, &desc);
        }
        kit_steps(world, 60);
        hash[k] = lim_world_hash(world);
        lim_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    lim_model_destroy(model);
}

/* A throw just above the floor, not a fall: what it has when the step begins counts. */
static void throws_bounce(void) {
    lim_model* model = ball_model(60);
    double up[2];
    for (int k = 0; k < 2; ++k) {
        lim_world* world = kit_world(NULL, 1);
        kit_floor(world);
        lim_body_desc desc = bouncy(model, (lim_point){0, 0.102, 0}, k == 0 ? 0.0f : 1.0f);
        lim_body b = make(world, &desc);
        CHECK(lim_body_set_velocity(world, b, (lim_vec3){0, -4, 0}, (lim_vec3){0}) == LIM_OK);
        kit_steps(world, 20);
        lim_body_motion m = motion_of(world, b);
        up[k] = m.momentum[1] / m.mass;
        lim_world_destroy(world);
    }
    CHECK(up[1] > up[0] + 0.3);
    lim_model_destroy(model);
}

/* A bounce in the middle of a save: the field is kept, and so are the bits. */
static void restitution_is_saved(void) {
    lim_model* model = ball_model(60);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body_desc desc = bouncy(model, (lim_point){0, 0.3, 0}, 0.75f);
    lim_body b = make(world, &desc);
    kit_steps(world, 8);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    void* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    lim_world* again = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &again) == LIM_OK);
    kit_steps(world, 20);
    kit_steps(again, 20);
    lim_material m;
    CHECK(lim_body_get_material(again, b, &m) == LIM_OK && m.restitution == 0.75f);
    uint64_t hash = lim_world_hash(world);
    CHECK(lim_world_hash(again) == hash);
    m.restitution = 0.5f;
    CHECK(lim_body_set_material(again, b, &m) == LIM_OK);
    CHECK(lim_world_hash(again) != hash);
    free(bytes);
    lim_world_destroy(again);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(bounce) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(rebound_grows_with_restitution);
        RUN(what_bounces_fully_sleeps);
        RUN(bodies_bounce_off_each_other);
        RUN(bounces_have_the_same_bits);
        RUN(throws_bounce);
        RUN(restitution_is_saved);
    }
    TEST_END();
}
