/* SPDX-License-Identifier: MIT
 * The repulsive forces that contact is measured against: depths and forces against the hand, and
 * the case in which the library's contact leaves less inside and gains no energy.
 */
#include "bench/penalty.h"
#include "bench/penalty_case.h"
#include "failing_host.h"
#include "math/vec3.h"
#include "test.h"

/* A box of 2 by 4 by 6 of two nodes, 1 above and 1 below its middle, turned by a right angle about
 * z and moved. */
typedef struct one_box {
    lim_vec3 rest[2], velocity[2];
    lim_point at[2], point[1];
    double mass[2], share[1];
    int32_t node[1];
    penalty_block block;
} one_box;

static void one_box_make(one_box* b, lim_point middle, bool turned) {
    const dquat turn = turned ? (dquat){0.0, 0.0, sqrt(0.5), sqrt(0.5)} : dquat_identity();
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 2; ++i) {
        b->rest[i] = v3(0.0f, i == 0 ? -1.0f : 1.0f, 0.0f);
        b->at[i] = p3_add(middle, dquat_rotate(turn, p3_of(b->rest[i])));
        b->mass[i] = i == 0 ? 2.0 : 5.0;
    }
    b->share[0] = 0.5;
    b->node[0] = 1;
    b->block = (penalty_block){.node_count = 2,
                               .point_count = 1,
                               .half = {1.0f, 2.0f, 3.0f},
                               .turn = turn,
                               .rest = b->rest,
                               .at = b->at,
                               .velocity = b->velocity,
                               .mass = b->mass,
                               .point = b->point,
                               .point_node = b->node,
                               .point_share = b->share};
}

static void depths_are_those_of_the_box(void) {
    one_box b;
    one_box_make(&b, p3(10.0, 20.0, 30.0), true);
    /* its y lies along -x of the world now, its x along y */
    penalty_depth d = penalty_depth_of(&b.block, p3(8.25, 20.0, 30.0));
    CHECK_NEAR(d.deep, 0.25, 1e-12);
    CHECK(d.node == 1);
    CHECK_NEAR(d.out.x, -1.0, 1e-12);
    CHECK_NEAR(d.out.y, 0.0, 1e-12);
    d = penalty_depth_of(&b.block, p3(10.5, 19.1, 31.0));
    CHECK_NEAR(d.deep, 0.1, 1e-12);
    CHECK(d.node == 0);
    CHECK_NEAR(d.out.y, -1.0, 1e-12);
    CHECK_NEAR(penalty_depth_of(&b.block, p3(12.5, 20.0, 30.0)).deep, -0.5, 1e-12);
    /* a node that has moved takes its part of the box along */
    b.at[1].x -= 0.5;
    CHECK_NEAR(penalty_depth_of(&b.block, p3(8.25, 20.0, 30.0)).deep, 0.75, 1e-12);
}

static void forces_are_springs_and_keep_momentum(void) {
    one_box a, b;
    one_box_make(&a, p3(0.0, 3.9, 0.0), false);
    one_box_make(&b, p3(0.0, 0.0, 0.0), false);
    b.point[0] = p3(0.0, 2.0, 0.0); /* on b's surface: bounds of what it may hold */
    a.point[0] = p3(0.0, 1.9, 0.0);
    b.block.point_count = 1;
    CHECK(penalty_push(&a.block, &b.block, 100.0, 0.01) == 0); /* outside of the bounds of b */
    lim_point corners[2] = {{-1.0, -2.0, -3.0}, {1.0, 2.0, 3.0}};
    b.block.point = corners;
    b.block.point_count = 2;
    CHECK(penalty_push(&a.block, &b.block, 100.0, 0.01) == 1);
    /* 0.01 s of 100 N/m times 0.1 m, half of it: 0.05 Ns */
    CHECK_NEAR(a.velocity[1].y, 0.05 / 5.0, 1e-7);
    CHECK_NEAR(b.velocity[1].y, -0.05 / 5.0, 1e-7);
    CHECK(a.velocity[0].y == 0.0f && b.velocity[0].y == 0.0f && a.velocity[1].x == 0.0f);
    a.point[0].y = 2.01;
    CHECK(penalty_push(&a.block, &b.block, 100.0, 0.01) == 0);
}

/* What docs/contact.md says: soft springs let the block sink in, stiff ones throw it; contact does
 * neither. */
static void contact_leaves_less_inside(void) {
    penalty_result ours, soft, stiff;
    CHECK(penalty_case_run(0.0, 240, NULL, &ours) == LIM_OK);
    CHECK(penalty_case_run(100.0, 240, NULL, &soft) == LIM_OK);
    CHECK(penalty_case_run(10000.0, 240, NULL, &stiff) == LIM_OK);
    const penalty_result* r[3] = {&ours, &soft, &stiff};
    for (int i = 0; i < 3; ++i) {
        printf("  %d nodes, inside %d, p99 %.4f, most %.3f cells, gained %.4f, height %.3f\n",
               r[i]->nodes, r[i]->inside, r[i]->p99, r[i]->most, r[i]->gained, r[i]->height);
    }
    CHECK(ours.p99 <= 0.02 && ours.most <= 0.2 && ours.gained < 0.05);
    CHECK(soft.p99 > 10.0 * ours.p99 && soft.inside > 0);
    CHECK(stiff.gained > 0.1);
}

static void running_fails_cleanly(void) {
    bool done = false;
    for (int64_t n = 0; !done; n += n < 40 ? 1 : 37) {
        failing_host f;
        failing_host_arm(&f, n);
        penalty_result r;
        lim_result result = penalty_case_run(n % 2 == 0 ? 100.0 : 0.0, 2, &f.host, &r);
        done = result == LIM_OK;
        CHECK(done || result == LIM_ERROR_MEMORY);
        CHECK(f.held == 0);
    }
    penalty_result r;
    CHECK(penalty_case_run(-1.0, 2, NULL, &r) == LIM_ERROR_ARGUMENT);
    CHECK(penalty_case_run(1.0, 0, NULL, &r) == LIM_ERROR_ARGUMENT);
}

TEST_SUITE(penalty) {
    TEST_BEGIN(argc, argv);
    RUN(depths_are_those_of_the_box);
    RUN(forces_are_springs_and_keep_momentum);
    RUN(contact_leaves_less_inside);
    RUN(running_fails_cleanly);
    TEST_END();
}
