/* SPDX-License-Identifier: MIT
 * Job: 000.fig6. In: the built-in scene `flowers`. Out: what a step and the skin of forty flowers
 * in the wind cost, what it costs to give the one that is touched cells of an eighth of the size
 * there, all at once and spread over steps; how far other petals follow one that is pulled
 * (paper_petal.c); and a picture.
 */
#include "cli/paper_edit.h"

#include "base/timer.h"
#include "cli/bench.h"
#include "cli/measure.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps before the touch, and after it. */
enum { BEFORE = 12, AFTER = 6, QUICK = 3, SPREAD_WORK = 32, SPREAD_MOST = 60 };
/* Where a petal of the flower that is grabbed is touched, in metres. */
static const lim_point TOUCH = {3.5, 0.85, 3.6};
static const float TOUCH_RADIUS = 0.035f;
/* Of each skin: the scene's own is finer, for its pictures. */
enum { SKIN_TRIANGLES = 3000 };

typedef struct flowers {
    scene* read;
    scene* plan;
    scene_action grab, touch;
    int32_t steps; /* before the touch */
    ARRAY(double) total, wind, find, skin;
    lim_edit_report edit;
    int32_t nodes[2], triangles, count, substeps;
    lim_image panel[6]; /* flowers, a petal, a petal; below the same with cells */
} flowers;

/* The scene under a coarser skin, without wishes, and alone with a refinement after so many steps,
 * or with nothing that happens. */
static lim_result plan(flowers* f, bool spread, const lim_host* host, scene** out) {
    scene_desc desc = *scene_get_desc(f->read);
    scene_body body = desc.bodies[0];
    body.triangles = SKIN_TRIANGLES;
    body.has_detail = false;
    f->grab = desc.actions[0];
    f->touch = (scene_action){.type = SCENE_REFINE,
                              .at = f->steps * desc.dt,
                              .until = -1.0,
                              .target = f->grab.target,
                              .copy = f->grab.copy,
                              .point = TOUCH,
                              .shape = LIM_SHAPE_SPHERE,
                              .size = {TOUCH_RADIUS, 0.0f, 0.0f}};
    desc.bodies = &body;
    desc.actions = &f->touch;
    desc.action_count = spread ? 0 : 1;
    return scene_create(&desc, host, out, NULL);
}

static lim_result nodes_of(const scene_run* run, int32_t* out) {
    *out = 0;
    for (int32_t i = 0; i < scene_run_body_count(run); ++i) {
        lim_model* model = NULL;
        lim_result result =
            lim_body_get_model(scene_run_world(run), scene_run_body_at(run, i).body, &model);
        if (result != LIM_OK) {
            return result;
        }
        *out += lim_model_get_info(model).nodes;
        lim_model_destroy(model);
    }
    return LIM_OK;
}

static const paper_still STILL = {.overlay = LIM_DEBUG_CELLS, .size = {520, 400}};

/* All at once: steps, the touch, some more steps. */
static lim_result touch_at_once(flowers* f, const lim_host* host, paper_rows* rows) {
    scene_run* run = NULL;
    lim_result result = plan(f, false, host, &f->plan);
    result = result == LIM_OK ? scene_start(f->plan, NULL, host, &run, NULL) : result;
    result = result == LIM_OK ? nodes_of(run, &f->nodes[0]) : result;
    for (int32_t i = 0; i < f->steps + AFTER && result == LIM_OK; ++i) {
        result = scene_step(run, NULL);
        result = result == LIM_OK ? bench_read_skins(scene_run_world(run)) : result;
        lim_step_report r = lim_world_get_report(scene_run_world(run));
        if (result == LIM_OK && i < f->steps) {
            bool kept =
                ARRAY_PUSH(host, &f->total, r.total) && ARRAY_PUSH(host, &f->wind, r.frames) &&
                ARRAY_PUSH(host, &f->find, r.contact_find) && ARRAY_PUSH(host, &f->skin, r.skin);
            result = kept ? LIM_OK : LIM_ERROR_MEMORY;
            f->substeps = r.substeps_most;
        }
    }
    if (result == LIM_OK) {
        int32_t edits = 0;
        const scene_edit* edit = scene_run_edits(run, &edits);
        f->edit = edits > 0 ? edit[0].report : f->edit;
        f->count = scene_run_body_count(run);
        f->triangles = lim_model_get_surface(scene_run_body_at(run, 0).model).triangle_count;
        result = nodes_of(run, &f->nodes[1]);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = paper_draw_now(&STILL, run, true, "forty flowers", host, &f->panel[0]);
        result = result == LIM_OK
                     ? paper_draw_now(&STILL, run, false, "their cells", host, &f->panel[3])
                     : result;
    }
    scene_stop(run);
    return result;
}

