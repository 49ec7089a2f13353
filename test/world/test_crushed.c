/* SPDX-License-Identifier: MIT
 * Heaps that weigh more than their material bears: bodies are crushed and may sink into each other,
 * but octrees are not inside out, nobody is thrown, and contacts stay few.
 */
#include "contact/pair.h"
#include "contact_kit.h"

enum { LAYERS = 4, BODIES = 4 * LAYERS, STEPS = 75 };

/* Signed: below 0 for a skin that is inside out, m^3. */
static double skin_volume(const lim_world* world, lim_body b) {
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, b, &skin) == LIM_OK);
    double sum = 0.0;
    for (int32_t t = 0; t < skin.triangle_count; ++t) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            const float* at = skin.positions + 3 * (size_t)skin.indices[3 * t + k];
            p[k] = p3((double)at[0], (double)at[1], (double)at[2]);
        }
        sum += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
    }
    return sum;
}

static double speed_of(const lim_world* world, lim_body b) {
    lim_body_motion m = motion_of(world, b);
    return p3_length(p3(m.momentum[0], m.momentum[1], m.momentum[2])) / m.mass;
}

/* 16 balls of 20 cm and 5 kPa in four layers: the lowest bear 5.5 kPa. All of them were inside out
 * after a second or two, with up to 40,000 contacts. */
static void crushed_heaps_stay_whole(void) {
    if (kind_now != KIND_UNIFORM && kind_now != KIND_LATTICE) {
        return;
    }
    lim_model* model = ball_model(100);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body body[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        int layer = i / 4;
        lim_body_desc desc = lim_body_desc_default();
        desc.model = model;
        desc.material = lim_material_preset(LIM_PRESET_LIVER);
        desc.position = p3(0.105 * (i % 2 == 0 ? -1 : 1) + 0.01 * (layer % 2), 0.105 + 0.21 * layer,
                           0.105 * (i % 4 < 2 ? -1 : 1) + 0.007 * (layer % 3));
        body[i] = make(world, &desc);
    }
    double rest = skin_volume(world, body[0]), least = 1.0, fastest = 0.0;
    int32_t contacts = 0;
    for (int k = 0; k < STEPS; ++k) {
        kit_steps(world, 1);
        int32_t found = lim_world_get_report(world).body_contacts;
        contacts = found > contacts ? found : contacts;
        for (int i = 0; i < BODIES; ++i) {
            least = fmin(least, skin_volume(world, body[i]) / rest);
            fastest = fmax(fastest, speed_of(world, body[i]));
        }
    }
    double end = 1.0;
    for (int i = 0; i < BODIES; ++i) {
        end = fmin(end, skin_volume(world, body[i]) / rest);
    }
    printf("  volume %.2f at least, %.2f at the end; up to %.1f m/s, %d contacts\n", least, end,
           fastest, (int)contacts);
    CHECK(least > (kind_now == KIND_UNIFORM ? 0.2 : -0.5)); /* lattices: docs/limits.md */
    CHECK(end > (kind_now == KIND_UNIFORM ? 0.5 : -0.2));
    CHECK(fastest < 4.0); /* they fall 0.7 m: 3.7 m/s */
    CHECK(contacts < 5000);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* One of six nodes is pushed through their middle: that is marked when it is far gone, and nothing
 * that is only turned or grown. */
static void nodes_that_are_pushed_through_are_found(void) {
    /* the corners of an octahedron, linked with its middle */
    static const float at[3][8] = {
        {0, 1, -1, 0, 0, 0, 0, 0}, {0, 0, 0, 1, -1, 0, 0, 0}, {0, 0, 0, 0, 0, 1, -1, 0}};
    static const int32_t offset[9] = {0, 6, 7, 8, 9, 10, 11, 12, 12};
    static const int32_t link[12] = {1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0};
    static const float mass[8] = {1, 1, 1, 1, 1, 1, 1, 0};
    float d[3][8] = {{0}};
    uint8_t mark[8];
    pair_side side = {
        .nodes = {.padded = 8, .x0 = {at[0], at[1], at[2]}, .mass = mass, .d = {d[0], d[1], d[2]}},
        .link_offset = offset,
        .link = link};
    CHECK(!pair_find_inverted(&side, mark));
    d[1][3] = -2.5f; /* the one above comes out below: det F = (-1.5 + 1) / 2 */
    CHECK(!pair_find_inverted(&side, mark));
    d[1][3] = -5.5f; /* far below: det F = (-4.5 + 1) / 2 = -1.75 */
    CHECK(!pair_find_inverted(&side, mark));
    d[1][3] = -6.5f; /* -2.25 */
    CHECK(pair_find_inverted(&side, mark));
    CHECK(mark[0] != 0);
    for (int i = 1; i < 8; ++i) {
        CHECK(mark[i] == 0); /* one link says nothing */
    }
    /* turned as a whole by half a turn, and grown: nothing is inside out */
    for (int i = 0; i < 8; ++i) {
        d[0][i] = -3.0f * at[0][i];
        d[1][i] = -3.0f * at[1][i];
        d[2][i] = at[2][i];
    }
    CHECK(!pair_find_inverted(&side, mark));
}

TEST_SUITE(crushed) {
    TEST_BEGIN(argc, argv);
    RUN(nodes_that_are_pushed_through_are_found);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(crushed_heaps_stay_whole);
    }
    TEST_END();
}
