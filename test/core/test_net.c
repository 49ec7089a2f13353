/* SPDX-License-Identifier: MIT
 * The sum network and ball regions against brute force: distances against Dijkstra-like relaxation,
 * sets against distances, sums against loops over sets, the adjoint identity, every backend and
 * worker count.
 */
#include "test.h"

#include "core/grid_body.h"
#include "failing_host.h"

/* Slow oracle: Bellman-Ford relaxation until nothing changes. */
static void brute_distances(const graph* g, int32_t source, int32_t* distance) {
    for (int32_t i = 0; i < g->node_count; ++i) {
        distance[i] = INT32_MAX / 2;
    }
    distance[source] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < g->node_count; ++i) {
            for (int32_t e = g->offset[i]; e < g->offset[i + 1]; ++e) {
                int32_t through = distance[i] + g->length[e];
                if (through < distance[g->node[e]]) {
                    distance[g->node[e]] = through;
                    changed = true;
                }
            }
        }
    }
}

static void distances_equal_relaxation(void) {
    random_stream r = random_seed(1);
    for (int round = 0; round < 20; ++round) {
        int32_t n = 5 + random_index(&r, 60), edges = 0;
        /* Random symmetric graph with lengths 1..7. */
        int32_t* offset = calloc((size_t)n + 1, sizeof *offset);
        uint16_t* matrix = calloc((size_t)(n * n), sizeof *matrix);
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t j = 0; j < i; ++j) {
                if (random_unit(&r) < 0.1f) {
                    matrix[i * n + j] = matrix[j * n + i] = (uint16_t)(1 + random_index(&r, 7));
                }
            }
        }
        int32_t* node = calloc((size_t)(n * n), sizeof *node);
        uint16_t* length = calloc((size_t)(n * n), sizeof *length);
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t j = 0; j < n; ++j) {
                if (matrix[i * n + j] > 0) {
                    node[edges] = j;
                    length[edges++] = matrix[i * n + j];
                }
            }
            offset[i + 1] = edges;
        }
        graph g = {n, offset, node, length};
        arena a;
        arena_init(&a, NULL);
        distance_search s;
        CHECK(distance_search_init(&s, &a, g) == LIM_OK);
        int32_t* expected = calloc((size_t)n, sizeof *expected);
        for (int32_t source = 0; source < n; ++source) {
            int32_t limit = random_index(&r, 25), inside = 0;
            brute_distances(&g, source, expected);
            distance_search_run(&s, source, limit);
            for (int32_t i = 0; i < n; ++i) {
                inside += expected[i] < limit;
            }
            CHECK(s.count == inside);
            for (int32_t k = 0; k < s.count; ++k) {
                CHECK(s.found_distance[k] == expected[s.found[k]]);
                CHECK(k == 0 || s.found_distance[k - 1] <= s.found_distance[k]);
            }
        }
        free(offset);
        free(matrix);
        free(node);
        free(length);
        free(expected);
        arena_release(&a);
    }
}

static void regions_are_balls_along_the_graph(void) {
    random_stream r = random_seed(2);
    for (int round = 0; round < 12; ++round) {
        int32_t nx = 2 + random_index(&r, 7), ny = 2 + random_index(&r, 7);
        int32_t nz = 1 + random_index(&r, 6), width = 2 * (1 + random_index(&r, 3));
        uint8_t* kept = grid_mask(&r, nx * ny * nz, 0.75f);
        grid_body b;
        grid_body_make(&b, nx, ny, nz, kept, 0.1f, width);
        CHECK(net_is_valid(&b.n));
        int32_t* expected = calloc((size_t)b.padded, sizeof *expected);
        int32_t* members = calloc((size_t)b.padded, sizeof *members);
        double weights = 0.0;
        for (int32_t i = 0; i < b.count; ++i) {
            brute_distances(&b.g, i, expected);
            int32_t count = net_members(&b.n, b.r.seed_region[i], members, b.padded), inside = 0;
            for (int32_t j = 0; j < b.padded; ++j) {
                inside += expected[j] <= width;
            }
            CHECK(count == inside);
            for (int32_t k = 0; k < count; ++k) {
                CHECK(expected[members[k]] <= width);
                CHECK(k == 0 || members[k - 1] < members[k]);
            }
        }
        for (int32_t k = 0; k < b.r.count; ++k) {
            weights += (double)b.r.weight[k];
        }
        CHECK_NEAR(weights, b.count, 1e-3); /* every node seeds one region, collapsed or not */
        free(kept);
        free(expected);
        free(members);
        grid_body_free(&b);
    }
}

/* Forward over all layers, region layer included. */
static void forward_all(const net* n, float* records, int32_t strips, isa set, workers* pool) {
    net_forward_middle(n, records, strips, set, pool);
    net_kernels_for(set)->forward(n, records, strips, n->first[n->layers - 1], n->record_count);
}

static void adjoint_all(const net* n, float* records, int32_t strips, isa set, workers* pool) {
    net_adjoint_middle(n, records, strips, set, pool);
    net_kernels_for(set)->adjoint(n, records, strips, 0, n->node_count);
}

/* Sums over lists against sums over members, each with its weight. In a solid box every weight of
 * one level is a multiple of 1 / 64, so with whole numbers both are exact and equality is bit for
 * bit. */
