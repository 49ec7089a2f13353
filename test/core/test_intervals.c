/* SPDX-License-Identifier: MIT
 * Interval regions on random material: solid, porous, walled, in fragments, in fingers; uniform and
 * balanced trees; widths that vary from node to node; eps 0, 1/2 and 1. All against brute force.
 */
#include "core/interval_checks.h"
#include "core/piece_body.h"
#include "failing_host.h"

static int32_t* random_widths(piece_body* b, random_stream* r, int32_t most, bool vary) {
    int32_t* width = ARENA_ARRAY(&b->mem, int32_t, b->nodes.padded);
    int32_t constant = random_index(r, most + 1);
    for (int32_t i = 0; i < b->nodes.padded; ++i) {
        width[i] = vary ? random_index(r, most + 1) : constant;
    }
    return width;
}

static void check_recipe(const piece_recipe* recipe, uint64_t seed, int32_t stride) {
    static const int32_t eps[3][2] = {{0, 1}, {1, 2}, {1, 1}};
    piece_body b;
    piece_body_make(&b, recipe, seed);
    random_stream r = random_seed(seed);
    for (int k = 0; k < 3; ++k) {
        int32_t* width = random_widths(&b, &r, 3 << recipe->finest, k != 2);
        interval_case c = {&b.nodes, b.g, b.where, width, eps[k][0], eps[k][1], stride};
        check_intervals(&c, seed);
    }
    piece_body_free(&b);
}

static void solid_material(void) {
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        check_recipe(&(piece_recipe){3, 1.0f, 0.0f, 1.0f, 1.0f, false, false}, seed, 7);
        check_recipe(&(piece_recipe){4, 1.0f, 0.0f, 1.0f, 0.5f, false, false}, seed, 5);
    }
}

static void porous_material(void) {
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        check_recipe(&(piece_recipe){3, 0.3f, 0.0f, 0.8f, 0.7f, false, false}, seed, 1);
        check_recipe(&(piece_recipe){4, 0.1f, 0.0f, 1.0f, 0.8f, false, false}, seed, 3);
    }
}

static void walls_and_fingers(void) {
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        check_recipe(&(piece_recipe){3, 1.0f, 0.0f, 1.0f, 0.6f, true, false}, seed, 1);
        check_recipe(&(piece_recipe){4, 1.0f, 0.0f, 1.0f, 0.6f, false, true}, seed, 5);
        check_recipe(&(piece_recipe){4, 0.9f, 0.0f, 1.0f, 0.7f, true, true}, seed, 5);
    }
}

static void fragments_share_cells(void) {
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        check_recipe(&(piece_recipe){3, 0.8f, 0.5f, 0.1f, 0.7f, false, false}, seed, 1);
        check_recipe(&(piece_recipe){3, 1.0f, 1.0f, 0.2f, 0.6f, true, false}, seed, 1);
    }
}

/* A tree of one node, of many lone nodes, of one coarse node over fine pieces. */
static void small_trees(void) {
    check_recipe(&(piece_recipe){1, 0.0f, 0.0f, 1.0f, 1.0f, false, false}, 1, 1);
    check_recipe(&(piece_recipe){2, 1.0f, 0.0f, 1.0f, 0.0f, false, false}, 2, 1);
    check_recipe(&(piece_recipe){2, 0.7f, 0.3f, 0.0f, 1.0f, false, false}, 3, 1);
}

/* The recipes above are what they say: levels differ by one at most along an edge, there is more
 * than one level, more than one component, and cells with two nodes. */
static void recipes_vary(void) {
    piece_body b;
    piece_body_make(&b, &(piece_recipe){4, 1.0f, 0.0f, 1.0f, 0.5f, false, false}, 1);
    int32_t levels = 0, cells_twice = 0, gaps = 0;
    for (int32_t i = 0; i < b.nodes.padded; ++i) {
        levels |= b.level[i] >= 0 ? 1 << b.level[i] : 0;
        for (int32_t e = b.g.offset[i]; e < b.g.offset[i + 1]; ++e) {
            CHECK(abs(b.level[i] - b.level[b.g.node[e]]) <= 1);
        }
    }
    CHECK((levels & (levels - 1)) != 0);
    piece_body_free(&b);
    piece_body_make(&b, &(piece_recipe){3, 0.8f, 0.5f, 0.1f, 0.7f, false, false}, 1);
    for (int32_t i = 1; i < b.nodes.padded; ++i) {
        for (int32_t j = 0; j < i && b.level[i] >= 0; ++j) {
            cells_twice += b.level[j] >= 0 && b.key[i] == b.key[j];
        }
        gaps += b.level[i] < 0 && i + 1 < b.nodes.padded && b.level[i + 1] >= 0;
    }
    CHECK(cells_twice > 0);
    CHECK(gaps > 0);
    piece_body_free(&b);
}

/* Item 13: the same cube and the same width in ever finer cells: members grow eightfold per level,
 * summation nodes do not. */
