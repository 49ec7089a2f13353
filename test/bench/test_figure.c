/* SPDX-License-Identifier: MIT
 * Figure 2 of the octree paper: the intervals and decisions that its caption names, and that the
 * region is what they amount to.
 */
#include "test.h"

#include "bench/figure_intervals.h"
#include "failing_host.h"

static void check_cell(const figure_intervals* f, const char* name, int32_t least, int32_t most,
                       figure_fate fate) {
    const figure_cell* c = figure_find(f, name);
    CHECK(c != NULL);
    if (c != NULL) {
        CHECK(c->least == least);
        CHECK(c->most == most);
        CHECK(c->fate == fate);
    }
}

static void the_caption_holds(void) {
    figure_intervals f;
    CHECK(figure_intervals_make(NULL, &f) == LIM_OK);
    check_cell(&f, "n_i", 0, 0, FIGURE_UNSEEN); /* its block was taken */
    check_cell(&f, "n_b", 0, 1, FIGURE_TAKEN);
    check_cell(&f, "n_a", 2, 3, FIGURE_LEFT_OUT);
    check_cell(&f, "n_c", 1, 2, FIGURE_OPENED);
    CHECK(figure_find(&f, "n_d") == NULL);
    CHECK(f.levels == 2); /* "summation nodes at two different levels" */
    CHECK(f.summation_nodes == 6);
    CHECK(f.members == 9);
    int32_t taken = 0, unseen = 0;
    for (int32_t k = 0; k < f.count; ++k) {
        const figure_cell* c = &f.cell[k];
        int32_t dx = c->x - 4, dy = c->y - 2;
        if (c->level == FIGURE_LEVELS) {
            int32_t d = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
            CHECK(c->least == d && c->most == d);
        }
        taken += c->fate == FIGURE_TAKEN;
        unseen += c->fate == FIGURE_UNSEEN;
        CHECK(c->fate != FIGURE_TAKEN || c->most < 2);
        CHECK(c->fate != FIGURE_LEFT_OUT || c->least > 1);
        CHECK(c->fate != FIGURE_OPENED || (c->level < FIGURE_LEVELS && c->most >= 2));
    }
    CHECK(taken == f.summation_nodes);
    CHECK(unseen == 4 * 3); /* the nodes of n_b and of the two blocks that were left out */
}

static void making_fails_cleanly(void) {
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        figure_intervals figure;
        lim_result result = figure_intervals_make(&f.host, &figure);
        done = result == LIM_OK;
        CHECK(done || result == LIM_ERROR_MEMORY);
        CHECK(f.held == 0);
    }
}

TEST_SUITE(figure) {
    TEST_BEGIN(argc, argv);
    RUN(the_caption_holds);
    RUN(making_fails_cleanly);
    TEST_END();
}
