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
        lattice_make(&b, &r, (const int32_t[3]){round % 2 == 0 ? 12 : 30, 9, 9},
                     0.25f + 0.75f * random_unit(&r));
        int32_t* widths = ARENA_ARRAY(&b.mem, int32_t, b.components);
        for (int32_t c = 0; c < b.components; ++c) {
            widths[c] = c == 0 ? width : 1 + (int32_t)random_index(&r, 6);
        }
        lattice_regions_of(&b, width, widths, round % 3 == 0 ? WINDOWS_NEVER : WINDOWS_ALWAYS);
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
            distance_search_run(&search, i, 2 * widths[b.component[i]] + 1);
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

/* The same nodes with windows and lists, with lists alone, and with balls, which are lists found in
 * another way: the sums are the same but for their order. */
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
        lattice_balls(&b, width);
        float* inv_weight = b.inv_weight;
        pass(&b, damped, isa_best(), NULL);
        copy_velocities(&b, after);
        double energy = match_energy(&b.match, 1.0 / 240.0);
        for (int way = 0; way < 2; ++way) {
            for (int k = 0; k < 3; ++k) {
                memcpy(b.nodes.v[k], before[k], (size_t)b.padded * sizeof(float));
            }
            lattice_regions(&b, width, way == 0 ? WINDOWS_ALWAYS : WINDOWS_NEVER);
            CHECK((b.r.box > 0) == (way == 0));
            for (int32_t i = 0; i < b.r.box; ++i) {
                windows += b.r.weight[i] > 0.0f;
            }
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
        }
        lattice_free(&b);
    }
    CHECK(windows > 50 * rounds);
}

/* Work of the lists, counted in the network: near inputs all. */
static int64_t work_of(const net* n) {
    int32_t records = n->first[3] - n->first[1], sets = 0;
    for (int32_t i = n->first[3]; i < n->record_count; ++i) {
        sets += n->forward_offset[i + 1] > n->forward_offset[i];
    }
    return 114 * (int64_t)(records + sets) + 14 * (int64_t)n->forward_offset[n->record_count];
}

static bool same_lists(const net* a, const net* b) {
    size_t records = (size_t)a->record_count + 1;
    return a->record_count == b->record_count && memcmp(a->first, b->first, sizeof a->first) == 0 &&
           memcmp(a->forward_offset, b->forward_offset, records * sizeof(int32_t)) == 0 &&
           memcmp(a->forward, b->forward,
                  (size_t)a->forward_offset[a->record_count] * sizeof(int32_t)) == 0;
}

/* Windows are taken exactly where they and the lists beside them are less work than lists alone;
 * then nothing is different from windows that were asked for, and else from lists. */
static void the_cheaper_is_taken(void) {
    random_stream r = random_seed(9);
    int32_t rounds = test_long ? 400 : 40, taken[2] = {0};
    for (int32_t round = 0; round < rounds; ++round) {
        lattice_body b;
        const int32_t size[3] = {32, 8 + random_index(&r, 6), 8 + random_index(&r, 6)};
        int32_t width = 1 + round % 4 * (round % 3);
        lattice_block(&b, &r, size, round % 5 == 0, 0.003f * (float)(round % 4));
        lattice_regions(&b, width, WINDOWS_ALWAYS);
        net windows = b.n;
        int64_t with = box_work(&b.box) + work_of(&b.n);
        lattice_regions(&b, width, WINDOWS_NEVER);
        net lists = b.n;
        bool cheaper = with < work_of(&b.n);
        lattice_regions(&b, width, WINDOWS_WHERE_CHEAPER);
        CHECK(cheaper == (b.r.box > 0) && (b.box.octets > 0) == cheaper);
        CHECK(same_lists(&b.n, cheaper ? &windows : &lists));
        taken[cheaper]++;
        lattice_free(&b);
    }
    CHECK(taken[0] > rounds / 10 && taken[1] > rounds / 10);
}

/* A solid block of narrow regions has windows; the same block hollow has lists. */
static void hollow_blocks_have_lists(void) {
    random_stream r = random_seed(10);
    for (int hollow = 0; hollow < 2; ++hollow) {
        lattice_body b;
        lattice_block(&b, &r, (const int32_t[3]){40, 25, 25}, hollow == 1, 0.0f);
        lattice_regions(&b, 1, WINDOWS_WHERE_CHEAPER);
        CHECK((b.r.box > 0) == (hollow == 0));
        CHECK(hollow == 0 || b.r.count > b.rn.count / 2);
        lattice_free(&b);
    }
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
            lattice_regions(&b, 1 + round % 9, (window_use)(round % 3));
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
        lattice_regions(&b, 1 + round % 4, (window_use)(round % 3));
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
    RUN(the_cheaper_is_taken);
    RUN(hollow_blocks_have_lists);
    RUN(any_backend_gives_the_same_bits);
    RUN(momentum_is_kept);
    TEST_END();
}