static void summation_nodes_are_bounded(void) {
    double inputs[6] = {0};
    for (int32_t finest = 2; finest <= 5; ++finest) {
        piece_body b;
        piece_body_make(&b, &(piece_recipe){finest, 1.0f, 0.0f, 1.0f, 1.0f, false, false}, 1);
        int32_t* width = ARENA_ARRAY(&b.mem, int32_t, b.nodes.padded);
        for (int32_t i = 0; i < b.nodes.padded; ++i) {
            width[i] = 2 << (finest - 2); /* a quarter of the cube */
        }
        int32_t stride = finest < 4 ? 1 : finest == 4 ? 13 : 101;
        interval_case c = {&b.nodes, b.g, b.where, width, 1, 2, stride};
        inputs[finest] = interval_mean_inputs(&c);
        piece_body_free(&b);
    }
    printf("  summation nodes per region at depths 2 to 5: %.1f %.1f %.1f %.1f\n", inputs[2],
           inputs[3], inputs[4], inputs[5]);
    CHECK(inputs[4] < 1.3 * inputs[3]);
    CHECK(inputs[5] < 1.1 * inputs[4]);
    CHECK(inputs[5] < 64.0);
}

/* The same set of summation nodes for every numbering of the slots. */
static void lists_do_not_depend_on_slots(void) {
    piece_body b;
    piece_body_make(&b, &(piece_recipe){4, 0.9f, 0.0f, 1.0f, 0.6f, true, false}, 5);
    int32_t n = b.nodes.padded;
    random_stream r = random_seed(9);
    int32_t* width = random_widths(&b, &r, 24, true);
    int32_t* at = ARENA_ARRAY(&b.mem, int32_t, n); /* slot -> other slot */
    int32_t* back = ARENA_ARRAY(&b.mem, int32_t, n);
    for (int32_t i = 0; i < n; ++i) {
        int32_t j = random_index(&r, i + 1);
        at[i] = at[j];
        at[j] = i;
    }
    int32_t* level = ARENA_ARRAY(&b.mem, int32_t, n);
    int32_t* piece = ARENA_ARRAY(&b.mem, int32_t, n);
    int32_t* offset = ARENA_ARRAY(&b.mem, int32_t, n + 1);
    int32_t* node = ARENA_ARRAY(&b.mem, int32_t, b.g.offset[n]);
    uint16_t* length = ARENA_ARRAY(&b.mem, uint16_t, b.g.offset[n]);
    for (int32_t i = 0; i < n; ++i) {
        back[at[i]] = i;
        level[at[i]] = b.level[i];
        piece[at[i]] = b.piece[i];
    }
    for (int32_t i = 0; i < n; ++i) {
        offset[i + 1] = offset[i];
        for (int32_t e = b.g.offset[back[i]]; e < b.g.offset[back[i] + 1]; ++e) {
            node[offset[i + 1]] = at[b.g.node[e]];
            length[offset[i + 1]++] = b.g.length[e];
        }
    }
    interval_tree t, u;
    interval_search s, z;
    region_tree other = {&b.tree, level, piece};
    CHECK(interval_tree_build(&b.mem, &b.nodes, b.where, &t) == LIM_OK);
    CHECK(interval_tree_build(&b.mem, &b.nodes, other, &u) == LIM_OK);
    CHECK(interval_search_init(&s, &b.mem, &t, b.g) == LIM_OK);
    CHECK(interval_search_init(&z, &b.mem, &u, (graph){n, offset, node, length}) == LIM_OK);
    CHECK(t.count == u.count);
    for (int32_t i = 0; i < n; ++i) {
        if (b.level[i] >= 0) {
            interval_search_run(&s, i, width[i], interval_limit(width[i], 1, 2));
            interval_search_run(&z, at[i], width[i], interval_limit(width[i], 1, 2));
            CHECK(s.count == z.count);
            for (int32_t k = 0; k < s.count && k < z.count; ++k) {
                CHECK(t.order[s.chosen[k]] == u.order[z.chosen[k]]);
            }
        }
    }
    piece_body_free(&b);
}

static void limits_are_exact(void) {
    CHECK(interval_limit(0, 1, 2) == 1);
    CHECK(interval_limit(1, 0, 1) == 2);
    CHECK(interval_limit(2, 1, 2) == 3);
    CHECK(interval_limit(3, 1, 2) == 5); /* 4 < 4.5 belongs, 5 does not */
    CHECK(interval_limit(4, 1, 1) == 8);
    CHECK(interval_limit(7, 1, 3) == 10);
    CHECK(interval_limit(INT32_MAX, 1, 1) == INT32_MAX / 2);
}

static void building_fails_cleanly(void) {
    piece_body b;
    piece_body_make(&b, &(piece_recipe){3, 0.9f, 0.2f, 0.8f, 0.7f, false, false}, 3);
    random_stream r = random_seed(4);
    int32_t* width = random_widths(&b, &r, 8, true);
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        net made;
        regions regions_made;
        lim_result result = regions_build_intervals(&a, &f.host, &b.nodes, b.g, b.where, width, 1,
                                                    2, n % 2 == 0, &made, &regions_made);
        done = result == LIM_OK;
        CHECK(done || result == LIM_ERROR_MEMORY);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    piece_body_free(&b);
}

TEST_SUITE(intervals) {
    TEST_BEGIN(argc, argv);
    RUN(limits_are_exact);
    RUN(recipes_vary);
    RUN(small_trees);
    RUN(solid_material);
    RUN(porous_material);
    RUN(walls_and_fingers);
    RUN(fragments_share_cells);
    RUN(summation_nodes_are_bounded);
    RUN(lists_do_not_depend_on_slots);
    RUN(building_fails_cleanly);
    TEST_END();
}
