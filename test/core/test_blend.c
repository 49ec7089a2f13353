/* SPDX-License-Identifier: MIT
 * Blended regions against what is promised of them: weights that add up to 1 and stay within the
 * connected piece, the widths, the patch test, the modulus along an axis and in bending, at every
 * shift of the tree, across levels and with a width that varies.
 */
#include "test.h"

#include "core/grid_body.h"
#include "math/trig.h"
#include "node/sums_kernel.h"

#define STEP 1e-3

static float wanted_width;
static float width_wanted(int32_t x, int32_t y, int32_t z) {
    (void)x;
    (void)y;
    (void)z;
    return wanted_width;
}

/* 1 cell wide on the left, 3 on the right: one level more. */
static float width_varied(int32_t x, int32_t y, int32_t z) {
    (void)y;
    (void)z;
    return x < 20 ? 1.0f : x >= 26 ? 3.0f : 1.0f + (float)(x - 20) / 3.0f;
}

static int32_t one_jump(int32_t x, int32_t y, int32_t z) {
    (void)y;
    (void)z;
    return x >= 16 ? 1 : 0;
}

static int32_t two_jumps(int32_t x, int32_t y, int32_t z) {
    (void)y;
    (void)z;
    return x >= 24 ? 2 : x >= 16 ? 1 : 0;
}

/* The corner of a block of coarse nodes: jumps along all axes. */
static int32_t corner_jump(int32_t x, int32_t y, int32_t z) {
    return x >= 12 && y >= 12 && z >= 12 ? 1 : 0;
}

/* Each block of four cells has a level of its own, at random. */
static int32_t random_levels(int32_t x, int32_t y, int32_t z) {
    uint32_t block = (uint32_t)(x / 4 + 7 * (y / 4) + 31 * (z / 4));
    return (int32_t)(block * 2654435761u >> 30) % 3;
}

/* A modulus for which the smallest region just reaches alpha = 1. */
static match_material limit_material(const grid_body* b) {
    double least = 1e9;
    for (int32_t r = 0; r < b->r.count; ++r) {
        double sigma2 = (double)b->r.sigma2[r];
        least = sigma2 > 0.0 && sigma2 < least ? sigma2 : least;
    }
    return (match_material){
        .young = 1000.0 * least / (STEP * STEP), .density = 1000.0, .scale = 1.0};
}

static void stop(grid_body* b) {
    for (int k = 0; k < 3; ++k) {
        memset(b->nodes.v[k], 0, (size_t)b->padded * sizeof(float));
    }
    node_component_sums(&b->nodes, b->match.block_sums, isa_best(), NULL);
}

/* Velocities become (goal - position) / STEP at the positions as they are. */
static void find_goals(grid_body* b, const match_material* m) {
    match_refresh(&b->match, m, STEP, isa_best(), NULL);
    for (int pass = 0; pass < 5; ++pass) {
        stop(b);
        match_step(&b->match, true, isa_best(), NULL, NULL, NULL);
    }
}

typedef enum patch_field { STRETCH, SHEAR, BEND, PATCH_FIELDS } patch_field;

static void deform(grid_body* b, patch_field field, double size) {
    for (int32_t i = 0; i < b->count; ++i) {
        double x = (double)b->x0[0][i], y = (double)b->x0[1][i];
        double dx = field == STRETCH ? 0.1 * x : field == SHEAR ? 0.1 * y : -0.1 * x * y / size;
        b->nodes.d[0][i] = (float)dx;
        b->nodes.d[1][i] = field == BEND ? (float)(0.05 * x * x / size) : 0.0f;
        b->nodes.d[2][i] = 0.0f;
    }
    for (int32_t r = 0; r < b->r.padded; ++r) {
        for (int k = 0; k < 4; ++k) {
            b->match.q[k][r] = k == 3 ? 1.0f : 0.0f;
        }
    }
}

/* Largest distance of an interior goal from its node, in finest cells. Interior is what is `margin`
 * cells from the ends; a stretch along x does not care how near y and z end. */
