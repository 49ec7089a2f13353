/* SPDX-License-Identifier: MIT
 * Carrying with several workers: the same bits for any number.
 */
#include "test.h"

#include "edit/carry_kit.h"

static const carry_map ALL_NEW = {0};

static uint64_t run(const bar* b, int32_t threads) {
    lim_material m = lim_material_default();
    stage s = stage_make(b->level[1], &m, (lim_vec3){0, -9.81f, 0}, threads);
    stage_clamp(&s, 0.0f);
    for (int k = 0; k < 6; ++k) {
        stage_steps(&s, 2);
        CHECK(stage_carry(&s, b->level[k % 2], &ALL_NEW) == LIM_OK);
    }
    stage_steps(&s, 2);
    uint64_t hash = lim_world_hash(s.world);
    stage_free(&s);
    return hash;
}

static void any_number_gives_the_same_bits(void) {
    bar b = bar_make(8);
    uint64_t hash = run(&b, 1);
    for (int32_t threads = 2; threads <= 5; ++threads) {
        CHECK(run(&b, threads) == hash);
    }
    bar_free(&b);
}

TEST_SUITE(carry_workers) {
    TEST_BEGIN(argc, argv);
    RUN(any_number_gives_the_same_bits);
    TEST_END();
}
