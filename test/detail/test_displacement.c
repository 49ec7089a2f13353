/* SPDX-License-Identifier: MIT
 * Displacements that know nothing of rigid motion, and windows of several tools.
 */
#include "detail/displacement.h"
#include "detail/press.h"

#include "base/random.h"
#include "math/quat.h"
#include "test.h"

enum { SIDE = 6, NODES = SIDE * SIDE * SIDE, ROOM = 3 * (NODES + 8) };

typedef struct cloud {
    float x0[3][NODES], d[3][NODES], mass[NODES], share[NODES];
    displaced_nodes n;
} cloud;

/* A box of 1 x 0.6 x 0.4 off the origin, of uneven mass. */
static void make_cloud(cloud* c, int32_t side) {
    random_stream r = random_seed(1);
    int32_t count = side * side * side;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t at[3] = {i % side, i / side % side, i / (side * side)};
        const float size[3] = {1.0f, 0.6f, 0.4f};
        for (int k = 0; k < 3; ++k) {
            c->x0[k][i] = size[k] * ((float)at[k] + 0.5f) / (float)side + 0.1f * (float)k;
            c->d[k][i] = 0.0f;
        }
        c->mass[i] = side == SIDE ? random_range(&r, 0.5f, 1.5f) : 1.0f;
    }
    displacement_shares(c->mass, count, c->share);
    c->n = (displaced_nodes){
        count, {c->x0[0], c->x0[1], c->x0[2]}, {c->d[0], c->d[1], c->d[2]}, c->share};
}

/* A smooth bend and squeeze of size s. */
static void deform(cloud* c, float s) {
    for (int32_t i = 0; i < c->n.count; ++i) {
        float x = c->x0[0][i], y = c->x0[1][i], z = c->x0[2][i];
        c->d[0][i] += s * 0.3f * y * y;
        c->d[1][i] += s * (0.5f * x * x - 0.2f * y);
        c->d[2][i] += s * 0.4f * x * z;
    }
}

/* Turns and moves where the nodes are. */
static void carry(cloud* c, dquat turn, lim_point shift) {
    for (int32_t i = 0; i < c->n.count; ++i) {
        lim_point x0 = p3((double)c->x0[0][i], (double)c->x0[1][i], (double)c->x0[2][i]);
        lim_point x = p3_add(x0, p3((double)c->d[0][i], (double)c->d[1][i], (double)c->d[2][i]));
        lim_vec3 d = v3_of(p3_sub(p3_add(dquat_rotate(turn, x), shift), x0));
        c->d[0][i] = d.x;
        c->d[1][i] = d.y;
        c->d[2][i] = d.z;
    }
}

static void rigid_motion_is_no_displacement(void) {
    static cloud c;
    static float u[ROOM];
    make_cloud(&c, SIDE);
    CHECK(displacement_of(&c.n, u) == 0.0f);
    carry(&c, dquat_unit((dquat){0.3, -0.6, 0.1, 0.5}), p3(2, -3, 1));
    CHECK(displacement_of(&c.n, u) < 1e-6f);
}

static void a_turned_deformation_is_the_same(void) {
    static cloud c;
    static float u[ROOM], w[ROOM];
    for (int trial = 0; trial < 20; ++trial) {
        random_stream r = random_seed((uint64_t)trial);
        make_cloud(&c, SIDE);
        deform(&c, 0.5f);
        float before = displacement_of(&c.n, u);
        dquat turn = {(double)random_range(&r, -1, 1), (double)random_range(&r, -1, 1),
                      (double)random_range(&r, -1, 1), (double)random_range(&r, -1, 1)};
        carry(&c, dquat_unit(turn), p3(1, 2, -1));
        float after = displacement_of(&c.n, w);
        CHECK(before > 0.05f);
        CHECK_NEAR(before, after, 1e-6);
        for (int i = 0; i < displacement_width(NODES); ++i) {
            CHECK_NEAR(u[i], w[i], 1e-6);
        }
    }
}

/* No net motion and no turn is left in it: sum sqrt(m) u = 0, and R^T A is symmetric. */
static void the_fit_is_the_best_one(void) {
    static cloud c;
    static float u[ROOM];
    make_cloud(&c, SIDE);
    deform(&c, 0.8f);
    carry(&c, dquat_unit((dquat){0.1, 0.2, 0.3, 0.9}), p3(0, 0, 0));
    (void)displacement_of(&c.n, u);
    int32_t stride = displacement_width(NODES) / 3;
    lim_point sum = {0, 0, 0}, spin = {0, 0, 0};
    for (int32_t i = 0; i < NODES; ++i) {
        lim_point own = p3((double)u[i], (double)u[stride + i], (double)u[2 * stride + i]);
        own = p3_scale(own, (double)c.share[i]);
        lim_point at = p3((double)c.x0[0][i], (double)c.x0[1][i], (double)c.x0[2][i]);
        sum = p3_add(sum, own);
        spin = p3_add(spin, p3_cross(at, own));
    }
    CHECK_NEAR(p3_length(sum), 0.0, 1e-7);
    CHECK_NEAR(p3_length(spin), 0.0, 1e-7);
}