static double patch_error(const grid_plan* plan, patch_field field, double margin) {
    grid_body b;
    grid_body_plan(&b, plan);
    match_material m = limit_material(&b);
    double cell = (double)plan->cell;
    deform(&b, field, 0.5 * plan->nx * cell);
    find_goals(&b, &m);
    double worst = 0.0;
    int32_t inside = 0;
    const int32_t sizes[3] = {plan->nx, plan->ny, plan->nz};
    for (int32_t i = 0; i < b.count; ++i) {
        double near = 1e9, off = 0.0;
        for (int k = 0; k < (field == STRETCH ? 1 : 3); ++k) {
            double left = 0.5 * sizes[k] - fabs((double)b.x0[k][i]) / cell;
            near = left < near ? left : near;
        }
        for (int k = 0; k < 3; ++k) {
            off += pow((double)b.nodes.v[k][i] * STEP / cell, 2);
        }
        inside += near >= margin;
        worst = near >= margin && off > worst ? off : worst;
    }
    CHECK(inside > 0);
    grid_body_free(&b);
    return sqrt(worst);
}

static void even_fields_move_no_goals(void) {
    /* Every shift of the tree's planes against the body. */
    for (int shift = 0; shift < 8; ++shift) {
        grid_plan plan = {.nx = 18, .ny = 14, .nz = 14, .cell = 1.0f / 32, .width = width_wanted};
        for (int k = 0; k < 3; ++k) {
            plan.shift[k] = 64 + (shift >> k & 1);
        }
        wanted_width = 1.0f;
        for (int field = 0; field < PATCH_FIELDS; ++field) {
            CHECK(patch_error(&plan, (patch_field)field, 4.0) < 0.002);
        }
    }
    /* Every width from 1 to 8 cells and shifts of the coarser planes, along a bar. */
    for (int width = 1; width <= 8; ++width) {
        for (int shift = 0; shift < 16; shift += 7) {
            grid_plan plan = {.nx = 112,
                              .ny = 3,
                              .nz = 3,
                              .cell = 1.0f / 112,
                              .shift = {64 + shift, 64 + shift / 2, 64},
                              .width = width_wanted};
            wanted_width = (float)width;
            CHECK(patch_error(&plan, STRETCH, 46.0) < 0.002);
        }
    }
}

static void level_jumps_move_goals_little(void) {
    int32_t (*const jumps[])(int32_t, int32_t, int32_t) = {one_jump, two_jumps, corner_jump};
    for (size_t j = 0; j < sizeof jumps / sizeof jumps[0]; ++j) {
        grid_plan plan = {.nx = 40,
                          .ny = 24,
                          .nz = 24,
                          .cell = 1.0f / 32,
                          .shift = {64, 64, 64},
                          .width = width_wanted,
                          .up = jumps[j]};
        wanted_width = 1.0f;
        for (int field = 0; field < PATCH_FIELDS; ++field) {
            CHECK(patch_error(&plan, (patch_field)field, 8.0) < 0.01);
        }
    }
    grid_plan varied = {.nx = 48,
                        .ny = 8,
                        .nz = 8,
                        .cell = 1.0f / 32,
                        .shift = {64, 64, 64},
                        .width = width_varied};
    CHECK(patch_error(&varied, STRETCH, 10.0) < 0.01);
}

static void weights_add_up_and_stay_in_the_piece(void) {
    random_stream r = random_seed(21);
    for (int round = 0; round < 12; ++round) {
        uint8_t* kept = grid_mask(&r, 10 * 8 * 6, 0.35f + 0.05f * (float)round);
        grid_plan plan = {.nx = 10,
                          .ny = 8,
                          .nz = 6,
                          .kept = kept,
                          .cell = 0.1f,
                          .shift = {random_index(&r, 8), random_index(&r, 8), random_index(&r, 8)},
                          .width = width_wanted};
        wanted_width = 1.0f + (float)random_index(&r, 5);
        if (round % 2 == 1) {
            plan.up = random_levels;
            plan.shift[0] = plan.shift[1] = plan.shift[2] = 0;
        }
        grid_body b;
        grid_body_plan(&b, &plan);
        CHECK(net_is_valid(&b.n));
        arena a;
        arena_init(&a, NULL);
        distance_search search;
        CHECK(distance_search_init(&search, &a, b.g) == LIM_OK);
        for (int32_t i = 0; i < b.count; ++i) {
            double sum = 0.0;
            for (int32_t k = 0; k < b.r.count; ++k) {
                sum += net_weight(&b.n, i, k);
            }
            CHECK_NEAR(sum, 1.0, 1e-6);
            CHECK_NEAR(b.inv_weight[i], 1.0, 1e-6);
        }
        int32_t* members = calloc((size_t)b.padded, sizeof *members);
        for (int32_t k = 0; k < b.r.count; ++k) {
            int32_t count = net_members(&b.n, k, members, b.padded);
            CHECK(count > 0);
            distance_search_run(&search, members[0], INT32_MAX / 2);
            CHECK(count > 1 || search.count == 1); /* alone only where there is nobody else */
            for (int32_t m = 0; m < count; ++m) {
                bool joined = false;
                for (int32_t f = 0; f < search.count; ++f) {
                    joined = joined || search.found[f] == members[m];
                }
                CHECK(joined);
            }
        }
        free(members);
        free(kept);
        arena_release(&a);
        grid_body_free(&b);
    }
}

