/* SPDX-License-Identifier: MIT
 * Strain, plastic strain and stress of nodes, by hand: a bar that is stretched by a tenth, and one
 * that has flowed and is left alone.
 */
#include "test.h"

#include "core/physics_kit.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};
enum { NODES_MOST = 4096 };
static float elastic[NODES_MOST], plastic[NODES_MOST], stress[NODES_MOST];

static void read_strain(const toy* t) {
    CHECK(t->nodes <= NODES_MOST);
    CHECK(lim_body_get_node_strain(t->world, t->body, elastic, plastic, stress, t->nodes) ==
          LIM_OK);
}

static void stretch(toy* t, double by) {
    toy_read(t);
    for (int32_t i = 0; i < 3 * t->nodes; ++i) {
        t->x[i] = t->rest[i] * (i % 3 == 0 ? by : 1.0);
        t->v[i] = 0.0f;
    }
    toy_write(t);
}

static void a_bar_stretched_by_a_tenth_shows_a_tenth(void) {
    const int32_t n[3] = {12, 4, 4};
    for (int r = 0; kind_choose(r); ++r) {
        lim_material m = lim_material_default();
        m.young = 10e3f;
        toy t = toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 4, 1);
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK); /* finds the gains */
        stretch(&t, 1.1);
        read_strain(&t);
        for (int32_t i = 0; i < t.nodes; ++i) {
            CHECK(plastic[i] == 0.0f);
            /* Points at the ends have no neighbour along the bar. */
            if (!kind_has_points(kind_now) || fabs(t.rest[3 * i]) < 0.29) {
                CHECK_NEAR(elastic[i], 0.1, 1e-4);
                CHECK_NEAR(stress[i], 1000.0, 10.0);
            }
        }
        CHECK(lim_body_get_node_strain(t.world, t.body, NULL, NULL, NULL, t.nodes) == LIM_OK);
        CHECK(lim_body_get_node_strain(t.world, t.body, NULL, plastic, NULL, t.nodes - 1) ==
              LIM_ERROR_ARGUMENT);
        toy_free(&t);
    }
}

/* Held at 1.3 by hand for a second with a yield strain of 0.05, then let go: the rest shape has
 * flowed, and nothing pulls at it any more. */
static void what_has_flowed_is_not_elastic(void) {
    const int32_t n[3] = {12, 4, 4};
    for (int r = 0; r < KIND_QUADRATIC && kind_choose(r); ++r) {
        lim_material m = lim_material_default();
        m.yield = 0.05f;
        m.creep = 50.0f;
        m.damping_time = 0.1f;
        toy t = toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 4, 1);
        for (int k = 0; k < 60; ++k) {
            stretch(&t, 1.3);
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        stretch(&t, 1.3);
        read_strain(&t);
        double held = 0.0, most = 0.0, flowed = 0.0, pull = 0.0;
        for (int32_t i = 0; i < t.nodes; ++i) {
            held += (double)elastic[i] / t.nodes;
        }
        for (int k = 0; k < 180; ++k) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        read_strain(&t);
        for (int32_t i = 0; i < t.nodes; ++i) {
            most = (double)elastic[i] > most ? (double)elastic[i] : most;
            flowed += (double)plastic[i] / t.nodes;
            pull = (double)stress[i] > pull ? (double)stress[i] : pull;
        }
        printf("  held %.3f; after: elastic at most %.3f, plastic %.3f, stress %.0f Pa\n", held,
               most, flowed, pull);
        CHECK(held > 0.02);
        CHECK(most < 0.05); /* below the yield strain */
        CHECK(flowed > 0.15);
        toy_free(&t);
    }
    kind_choose(KIND_ROWS);
}

TEST_SUITE(node_strain) {
    TEST_BEGIN(argc, argv);
    RUN(a_bar_stretched_by_a_tenth_shows_a_tenth);
    RUN(what_has_flowed_is_not_elastic);
    TEST_END();
}
