/* SPDX-License-Identifier: MIT
 * Bodies that meet: momentum, stacks that come to rest, nobody inside of anybody, layers, waking,
 * fast bodies, the same bits for any number of workers, after a save, and on every instruction set.
 */
#include "base/isa.h"
#include "contact_kit.h"
#include "world/world.h"

/* Races are shown by a few steps as well as by many. */
enum { HEAP_STEPS = TEST_RACES ? 14 : 36, MOST_WORKERS = TEST_RACES ? 2 : 5 };

/* Of heaps_have_the_same_bits, octree and lattice; a change of them is a change of simulated
 * numbers. */
static const uint64_t GOLDEN_HEAP[2] = {0x53e66d6007b5b445, 0xf89ba1be2c0e0048};

/* How deep points of one body are in the other, in finest cells: the largest, by every triangle of
 * the published skins. */
static double depth_between(const lim_world* world, lim_body a, lim_body b) {
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, a, &skin) == LIM_OK);
    double most = 0.0;
    for (int32_t i = 0; i < skin.vertex_count; ++i) {
        lim_point at =
            p3_add(skin.origin, p3((double)skin.positions[3 * i], (double)skin.positions[3 * i + 1],
                                   (double)skin.positions[3 * i + 2]));
        lim_hit hit;
        CHECK(lim_body_closest_point(world, b, at, &hit) == LIM_OK);
        lim_point away = p3_sub(at, hit.point);
        double side = p3_dot(away, p3_of(hit.normal));
        /* Behind the nearest triangle, and not beyond a rim. */
        if (side < 0.0 && fabs(side) > 0.9 * p3_length(away) && -side > most) {
            most = -side;
        }
    }
    return most;
}

/* Two balls meet head on and a little beside: momentum stays, they part, they turn no faster than
 * the impulse can make them. */
