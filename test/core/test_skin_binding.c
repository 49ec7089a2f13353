/* SPDX-License-Identifier: MIT
 * Bindings against slow oracles: weights, continuity, who sees whom, momentum.
 */
#include "failing_host.h"
#include "node_fixture.h"
#include "skin/cell_grid.h"

static float step_kernel(float t) {
    t = fabsf(t);
    return t < 1.0f ? 1.0f - t * t * (3.0f - 2.0f * t) : 0.0f;
}

static float weight_of(const binding* b, int32_t slot) {
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES; ++k) {
        sum += b->node[k] == slot ? b->weight[k] : 0.0f;
    }
    return sum;
}

static void weights_sum_to_one(void) {
    fixture f;
    fixture_block(&f, 5, 4, 3, 0.2f);
    random_stream r = random_seed(1);
    lim_vec3 points[500];
    for (int i = 0; i < 500; ++i) {
        points[i] = random_vec3(&r, -0.8f, 0.8f);
    }
    bindings b = fixture_bind(&f, points, NULL, 500);
    for (int i = 0; i < 500; ++i) {
        double sum = 0.0;
        bool ended = false;
        for (int k = 0; k < BINDING_NODES; ++k) {
            float w = b.bind[i].weight[k];
            sum += (double)w;
            CHECK(w >= 0.0f && (k == 0 || w <= b.bind[i].weight[k - 1]));
            CHECK(!ended || w == 0.0f);
            ended = ended || w == 0.0f;
            CHECK(w > 0.0f || b.bind[i].node[k] == b.bind[i].node[0]);
            CHECK(f.sides[b.bind[i].node[k]] > 0.0f);
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
        CHECK(b.rest[0][i] == points[i].x && b.rest[2][i] == points[i].z);
    }
    fixture_free(&f);
}

static void full_grid_has_tensor_weights(void) {
    fixture f;
    fixture_block(&f, 6, 6, 6, 0.15f);
    random_stream r = random_seed(2);
    lim_vec3 points[400];
    for (int i = 0; i < 400; ++i) {
        points[i] = random_vec3(&r, -0.37f, 0.37f); /* within the box of the centres */
    }
    bindings b = fixture_bind(&f, points, NULL, 400);
    for (int i = 0; i < 400; ++i) {
        for (int32_t slot = 0; slot < 216; ++slot) {
            float expected = step_kernel((points[i].x - f.centre[0][slot]) / f.side) *
                             step_kernel((points[i].y - f.centre[1][slot]) / f.side) *
                             step_kernel((points[i].z - f.centre[2][slot]) / f.side);
            CHECK_NEAR(weight_of(&b.bind[i], slot), expected, 2e-6);
        }
    }
    fixture_free(&f);
}

/* Any field over the slots, interpolated, must not jump: along lines through cell borders, inside
 * and on the outside of an L of cells. */
static void weights_are_continuous(void) {
    fixture_cell cells[64];
    int32_t count = 0;
    for (int z = 0; z < 4; ++z) {
        for (int y = 0; y < 4; ++y) {
            for (int x = 0; x < 4; ++x) {
                if (x < 2 || y < 2) {
                    cells[count++] = (fixture_cell){x, y, z, 1, 0, {0, 0, 0}, 1};
                }
            }
        }
    }
    fixture f;
    fixture_make(&f, cells, count, 0.25f, v3(0.125f, 0.125f, 0.125f));
    random_stream r = random_seed(3);
    float field[64];
    for (int i = 0; i < 64; ++i) {
        field[i] = random_range(&r, -1, 1);
    }
    enum { LINES = 40, STEPS = 400 };
    static lim_vec3 points[LINES * STEPS];
    for (int line = 0; line < LINES; ++line) {
        lim_vec3 at = random_vec3(&r, 0.05f, 0.95f);
        at.y = line % 2 == 0 ? at.y * 0.5f : at.y;
        at.x = line % 2 == 0 ? at.x : at.x * 0.5f;
        for (int step = 0; step < STEPS; ++step) {
            float t = 0.02f + 0.96f * (float)step / (float)STEPS;
            points[line * STEPS + step] = line % 2 == 0 ? v3(t, at.y, at.z) : v3(at.x, t, at.z);
        }
    }
    bindings b = fixture_bind(&f, points, NULL, LINES * STEPS);
    for (int i = 1; i < LINES * STEPS; ++i) {
        float before = 0.0f, after = 0.0f;
        for (int k = 0; k < BINDING_NODES; ++k) {
            before += b.bind[i - 1].weight[k] * field[b.bind[i - 1].node[k]];
            after += b.bind[i].weight[k] * field[b.bind[i].node[k]];
        }
        /* one step is 1 % of a cell; the weights' slope is at most 1.5 per cell and axis */
        CHECK(i % STEPS == 0 || fabsf(after - before) < 0.1f);
    }
    fixture_free(&f);
}

/* Two fingers side by side that touch in space but not in the graph, joined far below. */
static void fingers_do_not_pull_each_other(void) {
    fixture_cell cells[24];
    int32_t count = 0;
    for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 2; ++x) {
            unsigned parts = y < 2 ? 3u : x == 0 ? 1u : 2u;
            cells[count++] = (fixture_cell){x, y, 0, parts, 0, {0, 0, 0}, 1};
        }
    }
    fixture f;
    fixture_make(&f, cells, count, 0.1f, v3(0.05f, 0.05f, 0.05f));
    random_stream r = random_seed(4);
    lim_vec3 points[300];
    for (int i = 0; i < 300; ++i) {
        points[i] = v3(random_range(&r, 0.0f, 0.2f), random_range(&r, 0.0f, 1.2f),
                       random_range(&r, 0.0f, 0.1f));
    }
    bindings b = fixture_bind(&f, points, NULL, 300);
    for (int i = 0; i < 300; ++i) {
        int column = points[i].x < 0.1f ? 0 : 1, row = (int)(points[i].y / 0.1f);
        int32_t own = f.slot_of[2 * (row > 11 ? 11 : row) + column];
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t slot = b.bind[i].node[k];
            bool seen = slot == own;
            for (int32_t e = f.offset[own]; e < f.offset[own + 1]; ++e) {
                int32_t next = f.node[e];
                seen = seen || next == slot;
                for (int32_t g = f.offset[next]; g < f.offset[next + 1]; ++g) {
                    seen = seen || f.node[g] == slot;
                }
            }
            CHECK(seen);
            CHECK(row < 4 || (f.centre[0][slot] < 0.1f) == (column == 0));
        }
    }
    fixture_free(&f);
}