/* Two fingers, one cell apart, on a common base: near their tips no region holds nodes of both. */
static void fingers_have_regions_of_their_own(void) {
    uint8_t kept[5 * 24 * 2] = {0};
    for (int32_t z = 0; z < 2; ++z) {
        for (int32_t y = 0; y < 24; ++y) {
            for (int32_t x = 0; x < 5; ++x) {
                kept[(z * 24 + y) * 5 + x] = y < 4 || x != 2;
            }
        }
    }
    grid_plan plan = {
        .nx = 5, .ny = 24, .nz = 2, .kept = kept, .cell = 0.05f, .width = width_wanted};
    for (int32_t shift = 0; shift < 4; ++shift) {
        plan.shift[0] = shift;
        wanted_width = 1.0f;
        grid_body b;
        grid_body_plan(&b, &plan);
        for (int32_t k = 0; k < b.r.count; ++k) {
            bool left = false, right = false;
            for (int32_t z = 0; z < 2; ++z) {
                for (int32_t y = 8; y < 24; ++y) {
                    left = left || net_weight(&b.n, grid_slot(&b, 1, y, z), k) > 0.0;
                    right = right || net_weight(&b.n, grid_slot(&b, 3, y, z), k) > 0.0;
                }
            }
            CHECK(!(left && right));
        }
        grid_body_free(&b);
    }
}

/* Variance along the axis of the regions in the middle of a bar: (4^n - 1) / 4 square cells. */
static void widths_are_those_of_the_levels(void) {
    const float widths[3] = {1.0f, 2.895f, 6.39f};
    const double variance[3] = {0.75, 3.75, 15.75};
    for (int n = 0; n < 3; ++n) {
        wanted_width = widths[n];
        grid_plan plan = {
            .nx = 96, .ny = 2, .nz = 2, .cell = 1.0f, .shift = {64, 64, 64}, .width = width_wanted};
        grid_body b;
        grid_body_plan(&b, &plan);
        int32_t middle = b.r.seed_region[grid_slot(&b, 48, 0, 0)];
        CHECK_NEAR(b.r.sigma2[middle], variance[n], 1e-3);
        grid_body_free(&b);
    }
}

/* Energy of a bar bent to a curvature, per length, over E A curvature^2 / 2: the second moment of
 * the section plus what regions resist by their length, (t^2 - 1) / 12 + (m4 - s^4) / (4 s^2)
 * square cells with s^2 and m4 the second and fourth moments of the weights along the bar (C.4a for
 * any weights). Ends are taken out by comparing two lengths. */
static double bent_energy(int32_t length, int32_t thickness, int32_t shift) {
    wanted_width = 1.0f;
    grid_plan plan = {.nx = length,
                      .ny = thickness,
                      .nz = thickness,
                      .cell = 1.0f,
                      .shift = {64, 64 + shift, 64 + shift},
                      .width = width_wanted};
    grid_body b;
    grid_body_plan(&b, &plan);
    /* An arc of a circle, sections plane: no axial strain but that of bending. */
    const double curvature = 5e-3;
    for (int32_t i = 0; i < b.count; ++i) {
        double x = (double)b.x0[0][i], y = (double)b.x0[1][i], angle = curvature * x;
        double rise = 2.0 * pow(trig_sin(0.5 * angle), 2) / curvature; /* (1 - cos) / curvature */
        b.nodes.d[0][i] = (float)((1.0 / curvature - y) * trig_sin(angle) - x);
        b.nodes.d[1][i] = (float)(rise - y * (1.0 - trig_cos(angle)));
    }
    /* Unit modulus: alpha small everywhere. */
    match_material m = {.young = 0.01 * 1000.0 / (STEP * STEP), .density = 1000.0, .scale = 1.0};
    find_goals(&b, &m);
    /* match_energy counts volumes as masses: E is young / density. */
    double energy = match_energy(&b.match, STEP) / (0.5 * m.young / m.density);
    grid_body_free(&b);
    return energy / (curvature * curvature * thickness * thickness);
}

