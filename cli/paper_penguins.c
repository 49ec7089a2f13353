/* SPDX-License-Identifier: MIT
 * Job: 001.fig1. In: the built-in scene `pachinko`, its board made as wide as the paper's. Out:
 * what a step of all penguins costs with 1 and with 2 workers while they fall through the pegs,
 * first passing through each other as in the paper, then meeting each other; and a picture of those
 * that meet and of their lattices. The two worlds take turns, step by step.
 */
#include "cli/paper_lattice.h"

#include "cli/bench.h"
#include "cli/stage.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* From the first contacts until most of them have come down; those that meet for a shorter time. */
static const double FROM = 0.7, UNTIL = 2.2, UNTIL_MEETING = 0.9;
/* Apart they are as in the paper: as finely skinned, and as stiff as a step of 1/60 s allows with
 * regions of its width. Those that meet are as the scene has them: stiffer, more viscous, with
 * coarser skins and shorter steps. */
static const float YOUNG_APART = 2500.0f, VISCOSITY_APART = 60.0f;
enum { TRIANGLES_APART = 9900 };
enum { BOARD_ROWS = 8, COLLIDERS = 72 }; /* glass, walls, four rows of 8 pegs and four of 9 */
enum { QUICK_STEPS = 6, PARTS = 4 };
static const char* const part_names[PARTS] = {"matching and integration", "contacts, search",
                                              "contacts, solving", "skin"};

typedef struct penguins {
    scene* plan;
    scene_run* runs[BENCH_WORKERS];
    ARRAY(double) total[BENCH_WORKERS];
    ARRAY(double) bare[BENCH_WORKERS];        /* without the skin */
    ARRAY(double) part[PARTS];                /* of 1 worker */
    double contacts, body_contacts, substeps; /* sums over the measured steps */
    int32_t steps;
} penguins;

/* The paper's board is twice as wide as the scene's, and 150 penguins fall through it. The scene's
 * colliders begin with two panes of glass, two walls and a peg. */
static void widen_board(scene_desc* d, scene_body* body, scene_collider colliders[COLLIDERS]) {
    memcpy(colliders, d->colliders, 4 * sizeof colliders[0]);
    for (int32_t side = 0; side < 2; ++side) {
        scene_collider* wall = &colliders[2 + side];
        wall->size = (lim_vec3){0.08f, 6.0f, 0.42f}; /* half edges */
        wall->position = (lim_point){side == 0 ? -3.05 : 3.05, 6.0, 0.0};
    }
    int32_t count = 4;
    for (int32_t row = 0; row < BOARD_ROWS; ++row) {
        int32_t pegs = row % 2 == 0 ? 8 : 9;
        for (int32_t i = 0; i < pegs; ++i) {
            colliders[count] = d->colliders[4];
            colliders[count++].position =
                (lim_point){(i - 0.5 * (pegs - 1)) * 0.66, 0.9 + 0.62 * row, 0.0};
        }
    }
    d->colliders = colliders;
    d->collider_count = count;
    body->size = 0.3;
    body->position = (lim_point){-2.66, 5.5, -0.19};
    body->spacing = (lim_point){0.38, 0.44, 0.38};
    body->copies[0] = 15;
    body->copies[1] = 5;
    body->copies[2] = 2;
}

/* The scene on the paper's board; its penguins meet each other or do not. */
static lim_result make_scene(bool meet, const lim_host* host, scene** out) {
    const scene_entry* entry = scene_find("pachinko");
    scene* read = NULL;
    lim_result result = scene_parse(entry->text, entry->size, entry->name, NULL, host, &read, NULL);
    if (result == LIM_OK) {
        scene_desc desc = *scene_get_desc(read);
        scene_body body = desc.bodies[0];
        scene_collider colliders[COLLIDERS];
        widen_board(&desc, &body, colliders);
        body.contact = meet;
        if (!meet) {
            body.material.young = YOUNG_APART;
            body.material.viscosity = VISCOSITY_APART;
            body.triangles = TRIANGLES_APART;
            desc.dt = 1.0 / 60.0;
        }
        desc.bodies = &body;
        result = scene_create(&desc, host, out, NULL);
    }
    scene_destroy(read);
    return result;
}

