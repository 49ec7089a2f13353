/* SPDX-License-Identifier: MIT
 * Job: 001.fig6. In: the built-in scenes of the statue and of the infant with bones, as lattices of
 * the paper's sizes. Out: frames per second of each, a frame being as many substeps as in the
 * paper, as it falls and after it has hit the ground, with contact of the body with itself and
 * without, and a picture of the infant: its skin,
 * and its lattice.
 */
#include "cli/paper_lattice.h"

#include "cli/measure.h"
#include "cli/stage.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 12, WARM = 24, WARM_FALLING = 4, QUICK_STEPS = 2, QUICK_NODES = 1500 };
/* Steps after the first contact with the ground until it is measured again; most until then. */
enum { AFTER = 12, IMPACT_MOST = 240 };

typedef struct detailed_scene {
    const char *name, *scene;
    int32_t nodes; /* wished; 0: as the scene has it */
    int32_t width, triangles, substeps;
    bool falls; /* else it is on the ground from the start */
    double paper_nodes, paper_triangles, paper_fps;
} detailed_scene;

static const detailed_scene SCENES[] = {
    {"figure, solid", "figure", 0, 1, 200000, 10, true, 57626.0, 200000.0, 1.0},
    {"figure, shell", "figure_shell", 0, 1, 200000, 10, true, 19959.0, 200000.0, 2.0},
    {"infant with bones", "infant", 2570, 2, 16900, 3, false, 2570.0, 16844.0, 20.0}};
enum { SCENE_COUNT = (int)(sizeof SCENES / sizeof SCENES[0]), INFANT = SCENE_COUNT - 1 };

/* The scene with its one body as a lattice of the size wished. */
static lim_result make_scene(const detailed_scene* d, bool self_contact, bool quick,
                             const lim_host* host, scene** out) {
    const scene_entry* entry = scene_find(d->scene);
    scene* read = NULL;
    lim_result result = scene_parse(entry->text, entry->size, entry->name, NULL, host, &read, NULL);
    if (result == LIM_OK) {
        scene_desc desc = *scene_get_desc(read);
        scene_body body = desc.bodies[0];
        body.kind = LIM_KIND_LATTICE;
        body.self_contact = self_contact;
        body.region_width = (float)d->width;
        body.triangles = quick ? 6000 : d->triangles;
        if (d->nodes > 0 || quick) {
            body.nodes = quick ? QUICK_NODES : d->nodes;
            body.cell = 0.0;
        }
        desc.bodies = &body;
        result = scene_create(&desc, host, out, NULL);
    }
    scene_destroy(read);
    return result;
}

static lim_result draw_panel(const scene_run* run, bool lattice, const lim_host* host,
                             lim_image* out) {
    stage s;
    stage_begin(&s, host);
    const lim_world* world = scene_run_world(run);
    scene_run_body b = scene_run_body_at(run, 0);
    lim_result result = stage_add_skin(&s, world, b.body, b.model, lattice);
    if (result == LIM_OK && lattice) {
        result = stage_add_lattice(&s, world, b.body, b.model, 0x2A6F97FFu, 0u, 0.0f);
    }
    lim_body_motion m;
    result = result == LIM_OK ? lim_body_get_motion(world, b.body, &m) : result;
    if (result == LIM_OK) {
        float x = (float)m.centre.x, z = (float)m.centre.z;
        const lim_picture look = {.width = 640,
                                  .height = 560,
                                  .camera = {.eye = {x + 1.05f, 0.62f, z + 1.25f},
                                             .target = {x, 0.27f, z + 0.02f},
                                             .up = {0.0f, 1.0f, 0.0f},
                                             .fov = 0.50f},
                                  .ground = true};
        result = stage_draw(&s, &look, out);
    }
    stage_end(&s);
    return result;
}

static lim_result draw(const scene_run* run, const lim_host* host, lim_image* out) {
    lim_image panels[2] = {{0}, {0}};
    lim_result result = draw_panel(run, false, host, &panels[0]);
    result = result == LIM_OK ? draw_panel(run, true, host, &panels[1]) : result;
    result = result == LIM_OK ? lim_image_sheet(panels, 2, 2, out) : result;
    lim_image_destroy(&panels[0]);
    lim_image_destroy(&panels[1]);
    return result;
}

/* What some steps of a run have shown: medians. */
typedef struct detailed_window {
    double seconds, self_contacts, ground;
} detailed_window;
enum { FALLING, STRUCK, WINDOWS };
typedef struct detailed_result {
    detailed_window window[WINDOWS];
    int32_t substeps;
} detailed_result;