/* Spread: the flower that is grabbed follows the touch, and a step makes only some nodes. */
static lim_result grab_it(const flowers* f, lim_world* world, lim_body touched) {
    lim_world_detail limits = lim_world_detail_default();
    const lim_detail wish = scene_get_desc(f->read)->bodies[0].detail;
    lim_grab_desc desc = lim_grab_desc_default();
    lim_grab grab;
    limits.work = SPREAD_WORK;
    desc.body = touched;
    desc.point = TOUCH;
    desc.radius = f->grab.radius;
    lim_result result = lim_world_set_detail(world, &limits);
    result = result == LIM_OK ? lim_body_set_detail(world, touched, &wish) : result;
    result = result == LIM_OK ? lim_grab_create(world, &desc, &grab) : result;
    return result == LIM_OK ? lim_world_step(world, 1.0f / 60.0f) : result; /* it feels the grab */
}

static lim_result touch_spread(flowers* f, const lim_host* host, paper_rows* rows) {
    scene* still = NULL;
    scene_run* run = NULL;
    lim_result result = plan(f, true, host, &still);
    result = result == LIM_OK ? scene_start(still, NULL, host, &run, NULL) : result;
    int32_t before = 0, after = 0, steps = 0;
    double most = 0.0, all = 0.0;
    if (result == LIM_OK) {
        lim_world* world = scene_run_world(run);
        result = lim_world_set_wind(world, (lim_wind){.gust_size = 1.0f});
        result = result == LIM_OK ? scene_step(run, NULL) : result;
        double start = timer_now(host);
        result = result == LIM_OK ? lim_world_step(world, 1.0f / 60.0f) : result;
        double plain = timer_now(host) - start;
        result = result == LIM_OK ? nodes_of(run, &before) : result;
        result = result == LIM_OK ? grab_it(f, world, scene_run_body_at(run, f->touch.copy).body)
                                  : result;
        int32_t last = before;
        for (int32_t i = 0; i < SPREAD_MOST && result == LIM_OK; ++i) {
            start = timer_now(host);
            result = lim_world_step(world, 1.0f / 60.0f);
            double more = timer_now(host) - start - plain;
            result = result == LIM_OK ? nodes_of(run, &after) : result;
            if (after == last) {
                break;
            }
            last = after;
            most = more > most ? more : most;
            all += more > 0.0 ? more : 0.0;
            ++steps;
        }
    }
    if (result == LIM_OK) {
        paper_rows_add(rows, "spread: new nodes", NAN, (double)(after - before), "");
        paper_rows_add(rows, "spread: steps that it takes", NAN, (double)steps, "");
        paper_rows_add(rows, "spread: in all", 121.0, 1e3 * all, "ms");
        paper_rows_add(rows, "spread: most in a step", 121.0, 1e3 * most, "ms");
    }
    scene_stop(run);
    scene_destroy(still);
    return result;
}

