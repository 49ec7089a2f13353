/* SPDX-License-Identifier: MIT
 * Iterations of solves over solids, combs, slits, plates and round bodies.
 */
#include "test.h"

#include "step_kit.h"

static const kit_shape solids[] = {
    {"box", {32, 16, 16}, NULL, NULL, 0.0},
    {"comb", {32, 16, 2}, kit_comb, NULL, 0.0},
    {"slit", {32, 16, 16}, kit_slit_rod, NULL, 16.0},
    {"cut", {32, 16, 16}, kit_whole_rod, kit_cut_holds, 16.0},
    {"plate", {32, 1, 32}, NULL, NULL, 0.0},
    {"rod", {48, 8, 8}, kit_rod, NULL, 6.5},
    {"blob", {20, 20, 20}, kit_blob, NULL, 0.0},
};
enum { SOLIDS = sizeof solids / sizeof solids[0], HELD_STEPS = 30, MOST = 64 };

/* Held at one end and thrown; lips and teeth against each other. */
static void throw_body(kit_mover* m, bool rough) {
    int32_t end = 0;
    for (int32_t n = 0; n < m->body.desc.nodes; ++n) {
        end = m->body.place[n][0] > end ? m->body.place[n][0] : end;
    }
    for (int32_t n = 0; n < m->body.desc.nodes; ++n) {
        double r = (double)m->body.place[n][0] / end, y = m->body.place[n][1];
        if (m->body.place[n][0] == 0) {
            kit_hold(m, n);
        } else {
            m->state.v[1][n] = (float)(3.0 * r * r * (rough ? sin(y) : 1.0));
            m->state.v[2][n] = (float)r;
        }
    }
    kit_gravity(m, 0.0, -KIT_GRAVITY);
}

static void solves_take_few_iterations(void) {
    static const double youngs[] = {1e4, 1e6, 1e7}, poissons[] = {0.3, 0.45};
    for (int i = 0; i < SOLIDS; ++i) {
        for (int k = 0; k < 6; ++k) {
            if (!test_long && k != 1 && k != 3) {
                continue;
            }
            double young = youngs[k / 2], poisson = poissons[k % 2];
            int32_t count[MOST] = {0}, above = 0, p99 = MOST - 1;
            kit_mover m;
            kit_mover_make(&m, &solids[i], 0.01, young, poisson);
            throw_body(&m, i >= 1 && i <= 3);
            for (int step = 0; step < HELD_STEPS; ++step) {
                kit_step(&m, 1.0 / 60.0);
                CHECK(m.report.converged && m.report.finite && m.report.iterations < MOST);
                count[m.report.iterations % MOST]++;
            }
            for (; p99 > 0 && (above + count[p99]) * 100 <= HELD_STEPS; --p99) {
                above += count[p99];
            }
            printf("  %-5s %5d cells, %d levels, %.0e Pa, nu %.2f: %.1f iterations, p99 %d\n",
                   solids[i].name, m.body.desc.cells, m.body.levels.count, young, poisson,
                   (double)m.iterations / m.steps, p99);
            CHECK(p99 <= (i == 0 ? 10 : 18));
            kit_mover_free(&m);
        }
    }
}

TEST_SUITE(hex_solids) {
    TEST_BEGIN(argc, argv);
    RUN(solves_take_few_iterations);
    TEST_END();
}