static void add_rows(const detailed_scene* d, const scene_run* run, const detailed_result* with,
                     const detailed_result* without, paper_rows* rows) {
    const lim_model* model = scene_run_body_at(run, 0).model;
    paper_rows_of(rows, d->name, "triangles", d->paper_triangles,
                  (double)lim_model_get_surface(model).triangle_count, "");
    paper_rows_of(rows, d->name, "particles", d->paper_nodes,
                  (double)lim_model_get_info(model).nodes, "");
    paper_rows_of(rows, d->name, "steps per frame", (double)d->substeps, (double)with->substeps,
                  "");
    for (int k = 0; k < (d->falls ? WINDOWS : 1); ++k) {
        static const char* const WHEN[WINDOWS] = {", before the impact", ", after the impact"};
        const detailed_window *own = &with->window[k], *none = &without->window[k];
        char about[64];
        snprintf(about, sizeof about, "%s%s", d->name, d->falls ? WHEN[k] : "");
        paper_rows_of(rows, about, "contacts with the ground", NAN, own->ground, "");
        paper_rows_of(rows, about, "contacts with itself", NAN, own->self_contacts, "");
        paper_rows_of(rows, about, "frames per second, 1 worker", d->paper_fps, 1.0 / own->seconds,
                      "");
        paper_rows_of(rows, about, "frames per second, not meeting itself", NAN,
                      1.0 / none->seconds, "");
    }
}

static lim_result look(scene_run* run, int32_t steps, const lim_host* host, detailed_window* out) {
    double times[STEPS], contacts[STEPS], ground[STEPS];
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < steps && result == LIM_OK; ++i) {
        result = scene_step(run, NULL);
        lim_step_report report = lim_world_get_report(scene_run_world(run));
        times[i] = report.total;
        contacts[i] = (double)report.body_contacts;
        ground[i] = (double)report.contacts;
    }
    if (result == LIM_OK) {
        out->seconds = measure_of(times, steps, host).median;
        out->self_contacts = measure_of(contacts, steps, host).median;
        out->ground = measure_of(ground, steps, host).median;
    }
    return result;
}

/* Until some steps after it has met the ground. */
static lim_result strike(scene_run* run) {
    lim_result result = LIM_OK;
    int32_t since = 0;
    for (int32_t i = 0; i < IMPACT_MOST && since < AFTER && result == LIM_OK; ++i) {
        result = scene_step(run, NULL);
        since += since > 0 || lim_world_get_report(scene_run_world(run)).contacts > 0;
    }
    return result;
}

/* Runs it; the caller stops the run and destroys the plan. */
static lim_result run_scene(const detailed_scene* d, bool self_contact, const lim_host* host,
                            const paper_rows* rows, scene** plan, scene_run** run,
                            detailed_result* out) {
    const scene_options options = {.workers = 1, .substeps = d->substeps};
    int32_t warm = rows->quick ? 0
                   : d->falls  ? WARM_FALLING
                               : WARM,
            steps = rows->quick ? QUICK_STEPS : STEPS;
    lim_result result = make_scene(d, self_contact, rows->quick, host, plan);
    result = result == LIM_OK ? scene_start(*plan, &options, host, run, NULL) : result;
    for (int32_t i = 0; i < warm && result == LIM_OK; ++i) {
        result = scene_step(*run, NULL);
    }
    result = result == LIM_OK ? look(*run, steps, host, &out->window[FALLING]) : result;
    if (d->falls) {
        result = result == LIM_OK ? strike(*run) : result;
        result = result == LIM_OK ? look(*run, steps, host, &out->window[STRUCK]) : result;
    }
    if (result == LIM_OK) {
        out->substeps = lim_world_get_report(scene_run_world(*run)).substeps_most;
    }
    return result;
}

static lim_result measure_scene(const detailed_scene* d, bool drawn, const lim_host* host,
                                paper_rows* rows) {
    scene* plan[2] = {NULL, NULL};
    scene_run* run[2] = {NULL, NULL};
    detailed_result got[2]; /* without and with contact with itself */
    lim_result result = LIM_OK;
    memset(got, 0, sizeof got);
    for (int32_t k = 0; k < 2 && result == LIM_OK; ++k) {
        result = run_scene(d, k == 1, host, rows, &plan[k], &run[k], &got[k]);
    }
    if (result == LIM_OK) {
        add_rows(d, run[1], &got[1], &got[0], rows);
    }
    if (result == LIM_OK && drawn && rows->picture != NULL) {
        result = draw(run[1], host, rows->picture);
    }
    for (int32_t k = 0; k < 2; ++k) {
        scene_stop(run[k]);
        scene_destroy(plan[k]);
    }
    return result;
}

lim_result paper_detailed(const lim_host* host, paper_rows* rows) {
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < SCENE_COUNT && result == LIM_OK; ++i) {
        result = measure_scene(&SCENES[i], i == INFANT, host, rows);
    }
    paper_rows_note(rows, "A frame is one step of the world with so many substeps, medians, with "
                          "contact of the body with itself as in the paper, skin and contacts "
                          "included. After the impact: from 12 steps after the first contact with "
                          "the ground.");
    return result;
}
