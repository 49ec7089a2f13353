/* SPDX-License-Identifier: MIT
 * Job: the 004 entries. In: the built-in scenes meniscus, wedge and pillow, trained here. Out: how
 * good detail is in poses that were not learnt, what it costs, what it looks like, and what linear
 * regression and vertex blending do instead.
 */
#include "cli/paper_trained.h"

#include "base/timer.h"
#include "bench/trained_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUICK_POSES = 12, QUICK_HELD_OUT = 2, WORKERS = 2, PANELS = 3 };

typedef struct learnt {
    scene* plan;
    trainer* t;
    unsigned char* bytes;
    size_t size;
    double seconds;
    int32_t examples, held_out;
} learnt;

static lim_result learn(const char* name, bool quick, const lim_host* host, learnt* l) {
    const scene_entry* entry = scene_find(name);
    lim_io_message message = {{0}};
    *l = (learnt){0};
    LIM_TRY(scene_parse(entry->text, entry->size, entry->name, NULL, host, &l->plan, &message));
    const scene_options options = {.workers = 1};
    const trainer_choice choice = {.poses = quick ? QUICK_POSES : 0,
                                   .held_out = quick ? QUICK_HELD_OUT : -1};
    double begun = timer_now(host);
    int32_t left_out;
    LIM_TRY(trainer_create(l->plan, &options, &choice, host, &l->t, &message));
    LIM_TRY(trainer_run(l->t, WORKERS, NULL, NULL));
    LIM_TRY(trainer_bytes(l->t, 0, &l->bytes, &l->size, &left_out));
    l->seconds = timer_now(host) - begun;
    for (int32_t i = 0; i < trainer_count(l->t); ++i) {
        l->examples += trainer_report(l->t, i).status == TRAIN_DONE;
    }
    return LIM_OK;
}

static void forget(learnt* l) {
    trainer_destroy(l->t);
    scene_destroy(l->plan);
    free(l->bytes);
}

/* ---- without a scene ---------------------------------------------------------------------------
 */

lim_result paper_trained_stretch(const lim_host* host, paper_rows* rows) {
    trained_stretch s;
    LIM_TRY(trained_stretch_measure(host, &s));
    paper_rows_add(rows, "wrinkles, pressed as trained: linear regression", 1.0,
                   s.regression_pressed, "of them");
    paper_rows_add(rows, "wrinkles, pressed as trained: ours", 1.0, s.ours_pressed, "of them");
    paper_rows_add(rows, "wrinkles, stretched: linear regression", -1.0, s.regression_stretched,
                   "of them");
    paper_rows_add(rows, "wrinkles, stretched: ours", 0.0, s.ours_stretched, "of them");
    return LIM_OK;
}

lim_result paper_trained_between(const lim_host* host, paper_rows* rows) {
    trained_between b;
    LIM_TRY(trained_between_measure(host, &b));
    paper_rows_add(rows, "highest place, vertex blending", NAN, b.height[0], "of the bulge");
    paper_rows_add(rows, "highest place, stamping", NAN, b.height[1], "of the bulge");
    paper_rows_add(rows, "its distance from the tool, vertex blending", NAN, b.off[0],
                   "of that of the examples");
    paper_rows_add(rows, "its distance from the tool, stamping", NAN, b.off[1],
                   "of that of the examples");
    paper_rows_note(rows, "A bulge trained at two places, the tool half way between them.");
    return LIM_OK;
}

/* ---- scenes -----------------------------------------------------------------------------------
 */

static lim_result draw_panels(const learnt* l, const lim_host* host, lim_image* picture) {
    static const char* const captions[PANELS] = {"coarse", "accurate", "with detail"};
    lim_image panel[PANELS] = {{0}};
    arena a;
    arena_init(&a, host);
    trained_view v;
    lim_result result = trained_view_make(l->t, l->bytes, l->size, 0, &a, &v);
    for (int k = 0; k < PANELS && result == LIM_OK; ++k) {
        result = lim_image_create(560, 440, &panel[k]);
        lim_draw_mesh mesh = {.frame = {.vertex_count = v.vertex_count,
                                        .triangle_count = v.triangle_count,
                                        .positions = v.positions[k],
                                        .normals = v.normals[k],
                                        .indices = v.indices},
                              .colour = {0.62f, 0.42f, 0.30f}};
        lim_picture p = {.width = 560,
                         .height = 440,
                         .camera = lim_camera_fit(v.lower, v.upper, 560.0f / 440.0f),
                         .meshes = &mesh,
                         .mesh_count = 1,
                         .caption = captions[k]};
        p.camera.eye.y += 0.35f * (p.camera.eye.z - p.camera.target.z);
        result = result == LIM_OK ? lim_image_draw(&panel[k], &p) : result;
    }
    result = result == LIM_OK ? lim_image_sheet(panel, PANELS, PANELS, picture) : result;
    for (int k = 0; k < PANELS; ++k) {
        lim_image_destroy(&panel[k]);
    }
    arena_release(&a);
    return result;
}

typedef struct paper_sizes {
    const char* scene;
    double examples, megabytes, correlate, blend, embed; /* of the paper; NaN: not said */
} paper_sizes;
static const paper_sizes MENISCUS = {"meniscus", 119, 8, 0.09, 0.3, 0.13};
static const paper_sizes WEDGE = {"wedge", 40, NAN, 0.11, 1.1, 0.2};
static const paper_sizes PILLOW = {"pillow", 36, NAN, 0.08, 0.6, 0.5};

