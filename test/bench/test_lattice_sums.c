/* SPDX-License-Identifier: MIT
 * Sums over a lattice in every way of figure 4 equal sums in double over regions that are found by
 * walking from node to node: over full boxes, boxes with holes and gaps, sheets and rods; with
 * every instruction set, forward and back. Values are whole, so float sums are exact and equality
 * is too.
 */
#include "test.h"

#include "base/random.h"
#include "bench/lattice_array.h"
#include "bench/lattice_sums.h"
#include "bench/naive_sums.h"
#include "failing_host.h"
#include "scenes/models.h"

typedef struct lattice_case {
    int32_t cells[3];
    float keep; /* chance of a cell */
    bool gap;   /* two layers with a slit between */
} lattice_case;

static const lattice_case cases[] = {{{5, 4, 3}, 1.0f, false}, {{9, 1, 1}, 1.0f, false},
                                     {{6, 6, 1}, 1.0f, false}, {{1, 1, 1}, 1.0f, false},
                                     {{6, 5, 4}, 0.6f, false}, {{7, 7, 2}, 0.4f, false},
                                     {{6, 3, 6}, 1.0f, true}};
enum { CASES = (int)(sizeof cases / sizeof cases[0]) };

/* Cells kept by chance; a gap is a layer of cells that is missing but for one end. */
static void make_nodes(arena* a, const lattice_case* c, uint64_t seed, lattice_nodes* out) {
    int32_t count = c->cells[0] * c->cells[1] * c->cells[2];
    uint8_t* kept = ARENA_ARRAY(a, uint8_t, count);
    random_stream r = random_seed(seed);
    for (int32_t i = 0; i < count; ++i) {
        int32_t x = i % c->cells[0], y = i / c->cells[0] % c->cells[1];
        kept[i] = c->gap ? y != 1 || x == 0 : random_unit(&r) < c->keep;
    }
    kept[0] = 1;
    CHECK(lattice_nodes_of_cells(a, c->cells, kept, out) == LIM_OK);
}

/* hops[i * count + j]: links from i to j, by relaxing until nothing changes; -1: none. */
static int32_t* all_hops(arena* a, const lattice_nodes* nodes) {
    int32_t n = nodes->count;
    int32_t* hops = ARENA_ARRAY(a, int32_t, n * n);
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            hops[i * n + j] = i == j ? 0 : -1;
        }
        bool changed = true;
        for (int32_t round = 0; changed; ++round) {
            changed = false;
            for (int32_t j = 0; j < n; ++j) {
                if (hops[i * n + j] != round) {
                    continue;
                }
                for (int32_t e = nodes->g.offset[j]; e < nodes->g.offset[j + 1]; ++e) {
                    int32_t* next = &hops[i * n + nodes->g.node[e]];
                    changed = changed || *next < 0;
                    *next = *next < 0 ? round + 1 : *next;
                }
            }
        }
    }
    return hops;
}

static void links_join_nodes_that_share_a_cell(void) {
    arena a;
    arena_init(&a, NULL);
    lattice_nodes nodes;
    const int32_t one[3] = {1, 1, 1}, two[3] = {2, 1, 1}, pair[3] = {2, 2, 1};
    CHECK(lattice_nodes_of_cells(&a, one, NULL, &nodes) == LIM_OK);
    CHECK(nodes.count == 8 && nodes.full && nodes.g.offset[8] == 8 * 7);
    CHECK(lattice_nodes_of_cells(&a, two, NULL, &nodes) == LIM_OK);
    CHECK(nodes.count == 12 && nodes.full && nodes.g.offset[12] == 8 * 7 + 4 * 11);
    /* two cells that meet in an edge: the corners of the other two cells are there, but the ends
     * of a diagonal of a missing cell share nothing */
    const uint8_t diagonal[4] = {1, 0, 0, 1};
    CHECK(lattice_nodes_of_cells(&a, pair, diagonal, &nodes) == LIM_OK);
    CHECK(nodes.count == 14 && !nodes.full);
    CHECK(nodes.g.offset[14] == 12 * 7 + 2 * 13);
    for (int32_t i = 0; i < nodes.count; ++i) {
        for (int32_t e = nodes.g.offset[i] + 1; e < nodes.g.offset[i + 1]; ++e) {
            CHECK(nodes.g.node[e - 1] < nodes.g.node[e]);
        }
    }
    const uint8_t none[4] = {0};
    CHECK(lattice_nodes_of_cells(&a, pair, none, &nodes) == LIM_ERROR_ARGUMENT);
    arena_release(&a);
}