/* Stretched by e along x: rms e sqrt(mean (x - c)^2), whatever the number of nodes. */
static void size_does_not_depend_on_resolution(void) {
    static cloud c;
    static float u[ROOM];
    for (int32_t side = 3; side <= 5; ++side) {
        make_cloud(&c, side);
        for (int32_t i = 0; i < c.n.count; ++i) {
            c.d[0][i] = 0.1f * c.x0[0][i];
        }
        double cells = side, mean = (1.0 - 1.0 / (cells * cells)) / 12.0;
        CHECK_NEAR(displacement_of(&c.n, u), 0.1 * sqrt(mean), 1e-6);
    }
}

/* Half the displacement is half of u, down to where floats end. */
static void small_ones_are_linear(void) {
    static cloud c;
    static float u[ROOM], w[ROOM];
    make_cloud(&c, SIDE);
    deform(&c, 1e-3f);
    float whole = displacement_of(&c.n, u);
    make_cloud(&c, SIDE);
    deform(&c, 5e-4f);
    float half = displacement_of(&c.n, w);
    CHECK_NEAR(half, 0.5 * (double)whole, 1e-3 * (double)half);
    for (int i = 0; i < displacement_width(NODES); ++i) {
        CHECK_NEAR(w[i], 0.5 * (double)u[i], 1e-3 * (double)half);
    }
}

static void what_is_not_finite_is_none(void) {
    static cloud c;
    static float u[ROOM];
    make_cloud(&c, SIDE);
    c.d[1][5] = INFINITY;
    CHECK(displacement_of(&c.n, u) == 0.0f);
    for (int i = 0; i < displacement_width(NODES); ++i) {
        CHECK(u[i] == 0.0f);
    }
    float none[3] = {0, 0, 0}, share[3];
    displacement_shares(none, 3, share);
    CHECK(share[0] == 0.0f && share[2] == 0.0f);
}

static void windows_share_the_body(void) {
    static cloud c;
    static float window[3][NODES], alone[NODES], faded[2][NODES];
    make_cloud(&c, SIDE);
    const detail_press presses[3] = {{{0.1f, 0.4f, 0.5f}, {0, 1, 0}, 1.0f},
                                     {{0.9f, 0.4f, 0.5f}, {0, 1, 0}, 1.0f},
                                     {{0.5f, 0.7f, 0.3f}, {0, 1, 0}, 1e-6f}};
    for (int k = 0; k < 3; ++k) {
        press_window(presses, 3, k, 0.05f, c.n.x0, NODES, window[k]);
    }
    for (int k = 0; k < 2; ++k) {
        press_window(presses, 2, k, 0.05f, c.n.x0, NODES, faded[k]);
    }
    press_window(presses, 1, 0, 0.05f, c.n.x0, NODES, alone);
    for (int32_t i = 0; i < NODES; ++i) {
        CHECK_NEAR(window[0][i] + window[1][i] + window[2][i], 1.0, 1e-6);
        CHECK(alone[i] == 1.0f);
        CHECK(window[2][i] < 0.2f);
        float at = c.x0[0][i];
        CHECK(at > 0.25f || faded[0][i] > 0.7f);
        CHECK(at < 0.85f || faded[1][i] > 0.9f);
    }
}

/* r = part . n_i / size stays within 1, and is 1 for what lies in the window as a whole. */
static void parts_have_their_own_size(void) {
    static float u[ROOM], window[NODES], part[ROOM];
    random_stream r = random_seed(3);
    int32_t stride = displacement_width(NODES) / 3;
    for (int trial = 0; trial < 10; ++trial) {
        double square = 0.0;
        for (int32_t i = 0; i < NODES; ++i) {
            window[i] = trial == 0 ? (float)(i < 50) : random_range(&r, 0, 1);
            for (int k = 0; k < 3; ++k) {
                float value = trial == 0 && i >= 50 ? 0.0f : random_range(&r, -1, 1);
                u[k * stride + i] = value;
                square += (double)value * (double)value;
            }
        }
        float size = press_part(u, window, NODES, part);
        double dot = 0.0;
        for (int i = 0; i < 3 * stride; ++i) {
            dot += (double)part[i] * (double)u[i];
        }
        double fit = dot / (double)size / sqrt(square);
        CHECK(fit <= 1.0 + 1e-6);
        CHECK(trial > 0 || fabs(fit - 1.0) < 1e-6);
    }
}

TEST_SUITE(displacement) {
    TEST_BEGIN(argc, argv);
    RUN(rigid_motion_is_no_displacement);
    RUN(a_turned_deformation_is_the_same);
    RUN(the_fit_is_the_best_one);
    RUN(size_does_not_depend_on_resolution);
    RUN(small_ones_are_linear);
    RUN(what_is_not_finite_is_none);
    RUN(windows_share_the_body);
    RUN(parts_have_their_own_size);
    TEST_END();
}