static void add_rows(const flowers* f, const lim_host* host, paper_rows* rows) {
    double total = measure_of(f->total.data, f->total.count, host).median;
    double wind = measure_of(f->wind.data, f->wind.count, host).median;
    double find = measure_of(f->find.data, f->find.count, host).median;
    double skin = measure_of(f->skin.data, f->skin.count, host).median;
    double grown = (double)(f->nodes[1] - f->nodes[0]);
    paper_rows_add(rows, "flowers", 40.0, (double)f->count, "");
    paper_rows_add(rows, "nodes before the touch", 5680.0, (double)f->nodes[0], "");
    paper_rows_add(rows, "triangles of each", NAN, (double)f->triangles, "");
    paper_rows_add(rows, "substeps of a step", NAN, (double)f->substeps, "");
    paper_rows_add(rows, "a step, 1 worker", NAN, 1e3 * total, "ms");
    paper_rows_add(rows, "of a step: wind and frames", NAN, 1e3 * wind, "ms");
    paper_rows_add(rows, "of a step: finding contacts with the ground", NAN, 1e3 * find, "ms");
    paper_rows_add(rows, "a substep without these and the skin", NAN,
                   1e3 * (total - wind - find - skin) / (f->substeps > 0 ? f->substeps : 1), "ms");
    paper_rows_add(rows, "skin of a flower", 4.0, 1e3 * skin / (f->count > 0 ? f->count : 1), "ms");
    paper_rows_add(rows, "new nodes at the touch", 352.0, grown, "");
    paper_rows_add(rows, "growth of nodes", 6.0, 100.0 * grown / (double)f->nodes[0], "%");
    paper_rows_add(rows, "update at the touch, all at once", 121.0, 1e3 * f->edit.total, "ms");
    paper_rows_add(rows, "of the update: nodes, regions and bindings", NAN, 1e3 * f->edit.nodes,
                   "ms");
    paper_rows_add(rows, "of the update: the state", NAN, 1e3 * f->edit.state, "ms");
}

/* One flower, whose petal is grabbed. */
static lim_result pull_petals(flowers* f, const lim_host* host, paper_rows* rows) {
    lim_image* panel = rows->picture != NULL ? f->panel : NULL;
    lim_result result = LIM_OK;
    for (int k = 0; k < (rows->quick ? 2 : 3) && result == LIM_OK; ++k) {
        result = paper_petal(f->read, (paper_petal_cells)k, &STILL, host, rows,
                             panel != NULL && k < 2 ? &panel[1 + k] : NULL);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = lim_image_sheet(f->panel, 6, 3, rows->picture);
    }
    for (int k = 0; k < 6; ++k) {
        lim_image_destroy(&f->panel[k]);
    }
    return result;
}

lim_result paper_flowers(const lim_host* host, paper_rows* rows) {
    flowers f;
    memset(&f, 0, sizeof f);
    f.steps = rows->quick ? QUICK : BEFORE;
    const scene_entry* entry = scene_find("flowers");
    lim_result result =
        scene_parse(entry->text, entry->size, entry->name, NULL, host, &f.read, NULL);
    result = result == LIM_OK ? touch_at_once(&f, host, rows) : result;
    if (result == LIM_OK) {
        add_rows(&f, host, rows);
        result = touch_spread(&f, host, rows);
    }
    result = result == LIM_OK ? pull_petals(&f, host, rows) : result;
    ARRAY_FREE(host, &f.total);
    ARRAY_FREE(host, &f.wind);
    ARRAY_FREE(host, &f.find);
    ARRAY_FREE(host, &f.skin);
    scene_destroy(f.plan);
    scene_destroy(f.read);
    paper_rows_note(rows,
                    "The stage of frames holds the wind, which acts on nodes once in a step. "
                    "Spread: in still air, a grab, a flower that follows touches, and "
                    "at most 32 nodes made or joined in a step; a step before it is taken off.");
    paper_rows_note(rows, "A petal of one flower in still air is grabbed at its tip and brought 12 "
                          "cm down: how far its tip moves against the "
                          "flower's heart, and that of the petal on the other side.");
    return result;
}