/* A cell split by a cut in two fragments that are joined one cell below. */
static void fragments_are_chosen_by_the_inner_side(void) {
    const fixture_cell cells[] = {{0, 0, 0, 3, 0, {0, 0, 0}, 1},
                                  {0, 1, 0, 1, 0, {-0.25f, 0, 0}, 1},
                                  {0, 1, 0, 2, 0, {0.25f, 0, 0}, 1},
                                  {0, 2, 0, 1, 0, {-0.25f, 0, 0}, 1},
                                  {0, 2, 0, 2, 0, {0.25f, 0, 0}, 1}};
    fixture f;
    fixture_make(&f, cells, 5, 0.2f, v3(0, 0, 0));
    /* the two lips of the cut at x = 0, the left one facing right */
    const lim_vec3 points[] = {{0, 0.25f, 0}, {0, 0.25f, 0}, {0, 0.35f, 0}, {0, 0.35f, 0}};
    const lim_vec3 normals[] = {{1, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 0, 0}};
    bindings b = fixture_bind(&f, points, normals, 4);
    for (int i = 0; i < 4; ++i) {
        int mine = i % 2 == 0 ? 1 : 2;
        CHECK(weight_of(&b.bind[i], f.slot_of[mine]) > 0.0f);
        CHECK(weight_of(&b.bind[i], f.slot_of[3 - mine]) == 0.0f);
        CHECK(weight_of(&b.bind[i], f.slot_of[5 - mine]) == 0.0f);
    }
    /* seen from below both fragments share their cell's weight */
    const lim_vec3 below[] = {{0, 0.05f, 0}};
    bindings base = fixture_bind(&f, below, NULL, 1);
    float left = weight_of(base.bind, f.slot_of[1]), right = weight_of(base.bind, f.slot_of[2]);
    CHECK_NEAR(left, right, 1e-6);
    CHECK_NEAR(left + right, step_kernel(0.75f), 1e-5);
    fixture_free(&f);
}

