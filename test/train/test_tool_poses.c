/* SPDX-License-Identifier: MIT
 * Poses of a tool: where the training says, spread evenly, the same for the same seed.
 */
#include "math/trig.h"
#include "train_kit.h"

static const char* const SCENE =
    TRAIN_SCENE("octree", "\"poses\": 40, \"drags\": 10, \"lean\": 20,"
                          "\"lower\": [-0.2, 0, 0], \"upper\": [0.2, 1, 0.2],");

static void poses_lie_where_they_should(void) {
    scene* s = train_scene(SCENE);
    trainer* t = train_start(s);
    int drags = 0;
    for (int32_t i = 0; i < t->count; ++i) {
        const tool_pose* p = &t->pose[i];
        CHECK(p->point.z >= 0.0 && p->point.y > 0.35 && p->point.y < 0.4001);
        CHECK(p->depth >= 0.02f && p->depth <= 0.04f);
        CHECK_NEAR(v3_length(p->axis), 1.0, 1e-5);
        CHECK((double)p->axis.y >= trig_cos(40.01 * TRIG_PI / 180.0)); /* 20 + 20 degrees */
        float drag = v3_length(p->drag);
        CHECK(drag == 0.0f || fabsf(drag - 0.04f) < 1e-5f);
        drags += drag > 0.0f;
    }
    CHECK(drags == 10);
    trainer_destroy(t);
    scene_destroy(s);
}

/* Any first n are spread: none is nearer to another than half of what n discs on the area allow. */
static void the_first_ones_are_spread(void) {
    scene* s = train_scene(SCENE);
    trainer *t = train_start(s), *u = train_start(s);
    for (int32_t n = 5; n <= 40; n += 5) {
        double least = INFINITY, area = 0.4 * 0.2;
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t k = 0; k < i; ++k) {
                least = fmin(least, p3_length(p3_sub(t->pose[i].point, t->pose[k].point)));
            }
        }
        CHECK(least > 0.5 * sqrt(area / n));
    }
    CHECK(memcmp(t->pose, u->pose, 40 * sizeof *t->pose) == 0);
    trainer_destroy(t);
    trainer_destroy(u);
    scene_destroy(s);
}

static void a_place_without_skin_is_refused(void) {
    scene* s = train_scene(TRAIN_SCENE("octree", "\"lower\": [5, 5, 5], \"upper\": [6, 6, 6],"));
    trainer* t = NULL;
    lim_io_message message = {""};
    CHECK(trainer_create(s, NULL, NULL, NULL, &t, &message) == LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "no skin of the body lies where the training presses") != NULL);
    scene_destroy(s);
}

static void bad_trainings_are_refused(void) {
    static const char* const text[][2] = {
        {"\"poses\": 0,", "poses"},
        {"\"poses\": 4, \"drags\": 5,", "5 drags of 4 poses"},
        {"\"least_depth\": 0.05,", "\"least_depth\" 0.05 is more than \"depth\" 0.04"},
        {"\"lower\": [0, 0, 0],", "give both corners"},
        {"\"body\": \"c\",", "which is not there"},
        {"\"pose\": 3,", "did you mean \"poses\""}};
    static const char* const scenes[] = {TRAIN_SCENE("octree", "\"poses\": 0,"),
                                         TRAIN_SCENE("octree", "\"poses\": 4, \"drags\": 5,"),
                                         TRAIN_SCENE("octree", "\"least_depth\": 0.05,"),
                                         TRAIN_SCENE("octree", "\"lower\": [0, 0, 0],"),
                                         TRAIN_SCENE("octree", "\"body\": \"c\","),
                                         TRAIN_SCENE("octree", "\"pose\": 3,")};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        scene* s = NULL;
        lim_io_message message = {""};
        lim_result r = scene_parse(scenes[i], strlen(scenes[i]), "t.json", "", NULL, &s, &message);
        CHECK(r != LIM_OK && s == NULL);
        CHECK(strstr(message.text, text[i][1]) != NULL);
        if (strstr(message.text, text[i][1]) == NULL) {
            printf("  said: %s\n", message.text);
        }
    }
}

TEST_SUITE(tool_poses) {
    TEST_BEGIN(argc, argv);
    RUN(poses_lie_where_they_should);
    RUN(the_first_ones_are_spread);
    RUN(a_place_without_skin_is_refused);
    RUN(bad_trainings_are_refused);
    TEST_END();
}
