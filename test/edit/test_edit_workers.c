/* SPDX-License-Identifier: MIT
 * Edits give the same bits for any number of workers, for tasks that run backwards, and for every
 * instruction set.
 */
#include "edit_story.h"

static uint64_t run(const lim_model* model, int32_t threads, const lim_host* host, isa set) {
    edit_patient p = edit_patient_make(model, host, threads, set);
    edit_steps(p.world, 2);
    uint64_t hash = 0;
    for (int k = 0; k < STORY_LENGTH; ++k) {
        story_tell(&p, k);
        hash = hash * 31 + lim_world_hash(p.world);
    }
    edit_steps(p.world, TEST_RACES ? 2 : 10);
    hash = hash * 31 + lim_world_hash(p.world);
    lim_world_destroy(p.world);
    return hash;
}

static void backwards(void* user, int32_t count, void (*task)(void* context, int32_t index),
                      void* context) {
    (void)user;
    for (int32_t i = count - 1; i >= 0; --i) {
        task(context, i);
    }
}

static void compare(int32_t nodes) {
    lim_model* model = edit_bar(nodes, 1, NULL);
    uint64_t one = run(model, 1, NULL, isa_best());
    for (int32_t n = 2; n <= (TEST_RACES ? 2 : 5); ++n) {
        CHECK(run(model, n, NULL, isa_best()) == one);
    }
    if (!TEST_RACES) {
        lim_host host = {.parallel_for = backwards};
        CHECK(run(model, 3, &host, isa_best()) == one);
        for (int set = 0; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                CHECK(run(model, 2, NULL, (isa)set) == one);
            }
        }
    }
    lim_model_destroy(model);
}

static void small_bodies(void) {
    compare(150);
}

/* Large enough to be split inside of a step. */
static void a_large_body(void) {
    compare(TEST_RACES ? 1500 : 6000);
}

TEST_SUITE(edit_workers) {
    TEST_BEGIN(argc, argv);
    if (!TEST_RACES) {
        RUN(small_bodies);
        RUN_OTHERS(small_bodies);
    }
    if (test_long || TEST_RACES) {
        RUN(a_large_body);
        RUN_OTHERS(a_large_body);
    }
    TEST_END();
}
