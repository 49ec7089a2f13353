/* SPDX-License-Identifier: MIT
 * Every preset over every kind of body: it falls, comes to rest and stays whole. Clay and dough
 * keep a dent, jelly and rubber do not.
 */
#include "test.h"

#include "core/press_kit.h"

static bool quadratic_row(void) {
    return KIND_TABLE[kind_now].goal == LIM_GOAL_QUADRATIC;
}

/* toy_box sets the goals of the row; presets are for rigid and linear ones. */
static toy box_of(lim_preset preset, const int32_t n[3], double cell, lim_point at, float gravity) {
    lim_material m = lim_material_preset(preset);
    return toy_box(n, cell, at, &m, (lim_vec3){0, gravity, 0}, 4, 1);
}

static void names_and_numbers(void) {
    int count = 0;
    for (; lim_preset_name((lim_preset)count) != NULL; ++count) {
        lim_material m = lim_material_preset((lim_preset)count);
        CHECK(m.density > 0.0f && m.young > 0.0f && m.volume <= 1.0f);
        for (int k = 0; k < count; ++k) {
            CHECK(strcmp(lim_preset_name((lim_preset)k), lim_preset_name((lim_preset)count)) != 0);
        }
    }
    CHECK(count == LIM_PRESET_TENDON + 1);
    CHECK(strcmp(lim_preset_name(LIM_PRESET_CLAY), "clay") == 0);
    CHECK(lim_preset_name((lim_preset)-1) == NULL);
    CHECK(lim_material_preset((lim_preset)99).young == lim_material_default().young);
}

static void every_preset_falls_and_rests(void) {
    const int32_t n[3] = {6, 4, 5};
    for (int r = 0; kind_choose(r); ++r) {
        int step_by = test_long ? 1 : 2;
        for (int k = test_long ? 0 : r % 2;
             lim_preset_name((lim_preset)k) != NULL && !quadratic_row(); k += step_by) {
            toy t = box_of((lim_preset)k, n, 0.05, p3(0, 0.35, 0), -9.81f);
            lim_collider ground;
            lim_collider_desc plane = lim_collider_desc_default();
            plane.shape = LIM_SHAPE_PLANE;
            CHECK(lim_collider_create(t.world, &plane, &ground) == LIM_OK);
            lim_body_motion now;
            double least = 1e9;
            for (int step = 0; step < 480; ++step) {
                CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
                CHECK(lim_body_get_motion(t.world, t.body, &now) == LIM_OK);
                least = now.bounds.lower.y < least ? now.bounds.lower.y : least;
            }
            bool good = !now.frozen && now.speed < 0.05 && now.centre.y < 0.2 && least > -0.02 &&
                        now.bounds.upper.y > 0.03;
            CHECK(good);
            if (!good) {
                printf("  %s: speed %.3f, centre %.3f, least %.3f, top %.3f, frozen %d\n",
                       lim_preset_name((lim_preset)k), now.speed, now.centre.y, least,
                       now.bounds.upper.y, (int)now.frozen);
            }
            toy_free(&t);
        }
    }
}

/* How far nodes are from their rest shape, over the height, after plates have taken a quarter of
 * that and gone: a squash by e that keeps the volume is 0.35 e. */
static double dent(lim_preset preset) {
    const int32_t n[3] = {6, 6, 6};
    toy t = box_of(preset, n, 0.05, p3(0, 0, 0), 0.0f);
    press(&t, 0.3, 0.25, 0.5);
    for (int k = 0; k < 180; ++k) {
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    double off = toy_distance(&t) / 0.3;
    toy_free(&t);
    return off;
}

static void clay_and_dough_keep_a_dent(void) {
    for (int r = 0; kind_choose(r); ++r) {
        if (quadratic_row() || KIND_TABLE[r].clay) { /* which is clay whatever the preset */
            continue;
        }
        double clay = dent(LIM_PRESET_CLAY), dough = dent(LIM_PRESET_DOUGH);
        double jelly = dent(LIM_PRESET_JELLY), rubber = dent(LIM_PRESET_RUBBER);
        printf("  left: clay %.3f, dough %.3f, jelly %.4f, rubber %.4f\n", clay, dough, jelly,
               rubber);
        CHECK(clay > 0.05 && dough > 0.05);
        CHECK(jelly < 0.005 && rubber < 0.005);
    }
}

TEST_SUITE(presets) {
    TEST_BEGIN(argc, argv);
    RUN(names_and_numbers);
    RUN(every_preset_falls_and_rests);
    RUN(clay_and_dough_keep_a_dent);
    TEST_END();
}