static float* random_values(arena* a, int32_t count, int32_t strips, uint64_t seed) {
    random_stream r = random_seed(seed);
    float* values = ARENA_ARRAY(a, float, count* strips * 8);
    for (int32_t i = 0; i < count * strips * 8; ++i) {
        values[i] = (float)(random_index(&r, 2001) - 1000);
    }
    return values;
}

static void compare(arena* a, const lattice_nodes* nodes, const int32_t* hops, lattice_sums* s,
                    int32_t w, int32_t strips, isa set) {
    int32_t n = nodes->count, floats = 8 * strips;
    float* values = random_values(a, n, strips, (uint64_t)(w * 10 + strips));
    float* out = ARENA_ARRAY(a, float, n* floats);
    lattice_sums_load(s, strips, values);
    lattice_sums_run(s, strips, set);
    lattice_sums_read(s, strips, out);
    int32_t wrong = 0;
    for (int32_t k = 0; k < lattice_sums_count(s); ++k) {
        int32_t i = lattice_sums_seed(s, k);
        for (int32_t f = 0; f < (strips == 3 ? 24 : 15); ++f) {
            double sum = 0.0;
            for (int32_t j = 0; j < n; ++j) {
                bool in = hops[i * n + j] >= 0 && hops[i * n + j] <= w;
                sum += in ? (double)values[j * floats + f] : 0.0;
            }
            wrong += (double)out[k * floats + f] != sum;
        }
    }
    CHECK(wrong == 0);
}

static void every_way_gives_the_sums(void) {
    for (int32_t c = 0; c < CASES; ++c) {
        arena a;
        arena_init(&a, NULL);
        lattice_nodes nodes;
        make_nodes(&a, &cases[c], (uint64_t)c, &nodes);
        CHECK(nodes.full == (cases[c].keep >= 1.0f && !cases[c].gap));
        const int32_t* hops = all_hops(&a, &nodes);
        for (int32_t w = 1; w <= 8; w += w < 3 ? 1 : 5) {
            for (int32_t way = 0; way < LATTICE_WAYS; ++way) {
                lattice_sums* s;
                CHECK(lattice_sums_create(&nodes, (lattice_way)way, w, 0, NULL, &s) == LIM_OK);
                CHECK(lattice_sums_count(s) == nodes.count);
                for (int32_t set = 0; set < ISA_COUNT; ++set) {
                    if (isa_available((isa)set)) {
                        compare(&a, &nodes, hops, s, w, 3, (isa)set);
                        compare(&a, &nodes, hops, s, w, 2, (isa)set);
                    }
                }
                lattice_sums_destroy(s);
            }
        }
        arena_release(&a);
    }
}

static void long_lists_are_made_for_a_part(void) {
    arena a;
    arena_init(&a, NULL);
    const int32_t cells[3] = {12, 11, 10};
    uint8_t kept[12 * 11 * 10];
    memset(kept, 1, sizeof kept);
    kept[0] = 0;
    lattice_nodes nodes;
    CHECK(lattice_nodes_of_cells(&a, cells, kept, &nodes) == LIM_OK);
    const int32_t* hops = all_hops(&a, &nodes);
    lattice_sums* s;
    CHECK(lattice_sums_create(&nodes, LATTICE_NAIVE, 2, 80000, NULL, &s) == LIM_OK);
    CHECK(lattice_sums_count(s) > 0 && lattice_sums_count(s) * 125 <= 80000);
    compare(&a, &nodes, hops, s, 2, 3, ISA_SCALAR);
    lattice_sums_destroy(s);
    arena_release(&a);
}

