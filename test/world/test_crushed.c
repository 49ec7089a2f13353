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

typedef struct heap_run {
    double least, end; /* smallest volume of a body, at any time and at the end, in that at rest */
    double fastest;
    int32_t contacts;
} heap_run;

static heap_run run_heap(const lim_model* model, double moved) {
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body body[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        int layer = i / 4;
        lim_body_desc desc = lim_body_desc_default();
        desc.model = model;
        desc.material = lim_material_preset(LIM_PRESET_LIVER);
        desc.position =
            p3(0.105 * (i % 2 == 0 ? -1 : 1) + 0.01 * (layer % 2), 0.105 + 0.21 * layer + moved,
               0.105 * (i % 4 < 2 ? -1 : 1) + 0.007 * (layer % 3));
        body[i] = make(world, &desc);
    }
    double rest = skin_volume(world, body[0]);
    heap_run r = {.least = 1.0, .end = 1.0};
    for (int k = 0; k < STEPS; ++k) {
        kit_steps(world, 1);
        int32_t found = lim_world_get_report(world).body_contacts;
        r.contacts = found > r.contacts ? found : r.contacts;
        r.end = 1.0;
        for (int i = 0; i < BODIES; ++i) {
            r.end = fmin(r.end, skin_volume(world, body[i]) / rest);
            r.fastest = fmax(r.fastest, speed_of(world, body[i]));
        }
        r.least = fmin(r.least, r.end);
    }
    lim_world_destroy(world);
    return r;
}

/* 16 balls of 20 cm and 5 kPa in four layers: the lowest bear 5.5 kPa. All of them were inside out
 * after a second or two, with up to 40,000 contacts. What becomes of one heap turns on the last
 * digits of where it began, so heaps that began a hundredth of a millimetre apart are judged
 * together, and by their mean. */
static void crushed_heaps_stay_whole(void) {
    if (kind_now != KIND_UNIFORM && kind_now != KIND_LATTICE) {
        return;
    }
    lim_model* model = ball_model(100);
    int heaps = test_long ? 12 : 3;
    double least = 0.0, end = 0.0, worst = 1.0, fastest = 0.0;
    double contacts = 0.0;
    for (int k = 0; k < heaps; ++k) {
        heap_run r = run_heap(model, 1e-5 * k);
        least += r.least / heaps;
        end += r.end / heaps;
        worst = fmin(worst, r.least);
        fastest = fmax(fastest, r.fastest);
        contacts += (double)r.contacts / heaps;
    }
    printf("  %d heaps: volume %.2f at least (worst %.2f), %.2f at the end; up to %.1f m/s, %.0f "
           "contacts\n",
           heaps, least, worst, end, fastest, contacts);
    if (kind_now == KIND_UNIFORM) {
        CHECK(least > 0.4 && worst > 0.2);
        CHECK(end > 0.7);
        CHECK(contacts < 5000);
    } else { /* docs/limits.md: single bodies turn inside out, a heap does not */
        CHECK(least > -1.0);
        CHECK(end > -0.7);
        CHECK(contacts < 10000);
    }
    CHECK(fastest < 4.0); /* they fall 0.7 m: 3.7 m/s */
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