static void far_points_hang_on_the_nearest_cell(void) {
    fixture f;
    fixture_block(&f, 4, 3, 5, 0.1f);
    random_stream r = random_seed(5);
    lim_vec3 points[300];
    for (int i = 0; i < 300; ++i) {
        points[i] = random_vec3(&r, -20, 20);
    }
    bindings b = fixture_bind(&f, points, NULL, 300);
    for (int i = 0; i < 300; ++i) {
        double least = 1e30, got = 0.0;
        for (int32_t slot = 0; slot < f.nodes.padded; ++slot) {
            lim_vec3 c = v3(f.centre[0][slot], f.centre[1][slot], f.centre[2][slot]);
            lim_vec3 r0 = v3_sub(points[i], c);
            lim_vec3 out = v3(fabsf(r0.x) - 0.05f, fabsf(r0.y) - 0.05f, fabsf(r0.z) - 0.05f);
            double distance = (double)v3_length(v3_max(out, v3(0, 0, 0)));
            if (f.sides[slot] > 0.0f) {
                least = distance < least ? distance : least;
            }
            got = slot == b.bind[i].node[0] ? distance : got;
        }
        CHECK_NEAR(got, least, 1e-5);
        CHECK(least < 0.2 || b.bind[i].weight[0] == 1.0f);
    }
    fixture_free(&f);
}

/* Cells of several sizes: the grid must list the nearest and all that the kernel reaches. */
static void grid_finds_all_that_matter(void) {
    enum { CELLS = 203, POINTS = 300 };
    static float x[3][CELLS], side[CELLS];
    random_stream r = random_seed(6);
    for (int i = 0; i < CELLS; ++i) {
        side[i] = i % 10 == 9 ? 0.0f : 0.02f * (float)(1 << random_index(&r, 4));
        for (int axis = 0; axis < 3; ++axis) {
            x[axis][i] = random_range(&r, -1, 1) * (axis == 1 ? 0.1f : 1.0f);
        }
    }
    arena mem;
    arena_init(&mem, NULL);
    cell_grid g;
    const float* centre[3] = {x[0], x[1], x[2]};
    CHECK(cell_grid_build(&g, &mem, centre, side, CELLS, NULL) == LIM_OK);
    for (int i = 0; i < POINTS; ++i) {
        lim_vec3 at = random_vec3(&r, -1.5f, 1.5f);
        int32_t near[CELLS];
        int32_t count = cell_grid_nearest(&g, p3_of(at), near);
        bool listed[CELLS] = {false};
        for (int k = 0; k < count; ++k) {
            CHECK(!listed[near[k]] && side[near[k]] > 0.0f);
            listed[near[k]] = true;
        }
        double least = HUGE_VAL;
        for (int k = 0; k < CELLS; ++k) {
            double distance = side[k] > 0.0f ? cell_grid_distance(&g, k, p3_of(at)) : HUGE_VAL;
            least = distance < least ? distance : least;
        }
        for (int k = 0; k < CELLS; ++k) {
            double most = least + CELL_GRID_MARGIN * (double)side[k];
            CHECK(side[k] <= 0.0f || listed[k] || cell_grid_distance(&g, k, p3_of(at)) > most);
        }
        /* and layer by layer all that come within a radius */
        double radius = (double)random_range(&r, 0.0f, 0.3f);
        memset(listed, 0, sizeof listed);
        for (int32_t layer = 0; layer < g.layer_count; ++layer) {
            count = cell_grid_around(&g, layer, p3_of(at), radius, near);
            for (int k = 0; k < count; ++k) {
                CHECK(!listed[near[k]] && side[near[k]] > 0.0f);
                listed[near[k]] = true;
            }
        }
        for (int k = 0; k < CELLS; ++k) {
            double reach = radius + 0.5 * (double)side[k];
            bool within = side[k] > 0.0f && fabs((double)at.x - (double)x[0][k]) <= reach &&
                          fabs((double)at.y - (double)x[1][k]) <= reach &&
                          fabs((double)at.z - (double)x[2][k]) <= reach;
            CHECK(!within || listed[k]);
        }
    }
    arena_release(&mem);
}