static lim_result times_of(const paper_sizes* s, const learnt* l, paper_rows* rows) {
    trained_times t;
    LIM_TRY(trained_times_measure(l->t, l->bytes, l->size, &t));
    paper_rows_of(rows, s->scene, "examples", s->examples, t.examples, "");
    paper_rows_of(rows, s->scene, "nodes", NAN, t.nodes, "");
    paper_rows_of(rows, s->scene, "points of the skin", NAN, t.points, "");
    paper_rows_of(rows, s->scene, "correlation", s->correlate, 1e3 * t.correlate, "ms");
    paper_rows_of(rows, s->scene, "blending, 1 worker", s->blend, 1e3 * t.blend, "ms");
    paper_rows_of(rows, s->scene, "embedding, 1 worker", s->embed, 1e3 * t.embed, "ms");
    return LIM_OK;
}

static lim_result measure_scene(const paper_sizes* s, const learnt* l, paper_rows* rows) {
    train_quality q;
    LIM_TRY(trainer_test(l->t, l->bytes, l->size, WORKERS, NULL, NULL, &q));
    paper_rows_add(rows, "examples", s->examples, l->examples, "");
    paper_rows_add(rows, "poses that gave none", NAN, trainer_count(l->t) - l->examples, "");
    paper_rows_add(rows, "data", s->megabytes, 1e-6 * (double)l->size, "MB");
    paper_rows_add(rows, "training, 2 workers", NAN, l->seconds, "s");
    paper_rows_add(rows, "held-out poses", NAN, q.poses, "");
    paper_rows_add(rows, "held-out poses: coarse skin off the accurate one", NAN, 1e3 * q.coarse,
                   "mm rms");
    paper_rows_add(rows, "held-out poses: skin with detail off it", NAN, 1e3 * q.enriched,
                   "mm rms");
    paper_rows_add(rows, "held-out poses: ratio", NAN, q.coarse > 0 ? q.enriched / q.coarse : NAN,
                   "");
    paper_rows_add(rows, "held-out poses: ratio, the worst", NAN, q.worst, "");
    return LIM_OK;
}

static lim_result figure(const paper_sizes* s, const lim_host* host, paper_rows* rows) {
    learnt l;
    lim_result result = learn(s->scene, rows->quick, host, &l);
    result = result == LIM_OK ? measure_scene(s, &l, rows) : result;
    if (result == LIM_OK && rows->picture != NULL) {
        result = draw_panels(&l, host, rows->picture);
    }
    forget(&l);
    return result;
}

lim_result paper_trained_meniscus(const lim_host* host, paper_rows* rows) {
    return figure(&MENISCUS, host, rows);
}

lim_result paper_trained_wedge(const lim_host* host, paper_rows* rows) {
    return figure(&WEDGE, host, rows);
}

lim_result paper_trained_pillow(const lim_host* host, paper_rows* rows) {
    return figure(&PILLOW, host, rows);
}

lim_result paper_trained_table(const lim_host* host, paper_rows* rows) {
    const paper_sizes* const scenes[] = {&WEDGE, &MENISCUS, &PILLOW};
    lim_result result = LIM_OK;
    for (int i = 0; i < 3 && result == LIM_OK; ++i) {
        learnt l;
        result = learn(scenes[i]->scene, rows->quick, host, &l);
        result = result == LIM_OK ? times_of(scenes[i], &l, rows) : result;
        forget(&l);
    }
    paper_rows_note(rows, "The paper blends and embeds on a GPU, with drawing. Its column of "
                          "examples has the numbers of coarse elements; these are of its text.");
    return result;
}

lim_result paper_trained_examples(const lim_host* host, paper_rows* rows) {
    static const int32_t counts[] = {5, 10, 20, 40, 80, 128}, mixed[] = {1, 3, 10, 30};
    learnt l;
    arena a;
    arena_init(&a, host);
    trained_held* held = NULL;
    trained_errors e = {0, NAN, NAN};
    char name[96];
    lim_result result = learn("wedge", rows->quick, host, &l);
    result = result == LIM_OK ? trained_held_make(l.t, &a, &held) : result;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && result == LIM_OK; ++i) {
        if (counts[i] > l.examples && i > 0) {
            continue;
        }
        result = trained_errors_measure(l.t, held, counts[i], 10, &e);
        snprintf(name, sizeof name, "%d examples, at most 10 mixed", e.examples);
        paper_rows_of(rows, name, "ours", NAN, e.ours, "of the detail is left");
        paper_rows_of(rows, name, "linear regression", NAN, e.regression, "of the detail is left");
    }
    for (size_t i = 0; i < sizeof mixed / sizeof mixed[0] && result == LIM_OK; ++i) {
        result = trained_errors_measure(l.t, held, l.examples, mixed[i], &e);
        snprintf(name, sizeof name, "%d examples, at most %d mixed", e.examples, mixed[i]);
        paper_rows_of(rows, name, "ours", NAN, e.ours, "of the detail is left");
    }
    paper_rows_note(rows, "Of the detail of held-out poses of the wedge. Above 1: worse than no "
                          "detail. The paper finds 40 examples and 10 mixed enough.");
    forget(&l);
    arena_release(&a);
    return result;
}