static void collisions_keep_momentum(void) {
    lim_model* model = ball_model(120);
    lim_world* world = empty_space(1);
    lim_body_desc desc = firm(model, p3(-0.3, 0, 0));
    desc.velocity = (lim_vec3){2, 0, 0};
    lim_body a = make(world, &desc);
    desc = firm(model, p3(0.3, 0.05, 0));
    desc.velocity = (lim_vec3){-1, 0, 0};
    desc.scale = 1.25f;
    lim_body b = make(world, &desc);
    double before[3] = {0}, kinetic = 0.0, after[3] = {0};
    bool met = false;
    for (int k = 0; k < 2; ++k) {
        lim_body_motion m = motion_of(world, k == 0 ? a : b);
        kinetic += m.kinetic;
        for (int j = 0; j < 3; ++j) {
            before[j] += m.momentum[j];
        }
    }
    for (int k = 0; k < 60; ++k) {
        kit_steps(world, 1);
        met = met || lim_world_get_report(world).body_contacts > 0;
        CHECK(motion_of(world, a).kinetic + motion_of(world, b).kinetic < 1.001 * kinetic);
    }
    for (int k = 0; k < 2; ++k) {
        lim_body_motion m = motion_of(world, k == 0 ? a : b);
        for (int j = 0; j < 3; ++j) {
            after[j] += m.momentum[j];
        }
    }
    CHECK(met);
    for (int j = 0; j < 3; ++j) {
        CHECK_NEAR(after[j], before[j], 1e-4 * 5.0);
    }
    /* They have parted, and the one that was hit from behind its middle is the faster. */
    CHECK(motion_of(world, a).centre.x < motion_of(world, b).centre.x);
    CHECK(motion_of(world, b).momentum[0] > -1.0 * motion_of(world, b).mass * 0.5);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void a_stack_comes_to_rest(void) {
    if (kind_now != KIND_UNIFORM && kind_now != KIND_LATTICE) {
        return; /* a hollow block buckles; one that is finer on one side leans (docs/limits.md) */
    }
    lim_model* model = block_model(200);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body block[5];
    for (int k = 0; k < 5; ++k) {
        /* a start from which lattices too come to rest soon: many rock for long (docs/limits.md) */
        lim_body_desc desc = firm(model, p3(0.0053 * (k % 2), 0.052 + 0.1051 * k, 0));
        block[k] = make(world, &desc);
    }
    double cell = (double)lim_model_get_info(model).cell_size, deepest = 0.0;
    int steps = 0;
    for (; steps < 600 && lim_world_get_report(world).bodies_awake + (steps == 0) > 0; ++steps) {
        kit_steps(world, 1);
        for (int k = 1; k < 5 && steps % 10 == 0 && steps > 60; ++k) {
            double deep = fmax(depth_between(world, block[k], block[k - 1]),
                               depth_between(world, block[k - 1], block[k]));
            deepest = fmax(deepest, deep / cell);
        }
    }
    printf("  asleep after %.1f s, %.3f of a cell deep\n", steps / 60.0, deepest);
    CHECK(steps < 600);
    CHECK(deepest < 0.2);
    for (int k = 0; k < 5; ++k) {
        lim_body_motion m = motion_of(world, block[k]);
        CHECK(m.asleep && fabs(m.centre.x) < 0.02 && fabs(m.centre.z) < 0.02);
        CHECK(m.centre.y > 0.04 + 0.09 * k);
    }
    /* What is laid upon it wakes it; taking the lowest away lets the rest fall. */
    CHECK(lim_body_destroy(world, block[0]) == LIM_OK);
    kit_steps(world, 30);
    CHECK(motion_of(world, block[4]).centre.y < 0.04 + 0.09 * 4);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Bodies of other layers fall through each other; who has no layer in common with the mask too. */
static void layers_part_bodies(void) {
    lim_model* model = ball_model(80);
    for (int meet = 0; meet < 2; ++meet) {
        lim_world* world = kit_world(NULL, 1);
        kit_floor(world);
        lim_body_desc desc = firm(model, p3(0, 0.11, 0));
        desc.layer = 2;
        desc.mask = meet ? 7 : 3;
        make(world, &desc);
        desc.position = p3(0.01, 0.35, 0);
        desc.layer = 4;
        desc.mask = 6;
        make(world, &desc);
        int32_t contacts = 0;
        for (int k = 0; k < 40; ++k) {
            kit_steps(world, 1);
            contacts += lim_world_get_report(world).body_contacts;
        }
        CHECK((contacts > 0) == (meet == 1));
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* Nobody passes through anybody: who came from the left is on the left. Up to 10 m/s, about what
 * sound has in this material. Points are hollow, and are crushed by much less. */
static void fast_bodies_do_not_pass(void) {
    if (kind_has_points(kind_now)) {
        return;
    }
    lim_model* model = ball_model(100);
    const float most = 10.0f;
    for (int k = test_long ? 0 : 3; k < 6; ++k) {
        lim_world* world = empty_space(1);
        lim_body_desc desc = firm(model, p3(-0.3, 0.02 * (k % 3 - 1), 0.01 * (k % 5)));
        desc.velocity = (lim_vec3){most * (float)(k + 1) / 6.0f, 0, 0};
        lim_body a = make(world, &desc);
        desc = firm(model, p3(0.1, 0, 0));
        lim_body b = make(world, &desc);
        for (int j = 0; j < 30; ++j) {
            CHECK(lim_world_step(world, k % 2 == 0 ? 1.0f / 60 : 1.0f / 30) == LIM_OK);
            CHECK(motion_of(world, a).centre.x < motion_of(world, b).centre.x);
        }
        CHECK(k < 2 || motion_of(world, b).momentum[0] > 0.0);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* A body that does not fold has nothing to meet in itself, however it lands. */
static void nothing_meets_itself(void) {
    if (kind_has_points(kind_now)) {
        return;
    }
    lim_model* model = ball_model(120);
    uint64_t hash[2];
    for (int on = 0; on < 2; ++on) {
        lim_world* world = kit_world(NULL, 1);
        kit_floor(world);
        lim_body_desc desc = firm(model, p3(0, 0.4, 0));
        desc.self_contact = on == 1;
        make(world, &desc);
        hash[on] = 0;
        for (int k = 0; k < 60; ++k) {
            kit_steps(world, 1);
            CHECK(lim_world_get_report(world).body_contacts == 0);
            lim_body_motion m = motion_of(world, lim_body_next(world, (lim_body){0}));
            hash[on] = hash[on] * 31 + (uint64_t)(int64_t)(m.centre.y * 1e9);
        }
        lim_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    lim_model_destroy(model);
}

static lim_world* make_heap(lim_model* const model[2], int32_t threads) {
    lim_world* world = kit_world(NULL, threads);
    kit_floor(world);
    for (int i = 0; i < 9; ++i) {
        lim_body_desc desc =
            firm(model[i % 2], p3(0.12 * (i % 3), 0.11 + 0.2 * (double)(i / 3), 0.05 * (i % 2)));
        desc.orientation = (lim_quat){0.1f * (float)i, 0.2f, 0.05f * (float)i, 1};
        make(world, &desc);
    }
    return world;
}

static uint64_t run_heap(lim_model* const model[2], int32_t threads, isa set) {
    lim_world* world = make_heap(model, threads);
    world->set = set;
    uint64_t hash = 0;
    int32_t contacts = 0;
    for (int i = 0; i < HEAP_STEPS; ++i) {
        kit_steps(world, 1);
        contacts += lim_world_get_report(world).body_contacts;
        hash = hash * 31 + lim_world_hash(world);
    }
    CHECK(contacts > 10);
    lim_world_destroy(world);
    return hash;
}

static void heaps_have_the_same_bits(void) {
    if (kind_now != KIND_UNIFORM && kind_now != KIND_LATTICE) {
        return; /* hollow bodies are crushed in a heap */
    }
    lim_model* model[2] = {ball_model(90), block_model(120)};
    uint64_t one = run_heap(model, 1, isa_best());
    uint64_t golden = kind_now == KIND_UNIFORM ? GOLDEN_HEAP[0] : GOLDEN_HEAP[1];
    if (!TEST_RACES && one != golden) {
        printf("  the hash is %016llx\n", (unsigned long long)one);
    }
    CHECK(TEST_RACES || one == golden); /* the same on every machine */
    for (int32_t n = 2; n <= MOST_WORKERS; n += test_long ? 1 : 3) {
        CHECK(run_heap(model, n, isa_best()) == one);
    }
    for (int set = 0; set < ISA_COUNT && !TEST_RACES; ++set) {
        if (isa_available((isa)set)) {
            CHECK(run_heap(model, 2, (isa)set) == one);
        }
    }
    lim_model_destroy(model[0]);
    lim_model_destroy(model[1]);
}

/* Saved and loaded in the middle of it, and gone on. */
static void heaps_go_on_after_a_save(void) {
    lim_model* model[2] = {ball_model(90), block_model(120)};
    lim_world* world = make_heap(model, 1);
    int32_t contacts = 0;
    for (int i = 0; i < 30; ++i) {
        kit_steps(world, 1);
        contacts += lim_world_get_report(world).body_contacts;
    }
    CHECK(contacts > 0);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    lim_world* again = NULL;
    CHECK(lim_world_load(bytes, size, 2, NULL, &again) == LIM_OK);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(world, &shot) == LIM_OK);
    kit_steps(world, 20);
    kit_steps(again, 20);
    CHECK(lim_world_hash(world) == lim_world_hash(again));
    uint64_t hash = lim_world_hash(world);
    CHECK(lim_snapshot_restore(world, shot) == LIM_OK);
    kit_steps(world, 20);
    CHECK(lim_world_hash(world) == hash);
    lim_snapshot_destroy(shot);
    lim_world_destroy(world);
    lim_world_destroy(again);
    free(bytes);
    lim_model_destroy(model[0]);
    lim_model_destroy(model[1]);
}

TEST_SUITE(meet) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(heaps_have_the_same_bits);
        if (!TEST_RACES) {
            RUN(collisions_keep_momentum);
            RUN(a_stack_comes_to_rest);
            RUN(layers_part_bodies);
            RUN(fast_bodies_do_not_pass);
            RUN(nothing_meets_itself);
            RUN(heaps_go_on_after_a_save);
        }
    }
    TEST_END();
}
