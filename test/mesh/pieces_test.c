/* SPDX-License-Identifier: MIT
 * The hierarchy of pieces: known shapes, random ones, gaps and moments.
 */
#include "failing_host.h"
#include "pieces_check.h"

static void check_shape(shape* from, double cell, bool glue, bool solid) {
    lim_mesh* mesh = shape_mesh(from);
    finest_kit k;
    finest_make(&k, mesh, cell, 0, glue, solid);
    check_pieces(&k);
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

static void known_shapes_group_like_a_flood(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 12);
    check_shape(&s, 0.09, true, true);
    shape_torus(&s, 1.0, 0.3, 30, 12);
    check_shape(&s, 0.06, true, true);
    shape_fingers(&s, 0.37, 0.06);
    check_shape(&s, 0.05, true, true);
    shape_sheet(&s, 5, 0.7);
    check_shape(&s, 0.04, true, false);
}

/* Boxes anywhere: they overlap, touch, leave slits and stand alone. */
static void random_boxes_group_like_a_flood(void) {
    random_stream r = random_seed(41);
    for (int round = 0; round < 40; ++round) {
        shape s = {0};
        bool lattice = round % 2 == 0;
        for (int32_t i = 3 + random_index(&r, 12); i > 0; --i) {
            double low[3], high[3];
            for (int k = 0; k < 3; ++k) {
                low[k] = lattice ? (double)random_index(&r, 14) : 14.0 * (double)random_unit(&r);
                high[k] = low[k] + (lattice ? 1.0 + random_index(&r, 5)
                                            : 0.3 + 5.0 * (double)random_unit(&r));
            }
            shape_box(&s, low[0], low[1], low[2], high[0], high[1], high[2]);
        }
        check_shape(&s, lattice ? 1.0 / 16 : 0.07, round % 3 != 0, round % 5 != 4);
    }
}

/* Two fingers whose gap is much thinner than a coarse cell. */
static void a_gap_parts_pieces_of_every_level(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 3.8, 3.8);
    shape_box(&s, 0, 4.2, 0, 8, 8, 3.8);
    lim_mesh* mesh = shape_mesh(&s);
    finest_kit k;
    finest_make(&k, mesh, 1.0 / 8, 0, false, true);
    CHECK(k.tree.level[0].count == 2 && k.see.component_count == 2);
    finest_free(&k);
    finest_make(&k, mesh, 1.0 / 8, 0, true, true);
    CHECK(k.tree.level[0].count == 1 && k.see.component_count == 1); /* glued */
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

/* A box has V (a^2, b^2, c^2) / 12, whatever it is cut into. */
static void a_box_has_its_moments(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 4, 2);
    lim_mesh* mesh = shape_mesh(&s);
    finest_kit k;
    finest_make(&k, mesh, 1.0 / 8, 0, true, true);
    const piece_level* root = &k.tree.level[0];
    double v = 8.0 * 4 * 2 / 512, side[3] = {1.0, 0.5, 0.25};
    CHECK(root->count == 1);
    CHECK_NEAR(root->volume[0], v, 1e-6);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(root->moment[0][i], v * side[i] * side[i] / 12.0, 1e-7);
        CHECK_NEAR(root->moment[0][3 + i], 0.0, 1e-9);
    }
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    shape_box(&s, 1.05, 0, 0, 2, 1, 1);
    lim_mesh* mesh = shape_mesh(&s);
    finest_kit k;
    finest_make(&k, mesh, 0.02, 0, true, true);
    bool finished = false;
    for (int64_t n = 0; !finished && n < 200; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        pieces out;
        lim_result result = pieces_build(&a, &k.m, &out);
        finished = result == LIM_OK;
        CHECK(finished || result == LIM_ERROR_MEMORY);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(finished);
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(pieces) {
    TEST_BEGIN(argc, argv);
    RUN(known_shapes_group_like_a_flood);
    RUN(random_boxes_group_like_a_flood);
    RUN(a_gap_parts_pieces_of_every_level);
    RUN(a_box_has_its_moments);
    RUN(every_failed_allocation_is_survived);
    TEST_END();
}