static lim_result begin(penguins* p, bool meet, const lim_host* host) {
    memset(p, 0, sizeof *p);
    lim_io_message message = {{0}};
    lim_result result = make_scene(meet, host, &p->plan);
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        /* a step of the paper is one substep */
        const scene_options options = {.workers = w + 1, .substeps = 1};
        result = scene_start(p->plan, &options, host, &p->runs[w], &message);
    }
    return result;
}

static void end(penguins* p, const lim_host* host) {
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        ARRAY_FREE(host, &p->total[w]);
        ARRAY_FREE(host, &p->bare[w]);
        scene_stop(p->runs[w]);
    }
    for (int32_t k = 0; k < PARTS; ++k) {
        ARRAY_FREE(host, &p->part[k]);
    }
    scene_destroy(p->plan);
}

static bool keep(penguins* p, int32_t which, const lim_host* host) {
    lim_step_report r = lim_world_get_report(scene_run_world(p->runs[which]));
    const double parts[PARTS] = {r.frames + r.sums + r.regions + r.goals + r.integrate + r.tools,
                                 r.contact_find, r.contact_solve, r.skin};
    bool kept = ARRAY_PUSH(host, &p->total[which], r.total) &&
                ARRAY_PUSH(host, &p->bare[which], r.total - r.skin / (which + 1));
    p->contacts += which == 0 ? (double)r.contacts : 0.0;
    p->body_contacts += which == 0 ? (double)r.body_contacts : 0.0;
    p->substeps += which == 0 ? (double)r.substeps_most : 0.0;
    for (int32_t k = 0; k < PARTS && which == 0; ++k) {
        kept = kept && ARRAY_PUSH(host, &p->part[k], parts[k]);
    }
    return kept;
}

static lim_result take_steps(penguins* p, double until, bool quick, const lim_host* host) {
    double from = quick ? 0.0 : FROM;
    while (quick ? p->steps < QUICK_STEPS : scene_run_time(p->runs[0]) < until) {
        bool measured = scene_run_time(p->runs[0]) >= from;
        for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
            lim_result result = scene_step(p->runs[w], NULL);
            result = result == LIM_OK ? bench_read_skins(scene_run_world(p->runs[w])) : result;
            if (result != LIM_OK) {
                return result;
            }
            if (measured && !keep(p, w, host)) {
                return LIM_ERROR_MEMORY;
            }
        }
        p->steps += measured;
    }
    return LIM_OK;
}

/* ---- the picture -----------------------------------------------------------------------------
 */

static lim_result draw_panel(const penguins* p, bool lattices, const lim_host* host,
                             lim_image* out) {
    stage s;
    stage_begin(&s, host);
    const lim_world* world = scene_run_world(p->runs[0]);
    const scene_desc* d = scene_run_desc(p->runs[0]);
    lim_result result = stage_add_colliders(&s, d);
    for (int32_t i = 0; i < scene_run_body_count(p->runs[0]) && result == LIM_OK; ++i) {
        scene_run_body b = scene_run_body_at(p->runs[0], i);
        result = lattices ? stage_add_lattice(&s, world, b.body, b.model, 0x2A6F97FFu, 0u, 0.0f)
                          : stage_add_skin(&s, world, b.body, b.model, false);
    }
    if (result == LIM_OK) {
        const lim_picture look = {.width = 760,
                                  .height = 820,
                                  .camera = {.eye = {0.0f, 3.6f, 11.6f},
                                             .target = {0.0f, 3.0f, 0.0f},
                                             .up = {0.0f, 1.0f, 0.0f},
                                             .fov = 0.56f},
                                  .ground = true,
                                  .caption = lattices ? "their lattices" : "150 penguins"};
        result = stage_draw(&s, &look, out);
    }
    stage_end(&s);
    return result;
}

static lim_result draw(const penguins* p, const lim_host* host, lim_image* out) {
    lim_image panels[2] = {{0}, {0}};
    lim_result result = draw_panel(p, false, host, &panels[0]);
    result = result == LIM_OK ? draw_panel(p, true, host, &panels[1]) : result;
    result = result == LIM_OK ? lim_image_sheet(panels, 2, 2, out) : result;
    lim_image_destroy(&panels[0]);
    lim_image_destroy(&panels[1]);
    return result;
}