static void bending_is_as_predicted(void) {
    const int32_t thickness[] = {1, 2, 3, 4, 6, 8};
    double s2 = 0.75, m4 = 0.75 * 0.0625 + 0.25 * 5.0625;
    for (size_t k = 0; k < sizeof thickness / sizeof thickness[0]; ++k) {
        for (int32_t shift = 0; shift < 2; ++shift) {
            int32_t t = thickness[k];
            double seen = (bent_energy(72, t, shift) - bent_energy(56, t, shift)) / 16.0;
            double expected = ((double)t * t - 1.0) / 12.0 + (m4 - s2 * s2) / (4.0 * s2);
            printf("     %d cells thick, shift %d: %.3f, predicted %.3f\n", (int)t, (int)shift,
                   seen, expected);
            CHECK_NEAR(seen / expected, 1.0, 0.1);
        }
    }
}

/* A free bar swinging along its axis in its first mode: period 2 L / sqrt(E / rho). */
static double bar_period(const grid_plan* plan, double young, double h) {
    grid_body b;
    grid_body_plan(&b, plan);
    match_material m = {.young = young, .density = 1000.0, .scale = 1.0};
    double k = 3.14159265358979 / ((double)plan->nx * (double)plan->cell);
    for (int32_t i = 0; i < b.count; ++i) {
        b.nodes.d[0][i] = 0.002f * (float)trig_sin(k * (double)b.x0[0][i]);
    }
    match_refresh(&b.match, &m, h, isa_best(), NULL);
    stop(&b);
    double before = 0.0, first = -1.0, second = -1.0;
    for (int step = 1; step < 20000 && second < 0.0; ++step) {
        match_step(&b.match, true, isa_best(), NULL, NULL, NULL);
        node_kernels_for(isa_best())->drift(&b.nodes, 0, b.padded, (float)h);
        node_component_sums(&b.nodes, b.match.block_sums, isa_best(), NULL);
        double now = 0.0;
        for (int32_t i = 0; i < b.count; ++i) {
            now += (double)b.volume[i] * (double)b.nodes.d[0][i] * trig_sin(k * (double)b.x0[0][i]);
        }
        if (before > 0.0 && now <= 0.0) {
            double crossing = h * (step - now / (now - before));
            (first < 0.0) ? (first = crossing) : (second = crossing);
        }
        before = now;
    }
    grid_body_free(&b);
    return second - first;
}

static void bars_have_the_modulus_asked_for(void) {
    double young = 20e3, exact = 2.0 / sqrt(young / 1000.0), h = 1.0 / 1920;
    const int32_t thickness[] = {1, 2, 3, 4, 8};
    for (size_t k = 0; k < sizeof thickness / sizeof thickness[0]; ++k) {
        for (int32_t shift = 0; shift < 2; ++shift) {
            for (int width = 1; width <= 2; ++width) {
                int32_t t = thickness[k];
                grid_plan plan = {.nx = 32,
                                  .ny = t,
                                  .nz = t,
                                  .cell = 1.0f / 32,
                                  .shift = {64 + shift, 64 + shift, 64},
                                  .width = width_wanted};
                wanted_width = (float)width;
                double ratio = bar_period(&plan, young, h) / exact;
                /* Modulus within 5 %: period within 2.5 %. */
                CHECK_NEAR(ratio, 1.0, 0.025);
            }
        }
    }
    /* Half the bar coarse, two levels, and every second level of uniform sampling. */
    wanted_width = 1.0f;
    grid_plan mixed = {.nx = 32,
                       .ny = 4,
                       .nz = 4,
                       .cell = 1.0f / 32,
                       .shift = {64, 64, 64},
                       .width = width_wanted,
                       .up = one_jump};
    CHECK_NEAR(bar_period(&mixed, young, h) / exact, 1.0, 0.025);
    mixed.up = two_jumps;
    CHECK_NEAR(bar_period(&mixed, young, h) / exact, 1.0, 0.025);
    for (int32_t cells = 16; cells <= 64; cells *= 2) {
        grid_plan plan = {.nx = cells,
                          .ny = cells / 8,
                          .nz = cells / 8,
                          .cell = 1.0f / (float)cells,
                          .width = width_wanted};
        CHECK_NEAR(bar_period(&plan, young, h) / exact, 1.0, 0.025);
    }
}

TEST_SUITE(blend) {
    TEST_BEGIN(argc, argv);
    RUN(even_fields_move_no_goals);
    RUN(level_jumps_move_goals_little);
    RUN(weights_add_up_and_stay_in_the_piece);
    RUN(fingers_have_regions_of_their_own);
    RUN(widths_are_those_of_the_levels);
    RUN(bending_is_as_predicted);
    RUN(bars_have_the_modulus_asked_for);
    TEST_END();
}
