/* SPDX-License-Identifier: MIT
 * A scene that has been run to its end, and its film.
 */
#ifndef LIMBER_FILM_KIT_H
#define LIMBER_FILM_KIT_H

#include "cli/film.h"
#include "cli/say.h"
#include "scenes/scene.h"
#include "test.h"

typedef struct recorded {
    say_log log;
    scene* plan;
    scene_run* run;
    film f;
} recorded;

static inline bool record(recorded* r, const char* text, double fps, uint32_t overlay) {
    memset(r, 0, sizeof *r);
    say_log_init(&r->log, LIM_LOG_ERROR);
    lim_io_message message = {""};
    bool good =
        scene_parse(text, strlen(text), "t", NULL, &r->log.host, &r->plan, &message) == LIM_OK &&
        scene_start(r->plan, NULL, &r->log.host, &r->run, &message) == LIM_OK &&
        film_begin(&r->f, r->run, overlay, NULL, fps, &r->log.host) == LIM_OK &&
        film_take(&r->f, r->run) == LIM_OK;
    while (good && !scene_run_done(r->run)) {
        good = scene_step(r->run, &message) == LIM_OK && film_take(&r->f, r->run) == LIM_OK;
    }
    CHECK(good);
    if (!good) {
        printf("    %s %s\n", message.text, r->log.last_error);
    }
    return good;
}

static inline void forget(recorded* r) {
    film_end(&r->f);
    scene_stop(r->run);
    scene_destroy(r->plan);
}

#endif