/* ---- rows ------------------------------------------------------------------------------------
 */

static double median_ms(const double* seconds, int32_t count, const lim_host* host) {
    return 1e3 * measure_of(seconds, count, host).median;
}

static void add_sizes(const penguins* p, paper_rows* rows) {
    scene_run_body first = scene_run_body_at(p->runs[0], 0);
    lim_model_info info = lim_model_get_info(first.model);
    paper_rows_add(rows, "penguins", 150.0, (double)scene_run_body_count(p->runs[0]), "");
    paper_rows_add(rows, "triangles of each", 9874.0,
                   (double)lim_model_get_surface(first.model).triangle_count, "");
    paper_rows_add(rows, "particles of each", 150.0, (double)info.nodes, "");
    paper_rows_add(rows, "regions of each", 130.0, (double)info.regions, "");
    paper_rows_add(rows, "w", 2.0, (double)scene_get_desc(p->plan)->bodies[0].region_width, "");
}

static void add_row(paper_rows* rows, bool meet, const char* name, double paper, double here,
                    const char* unit) {
    if (meet) {
        paper_rows_of(rows, "meeting", name, NAN, here, unit);
    } else {
        paper_rows_add(rows, name, paper, here, unit);
    }
}

/* Times of a run; the paper's are those of penguins that do not meet. */
static void add_times(const penguins* p, bool meet, const lim_host* host, paper_rows* rows) {
    double count = (double)scene_run_body_count(p->runs[0]);
    add_row(rows, meet, "substeps of a step", 1.0, p->substeps / p->steps, "");
    add_row(rows, meet, "nodes near a collider", NAN, p->contacts / p->steps, "");
    if (meet) {
        add_row(rows, meet, "contacts between penguins", NAN, p->body_contacts / p->steps, "");
    }
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        double some = median_ms(p->bare[w].data, p->bare[w].count, host);
        const char* who = w == 0 ? "1 worker" : "2 workers";
        char name[64];
        snprintf(name, sizeof name, "a step, %s", who);
        add_row(rows, meet, name, NAN, median_ms(p->total[w].data, p->total[w].count, host), "ms");
        snprintf(name, sizeof name, "a step without the skin, %s", who);
        add_row(rows, meet, name, 42.0, some, "ms");
        snprintf(name, sizeof name, "a step without the skin, %s: per penguin", who);
        add_row(rows, meet, name, 0.28, some / count, "ms");
    }
    for (int32_t k = 0; k < PARTS; ++k) {
        char name[64];
        snprintf(name, sizeof name, "of a step, 1 worker: %s", part_names[k]);
        add_row(rows, meet, name, NAN, median_ms(p->part[k].data, p->part[k].count, host), "ms");
    }
    bool same =
        lim_world_hash(scene_run_world(p->runs[0])) == lim_world_hash(scene_run_world(p->runs[1]));
    add_row(rows, meet, "same bits with 2 workers", NAN, same ? 1.0 : 0.0, "(1: yes)");
}

lim_result paper_penguins(const lim_host* host, paper_rows* rows) {
    lim_result result = LIM_OK;
    for (int meet = 0; meet < 2 && result == LIM_OK; ++meet) {
        penguins p;
        result = begin(&p, meet == 1, host);
        result = result == LIM_OK
                     ? take_steps(&p, meet == 1 ? UNTIL_MEETING : UNTIL, rows->quick, host)
                     : result;
        if (result == LIM_OK && meet == 0) {
            add_sizes(&p, rows);
        }
        if (result == LIM_OK) {
            add_times(&p, meet == 1, host, rows);
        }
        if (result == LIM_OK && meet == 1 && rows->picture != NULL) {
            result = draw(&p, host, rows->picture);
        }
        end(&p, host);
    }
    paper_rows_note(rows, "Penguins touch pegs, walls, glass and ground, not each other, as "
                          "in the paper, and are as soft (2.5 kPa) as one substep of 1/60 s "
                          "allows. Meeting: each other too, of 15 kPa.");
    paper_rows_note(rows, "The paper's time is without the skin, which its graphics card makes. "
                          "With 2 workers half of the skin's time is taken off.");
    return result;
}
