/* SPDX-License-Identifier: MIT
 * The skin has the same bits for any number of workers.
 */
#include "skin_fixture.h"

static void any_worker_count_gives_the_same_bits(void) {
    fixture f;
    skin_fixture s;
    fixture_block(&f, 14, 9, 11, 0.08f);
    skin_fixture_make(&s, &f, 61, 67, v3(0.5f, 0.3f, 0.4f));
    random_stream r = random_seed(21);
    fixture_random_motion(&f, &r, 0.1f);
    uint64_t expected = 0;
    for (int32_t count = 1; count <= 5; ++count) {
        workers* pool = NULL;
        CHECK(workers_create(NULL, count, &pool) == LIM_OK);
        memset(s.out.positions, 0, (size_t)s.surface.vertex_count * 3 * sizeof(float));
        skin_fixture_run(&s, &f, 3.0, isa_best(), pool);
        uint64_t hash = skin_fixture_hash(&s);
        expected = count == 1 ? hash : expected;
        CHECK(hash == expected);
        workers_destroy(pool);
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

TEST_SUITE(skin_workers) {
    TEST_BEGIN(argc, argv);
    RUN(any_worker_count_gives_the_same_bits);
    TEST_END();
}
