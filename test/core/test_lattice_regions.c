/* SPDX-License-Identifier: MIT
 * Regions of lattices against brute force: members against hops, symmetry, windows and lists
 * against lists alone, constants, every backend and worker count, energy.
 */
#include "test.h"

#include "core/lattice_body.h"
#include "graph/distance.h"

static const match_material MATERIAL = {
    .young = 5e3, .density = 1000.0, .viscosity = 5.0, .damping_time = 1.0, .scale = 1.0};

static bool is_member(const lattice_body* b, int32_t slot, int32_t region) {
    if (region < b->r.box) {
        return b->rn.volume[slot] > 0.0f && box_holds(&b->box, region, slot);
    }
    return net_weight(&b->n, slot, region - b->r.box) > 0.0;
}

/* Members of every region are the nodes within w hops, and regions are symmetric. */
static void members_are_hops(void) {
    random_stream r = random_seed(5);
    int32_t windows = 0, lists = 0, rounds = test_long ? 60 : 12;
    for (int round = 0; round < rounds; ++round) {
        lattice_body b;
        int32_t width = 1 + round % 6;
        /* only where rows are long are there windows */
        lattice_make(&b, &r, (const int32_t[3]){round % 2 == 0 ? 12 : 30, 9, 9},
                     0.25f + 0.75f * random_unit(&r));
        lattice_regions(&b, width, false);
        distance_search search;
        CHECK(distance_search_init(&search, &b.mem, b.g) == LIM_OK);
        bool* inside = ARENA_ARRAY(&b.mem, bool, b.padded);
        for (int32_t i = 0; i < b.padded; ++i) {
            int32_t region = b.r.seed_region[i];
            CHECK((region < 0) == (b.rn.volume[i] <= 0.0f));
            if (region < 0) {
                continue;
            }
            windows += region < b.r.box;
            lists += region >= b.r.box;
            distance_search_run(&search, i, 2 * width + 1);
            memset(inside, 0, (size_t)b.padded);
            for (int32_t k = 0; k < search.count; ++k) {
                inside[search.found[k]] = true;
            }
            for (int32_t j = 0; j < b.padded; ++j) {
                CHECK(is_member(&b, j, region) == inside[j]);
                if (inside[j]) {
                    CHECK(is_member(&b, i, b.r.seed_region[j]));
                }
            }
        }
        lattice_free(&b);
    }
    CHECK(windows > (test_long ? 1000 : 100) && lists > 1000);
}

static void wild_state(lattice_body* b, random_stream* r, float size) {
    for (int32_t i = 0; i < b->padded; ++i) {
        for (int k = 0; k < 3; ++k) {
            bool node = b->rn.volume[i] > 0.0f;
            b->nodes.d[k][i] = node ? random_range(r, -size, size) : 0.0f;
            b->nodes.v[k][i] = node ? random_range(r, -1.0f, 1.0f) : 0.0f;
        }
    }
}

static void pass(lattice_body* b, bool damped, isa set, workers* pool) {
    match_refresh(&b->match, &MATERIAL, 1.0 / 240.0, set, pool);
    node_component_sums(&b->nodes, b->match.block_sums, set, pool);
    for (int32_t c = 0; c < b->components; ++c) {
        b->nodes.components[c].left_impulse = b->nodes.components[c].left_turning = p3(0, 0, 0);
    }
    b->match.damped = damped;
    match_step(&b->match, false, set, pool, NULL, NULL);
}

static void copy_velocities(const lattice_body* b, float* out[3]) {
    for (int k = 0; k < 3; ++k) {
        memcpy(out[k], b->nodes.v[k], (size_t)b->padded * sizeof(float));
    }
}

/* The same nodes with windows and lists, and with balls, which are lists alone: the sums are the
 * same but for their order. */