static void bad_input_is_refused(void) {
    fixture f;
    fixture_block(&f, 2, 2, 2, 0.5f);
    arena scratch;
    arena_init(&scratch, NULL);
    bindings b = {.count = -7};
    const lim_vec3 bad = {NAN, 0, 0}, good = {0, 0, 0};
    CHECK(bindings_build(&f.mem, &scratch, &f.rest, &bad, NULL, 1, NULL, &b) == LIM_ERROR_ARGUMENT);
    bind_nodes none = f.rest;
    none.padded = 0;
    CHECK(bindings_build(&f.mem, &scratch, &none, &good, NULL, 1, NULL, &b) == LIM_ERROR_ARGUMENT);
    CHECK(b.count == -7);
    CHECK(bindings_build(&f.mem, &scratch, &none, NULL, NULL, 0, NULL, &b) == LIM_OK &&
          b.count == 0);
    CHECK(bindings_build(&f.mem, &scratch, &f.rest, &good, &bad, 1, NULL, &b) == LIM_OK);
    arena_release(&scratch);
    fixture_free(&f);
}

static void building_survives_every_failure(void) {
    fixture f;
    fixture_block(&f, 4, 4, 4, 0.25f);
    static lim_vec3 points[20000];
    random_stream r = random_seed(7);
    for (int i = 0; i < 20000; ++i) {
        points[i] = random_vec3(&r, -0.5f, 0.5f);
    }
    int32_t same[64];
    for (int i = 0; i < 64; ++i) {
        same[i] = f.slot_of[i];
    }
    bind_material material = {
        64,  {f.x0[0], f.x0[1], f.x0[2]}, {f.centre[0], f.centre[1], f.centre[2]}, f.sides, same,
        NULL};
    f.rest.material = &material;
    int failures = 0;
    for (int n = 0;; ++n) {
        failing_host host;
        failing_host_arm(&host, n);
        arena a, scratch;
        arena_init(&a, &host.host);
        arena_init(&scratch, &host.host);
        bindings b;
        lim_result result = bindings_build(&a, &scratch, &f.rest, points, NULL, 20000, NULL, &b);
        arena_release(&a);
        arena_release(&scratch);
        CHECK(host.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
        failures++;
    }
    CHECK(failures >= 2);
    fixture_free(&f);
}

TEST_SUITE(skin_binding) {
    TEST_BEGIN(argc, argv);
    RUN(weights_sum_to_one);
    RUN(full_grid_has_tensor_weights);
    RUN(weights_are_continuous);
    RUN(fingers_do_not_pull_each_other);
    RUN(fragments_are_chosen_by_the_inner_side);
    RUN(far_points_hang_on_the_nearest_cell);
    RUN(grid_finds_all_that_matter);
    RUN(bad_input_is_refused);
    RUN(building_survives_every_failure);
    TEST_END();
}
