/* SPDX-License-Identifier: MIT
 * The same bits for any number of workers, for the host's own tasks, and for every instruction set:
 * small bodies side by side and a large one split inside.
 */
#include "base/isa.h"
#include "world/world.h"
#include "world_kit.h"

/* Races are shown by a few steps as well as by many. */
enum { STEPS = TEST_RACES ? 3 : 12, MOST_WORKERS = TEST_RACES ? 2 : 5 };

static uint64_t run(lim_model* const models[3], int32_t threads, const lim_host* host, isa set) {
    lim_world* world = kit_world(host, threads);
    world->set = set;
    kit_floor(world);
    for (int i = 0; i < 6; ++i) {
        lim_body b = kit_body(world, models[i % 2], 1.5 * i, 0.6 + 0.2 * i);
        CHECK(lim_body_set_velocity(world, b, (lim_vec3){0, 0, 1}, (lim_vec3){1, 2, 3}) == LIM_OK);
    }
    kit_body(world, models[2], -3, 0.6);
    CHECK(lim_world_set_wind(world, (lim_wind){{3, 0, 1}, 1, 0.5f, 1.2f}) == LIM_OK);
    uint64_t hash = 0;
    for (int i = 0; i < STEPS; ++i) {
        kit_steps(world, 1);
        hash = hash * 31 + lim_world_hash(world);
    }
    lim_world_destroy(world);
    return hash;
}

/* A host that runs tasks backwards. */
static void backwards(void* user, int32_t count, void (*task)(void* context, int32_t index),
                      void* context) {
    (void)user;
    for (int32_t i = count - 1; i >= 0; --i) {
        task(context, i);
    }
}

static void any_number_of_workers_gives_the_same_bits(void) {
    lim_model* models[3] = {kit_model(150, NULL), kit_model(60, NULL), kit_model(6000, NULL)};
    /* Split inside; bodies of points have those of the ball (core/test_quadratic.c splits one). */
    CHECK(lim_model_get_info(models[2]).nodes >= 4096 || kind_has_points(kind_now));
    uint64_t one = run(models, 1, NULL, isa_best());
    for (int32_t n = 2; n <= MOST_WORKERS; n += test_long ? 1 : 3) {
        CHECK(run(models, n, NULL, isa_best()) == one);
    }
    lim_host host = {.parallel_for = backwards};
    CHECK(TEST_RACES || run(models, 3, &host, isa_best()) == one);
    for (int set = 0; set < ISA_COUNT && !TEST_RACES; ++set) {
        if (isa_available((isa)set)) {
            CHECK(run(models, 2, NULL, (isa)set) == one);
        }
    }
    for (int i = 0; i < 3; ++i) {
        lim_model_destroy(models[i]);
    }
}

TEST_SUITE(world_workers) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(any_number_of_workers_gives_the_same_bits);
    }
    TEST_END();
}