static void windows_equal_lists(void) {
    random_stream r = random_seed(6);
    int windows = 0, rounds = test_long ? 1000 : 200;
    for (int round = 0; round < rounds; ++round) {
        lattice_body b;
        int32_t width = 1 + round % 6;
        bool damped = round % 2 == 0;
        lattice_make(&b, &r, (const int32_t[3]){round % 4 == 0 ? 14 : 34, 7, 7},
                     0.3f + 0.8f * random_unit(&r));
        wild_state(&b, &r, 0.01f);
        float* before[3];
        float* after[3];
        for (int k = 0; k < 3; ++k) {
            before[k] = lattice_floats(&b, (size_t)b.padded);
            after[k] = lattice_floats(&b, (size_t)b.padded);
        }
        copy_velocities(&b, before);
        lattice_regions(&b, width, false);
        float* inv_weight = b.inv_weight;
        windows += b.r.box > 0;
        pass(&b, damped, isa_best(), NULL);
        copy_velocities(&b, after);
        double energy = match_energy(&b.match, 1.0 / 240.0);
        for (int k = 0; k < 3; ++k) {
            memcpy(b.nodes.v[k], before[k], (size_t)b.padded * sizeof(float));
        }
        lattice_regions(&b, width, true);
        pass(&b, damped, isa_best(), NULL);
        double most = 0.0;
        for (int32_t i = 0; i < b.padded; ++i) {
            CHECK_NEAR(inv_weight[i], b.inv_weight[i], 1e-7 * (double)b.inv_weight[i]);
            for (int k = 0; k < 3; ++k) {
                double off = fabs((double)after[k][i] - (double)b.nodes.v[k][i]);
                most = off > most ? off : most;
            }
        }
        CHECK_NEAR(most, 0.0, 2e-4); /* of velocity changes of up to 2 m/s */
        CHECK_NEAR(energy, match_energy(&b.match, 1.0 / 240.0), 1e-4 * energy);
        lattice_free(&b);
    }
    CHECK(windows > rounds * 3 / 10);
}

/* One pass gives the same bits in every backend and for every number of workers. */
static void any_backend_gives_the_same_bits(void) {
    random_stream r = random_seed(7);
    workers* pool = NULL;
    CHECK(workers_create(NULL, 3, &pool) == LIM_OK);
    for (int round = 0; round < (test_long ? 20 : 9); ++round) {
        lattice_body b;
        lattice_make(&b, &r, (const int32_t[3]){30, 12, 12}, 0.5f + 0.6f * random_unit(&r));
        wild_state(&b, &r, 0.01f);
        float* before[3];
        float* first[3];
        for (int k = 0; k < 3; ++k) {
            before[k] = lattice_floats(&b, (size_t)b.padded);
            first[k] = lattice_floats(&b, (size_t)b.padded);
        }
        copy_velocities(&b, before);
        for (int run = 0; run < 2 * ISA_COUNT; ++run) {
            isa set = (isa)(run / 2);
            if (!isa_available(set)) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                memcpy(b.nodes.v[k], before[k], (size_t)b.padded * sizeof(float));
            }
            lattice_regions(&b, 1 + round % 9, false);
            pass(&b, round % 2 == 0, set, run % 2 == 0 ? NULL : pool);
            if (run == 0) {
                copy_velocities(&b, first);
            }
            for (int k = 0; k < 3; ++k) {
                CHECK(memcmp(first[k], b.nodes.v[k], (size_t)b.padded * sizeof(float)) == 0);
            }
        }
        lattice_free(&b);
    }
    workers_destroy(pool);
}

/* A pass adds neither impulse nor turning, with damping and without. */
static void momentum_is_kept(void) {
    random_stream r = random_seed(8);
    for (int round = 0; round < 40; ++round) {
        lattice_body b;
        lattice_make(&b, &r, (const int32_t[3]){16, 10, 10}, 0.6f);
        wild_state(&b, &r, 0.02f);
        lattice_regions(&b, 1 + round % 4, false);
        double sum[2][6] = {{0}}, size = 0.0;
        for (int when = 0; when < 2; ++when) {
            for (int32_t i = 0; i < b.padded; ++i) {
                double m = (double)b.rn.volume[i], x[3], v[3];
                for (int k = 0; k < 3; ++k) {
                    x[k] = (double)b.rn.x0[k][i] + (double)b.nodes.d[k][i];
                    v[k] = (double)b.nodes.v[k][i];
                    sum[when][k] += m * v[k];
                    size += m * fabs(v[k]);
                }
                for (int k = 0; k < 3; ++k) {
                    int p = (k + 1) % 3, q = (k + 2) % 3;
                    sum[when][3 + k] += m * (x[p] * v[q] - x[q] * v[p]);
                }
            }
            if (when == 0) {
                pass(&b, round % 2 == 0, isa_best(), NULL);
            }
        }
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(sum[0][k], sum[1][k], 1e-6 * size);
        }
        lattice_free(&b);
    }
}

TEST_SUITE(lattice_regions) {
    TEST_BEGIN(argc, argv);
    RUN(members_are_hops);
    RUN(windows_equal_lists);
    RUN(any_backend_gives_the_same_bits);
    RUN(momentum_is_kept);
    TEST_END();
}