static void sums_equal_brute_force_of(grid_kind kind, bool solid, uint64_t seed) {
    random_stream r = random_seed(seed);
    uint8_t* kept = grid_mask(&r, 8 * 6 * 5, 0.8f);
    grid_body b;
    grid_body_kind(&b, kind, 8, 6, 4, solid ? NULL : kept, 0.1f);
    CHECK(net_is_valid(&b.n));
    bool exact = kind == GRID_BALLS || (kind == GRID_BLENDED && solid);
    double slack = exact ? 0.0 : 1e-6 * 1000.0 * b.count;
    int32_t strips = 1 + random_index(&r, 3), stride = 8 * strips;
    size_t floats = (size_t)b.n.record_count * (size_t)stride;
    float* forward = aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64);
    float* adjoint = aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64);
    int32_t first = b.n.first[b.n.layers - 1];
    for (int32_t i = 0; i < b.padded * stride; ++i) {
        forward[i] = (float)(random_index(&r, 2001) - 1000);
    }
    for (int32_t i = 0; i < b.r.padded * stride; ++i) {
        bool real = i / stride < b.r.count;
        adjoint[first * stride + i] = real ? (float)(random_index(&r, 2001) - 1000) : 0.0f;
    }
    forward_all(&b.n, forward, strips, ISA_SCALAR, NULL);
    adjoint_all(&b.n, adjoint, strips, ISA_SCALAR, NULL);
    double left = 0.0, right = 0.0;
    double* weight = calloc((size_t)(b.padded * b.r.count), sizeof *weight);
    for (int32_t k = 0; k < b.r.count; ++k) {
        for (int32_t i = 0; i < b.padded; ++i) {
            weight[k * b.padded + i] = net_weight(&b.n, i, k);
        }
    }
    for (int32_t f = 0; f < stride; ++f) {
        for (int32_t k = 0; k < b.r.count; ++k) {
            double sum = 0.0, other = (double)adjoint[(first + k) * stride + f];
            for (int32_t i = 0; i < b.padded; ++i) {
                sum += weight[k * b.padded + i] * (double)forward[i * stride + f];
            }
            CHECK_NEAR(forward[(first + k) * stride + f], sum, slack);
            left += (double)forward[(first + k) * stride + f] * other;
        }
        for (int32_t i = 0; i < b.count; ++i) {
            double sum = 0.0;
            for (int32_t k = 0; k < b.r.count; ++k) {
                sum += weight[k * b.padded + i] * (double)adjoint[(first + k) * stride + f];
            }
            CHECK_NEAR(adjoint[i * stride + f], sum, slack);
            right += (double)forward[i * stride + f] * (double)adjoint[i * stride + f];
        }
    }
    /* <P u, w> = <u, P^T w> */
    CHECK_NEAR(left, right, 1e6 * slack);
    free(kept);
    free(forward);
    free(adjoint);
    free(weight);
    grid_body_free(&b);
}

static void sums_equal_brute_force(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        for (uint64_t seed = 0; seed < 4; ++seed) {
            sums_equal_brute_force_of((grid_kind)kind, seed == 0, 3 + seed);
        }
    }
}

static void backends_give_the_same_bits_of(grid_kind kind) {
    grid_body b;
    grid_body_kind(&b, kind, 24, 12, 12, NULL, 0.1f);
    random_stream r = random_seed(4);
    size_t floats = (size_t)b.n.record_count * 24;
    size_t bytes = (floats * sizeof(float) + 63) / 64 * 64;
    float* reference = aligned_alloc(64, bytes);
    float* other = aligned_alloc(64, bytes);
    float* input = aligned_alloc(64, bytes);
    for (size_t i = 0; i < floats; ++i) {
        input[i] = random_range(&r, -1.0f, 1.0f);
    }
    memcpy(reference, input, bytes);
    forward_all(&b.n, reference, 3, ISA_SCALAR, NULL);
    for (int set = 0; set < ISA_COUNT; ++set) {
        for (int32_t count = 1; count <= 3 && isa_available((isa)set); ++count) {
            workers* pool = NULL;
            CHECK(workers_create(NULL, count, &pool) == LIM_OK);
            memcpy(other, input, bytes);
            forward_all(&b.n, other, 3, (isa)set, pool);
            CHECK(memcmp(reference, other, floats * sizeof(float)) == 0);
            workers_destroy(pool);
        }
    }
    free(reference);
    free(other);
    free(input);
    grid_body_free(&b);
}

static void backends_and_workers_give_the_same_bits(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        backends_give_the_same_bits_of((grid_kind)kind);
    }
}

static void validity_notices_damage(void) {
    grid_body b;
    grid_body_make(&b, 4, 4, 4, NULL, 0.1f, 2);
    CHECK(net_is_valid(&b.n));
    int32_t keep = b.n.forward[5];
    b.n.forward[5] = b.n.record_count;
    CHECK(!net_is_valid(&b.n));
    b.n.forward[5] = keep;
    keep = b.n.back[7];
    b.n.back[7] = 0;
    CHECK(!net_is_valid(&b.n));
    b.n.back[7] = keep;
    CHECK(net_is_valid(&b.n));
    grid_body_free(&b);
}

static void building_fails_cleanly_of(grid_kind kind) {
    grid_body b;
    grid_body_kind(&b, kind, 6, 4, 3, NULL, 0.1f);
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        net made;
        regions r;
        lim_result result =
            kind == GRID_BALLS
                ? regions_build_balls(&a, &f.host, &b.rn, b.g, 4, &made, &r)
                : regions_build_blended(&a, &f.host, &b.rn, b.tree, b.width, &made, &r);
        done = result == LIM_OK;
        CHECK(done || result == LIM_ERROR_MEMORY);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    grid_body_free(&b);
}

static void building_fails_cleanly(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        building_fails_cleanly_of((grid_kind)kind);
    }
}

TEST_SUITE(net) {
    TEST_BEGIN(argc, argv);
    RUN(distances_equal_relaxation);
    RUN(regions_are_balls_along_the_graph);
    RUN(sums_equal_brute_force);
    RUN(backends_and_workers_give_the_same_bits);
    RUN(validity_notices_damage);
    RUN(building_fails_cleanly);
    TEST_END();
}
