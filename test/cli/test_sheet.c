/* SPDX-License-Identifier: MIT
 * The contact sheet of the creature: what a newcomer sees first. In each picture the body covers 10
 * to 80 %, and no two pictures are alike.
 */
#include "cli/draw.h"
#include "cli/film.h"
#include "cli/say.h"
#include "scenes/scene.h"

#include "test.h"

static bool differ(const lim_image* a, const lim_image* b) {
    int64_t different = 0, pixels = (int64_t)a->width * a->height;
    for (int64_t i = 0; i < pixels; ++i) {
        different += memcmp(a->rgba + 4 * i, b->rgba + 4 * i, 3) != 0;
    }
    return different > pixels / 200;
}

static void creature_is_seen(void) {
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    const scene_entry* entry = scene_find("creature");
    scene* plan = NULL;
    scene_run* run = NULL;
    lim_io_message message = {""};
    CHECK(entry != NULL);
    CHECK(entry != NULL && scene_parse(entry->text, entry->size, "creature", NULL, &log.host, &plan,
                                       &message) == LIM_OK);
    /* fewer nodes than the scene asks for: the pictures are the same story, sooner */
    const scene_options options = {.workers = 2, .nodes = 800};
    CHECK(plan != NULL && scene_start(plan, &options, &log.host, &run, &message) == LIM_OK);
    if (run == NULL) {
        printf("  %s %s\n", message.text, log.last_error);
        scene_destroy(plan);
        return;
    }
    film f;
    CHECK(film_begin(&f, run, 0, NULL, 30.0, &log.host) == LIM_OK);
    CHECK(film_take(&f, run) == LIM_OK);
    for (int64_t i = 1; !scene_run_done(run); ++i) {
        if (scene_step(run, &message) != LIM_OK || (i % 2 == 0 && film_take(&f, run) != LIM_OK)) {
            CHECK(false);
            break;
        }
    }
    lim_image images[8];
    draw_sheet_report report;
    const int32_t size[2] = {200, 240};
    const lim_camera* camera =
        scene_run_desc(run)->has_camera ? &scene_run_desc(run)->camera : NULL;
    CHECK(draw_pictures(&f, camera, size, images, &report) == LIM_OK);
    CHECK(report.count >= 6);
    for (int32_t i = 0; i < report.count; ++i) {
        double coverage = (double)report.coverage[i];
        printf("  %.2f s: %.1f %%\n", f.frames.data[report.moments[i]].time, 100.0 * coverage);
        CHECK(coverage >= 0.10 && coverage <= 0.80);
        for (int32_t j = 0; j < i; ++j) {
            CHECK(differ(&images[i], &images[j]));
        }
    }
    for (int32_t i = 0; i < 8; ++i) {
        lim_image_destroy(&images[i]);
    }
    /* a camera that cuts the body off on either side gives way to one that shows it whole */
    CHECK(camera != NULL);
    float seen[2][8] = {{0.0f}};
    for (int32_t side = 0; side < 2 && camera != NULL; ++side) {
        lim_camera aside = *camera;
        aside.eye.x += side == 0 ? -0.45f : 0.45f;
        aside.target.x += side == 0 ? -0.45f : 0.45f;
        CHECK(draw_pictures(&f, &aside, size, images, &report) == LIM_OK);
        for (int32_t i = 0; i < 8; ++i) {
            seen[side][i] = i < report.count ? report.coverage[i] : 0.0f;
            lim_image_destroy(&images[i]);
        }
    }
    for (int32_t i = 0; i < 8; ++i) {
        CHECK(fabsf(seen[0][i] - seen[1][i]) < 1e-3f);
    }
    film_end(&f);
    scene_stop(run);
    scene_destroy(plan);
}

TEST_SUITE(sheet) {
    TEST_BEGIN(argc, argv);
    RUN(creature_is_seen);
    TEST_END();
}