/* In a dense array cubes reach across what is missing: that is said, so it holds. */
static void cubes_of_an_array_are_cut_off_at_its_borders(void) {
    arena a;
    arena_init(&a, NULL);
    const int32_t at[] = {5, 7, -2, 8, 7, -2, 5, 9, 0, 6, 8, -1};
    enum { N = 4 };
    lattice_array l;
    CHECK(lattice_array_make(&a, at, N, &l) == LIM_OK);
    CHECK(l.size[0] == 4 && l.size[1] == 3 && l.size[2] == 3 && l.places == 36);
    float* values = random_values(&a, N, 3, 1);
    float *in = ARENA_ARRAY(&a, float, 36 * 24), *out = ARENA_ARRAY(&a, float, 36 * 24);
    float *bars = ARENA_ARRAY(&a, float, 36 * 24), *plates = ARENA_ARRAY(&a, float, 36 * 24);
    float got[2][N * 24];
    lattice_array_spread(&l, 3, values, in);
    for (int32_t w = 1; w <= 3; ++w) {
        lattice_array_naive(&l, w, 3, isa_best(), in, out);
        lattice_array_collect(&l, 3, out, got[0]);
        lattice_array_bars(&l, w, 3, isa_best(), in, bars, plates, out);
        lattice_array_collect(&l, 3, out, got[1]);
        for (int32_t i = 0; i < N * 24; ++i) {
            double sum = 0.0;
            for (int32_t j = 0; j < N; ++j) {
                bool in_cube = true;
                for (int32_t k = 0; k < 3; ++k) {
                    in_cube = in_cube && abs(at[3 * j + k] - at[3 * (i / 24) + k]) <= w;
                }
                sum += in_cube ? (double)values[j * 24 + i % 24] : 0.0;
            }
            CHECK((double)got[0][i] == sum && (double)got[1][i] == sum);
        }
    }
    const int32_t far[] = {0, 0, 0, 1 << 20, 1 << 20, 0};
    CHECK(lattice_array_make(&a, far, 2, &l) == LIM_ERROR_TOO_LARGE);
    arena_release(&a);
}

static void nodes_of_a_model_are_those_of_its_lattice(void) {
    arena a;
    arena_init(&a, NULL);
    lim_mesh* mesh = NULL;
    const int32_t cells[3] = {1, 1, 1};
    CHECK(box_mesh(1.0, 0.75, 0.5, cells, NULL, &mesh) == LIM_OK);
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = 0.125f;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lattice_nodes nodes;
    CHECK(lattice_nodes_of_model(&a, model, &nodes) == LIM_OK);
    lim_model_nodes view = lim_model_get_nodes(model);
    CHECK(nodes.count == view.count && nodes.g.offset[nodes.count] == 2 * view.edge_count);
    for (int32_t i = 0; i < nodes.count; ++i) {
        const int32_t* p = nodes.coordinates + 3 * i;
        CHECK(p[0] >= 0 && p[0] < 8 && p[1] >= 0 && p[1] < 6 && p[2] >= 0 && p[2] < 4);
        CHECK(p[0] + 8 * (p[1] + 6 * p[2]) == i);
        for (int32_t e = nodes.g.offset[i]; e < nodes.g.offset[i + 1]; ++e) {
            const int32_t* q = nodes.coordinates + 3 * nodes.g.node[e];
            CHECK(nodes.g.length[e] == 1 && nodes.g.node[e] != i);
            CHECK(abs(p[0] - q[0]) <= 1 && abs(p[1] - q[1]) <= 1 && abs(p[2] - q[2]) <= 1);
        }
    }
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    arena_release(&a);
}

static void creating_fails_cleanly(void) {
    arena a;
    arena_init(&a, NULL);
    for (int32_t round = 0; round < 2 * LATTICE_WAYS; ++round) {
        lattice_nodes nodes;
        make_nodes(&a, &cases[round < LATTICE_WAYS ? 0 : 4], 1, &nodes);
        bool done = false;
        for (int64_t n = 0; !done; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            lattice_sums* s;
            lim_result result =
                lattice_sums_create(&nodes, (lattice_way)(round % LATTICE_WAYS), 1, 0, &f.host, &s);
            done = result == LIM_OK;
            CHECK(done || (result == LIM_ERROR_MEMORY && s == NULL));
            lattice_sums_destroy(s);
            CHECK(f.held == 0);
        }
    }
    arena_release(&a);
}

TEST_SUITE(lattice_sums) {
    TEST_BEGIN(argc, argv);
    RUN(links_join_nodes_that_share_a_cell);
    RUN(every_way_gives_the_sums);
    RUN(long_lists_are_made_for_a_part);
    RUN(cubes_of_an_array_are_cut_off_at_its_borders);
    RUN(nodes_of_a_model_are_those_of_its_lattice);
    RUN(creating_fails_cleanly);
    TEST_END();
}
