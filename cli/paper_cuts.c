/* SPDX-License-Identifier: MIT
 * Job: 000.fig3. In: the built-in scene `liver_cut`. Out: nodes before and after the strokes, what
 * a step costs as the body grows, what a sweep of the blade costs and where that time goes, and a
 * picture of the lips and of the cells. Each run of the scene makes the same sweeps: of each the
 * least time counts, so that what else the machine does is left out.
 */
#include "cli/paper_edit.h"

#include "cli/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, PARTS = 5, PANELS = 3 };
/* What counts as a sweep: edges of the graph, triangles of the skin. */
enum { EDGES_LEAST = 1, TRIANGLES_LEAST = 10 };
static const double QUICK_SECONDS = 1.2;

static const char* const part_names[PARTS] = {"the way of the blade to rest", "the skin",
                                              "the material", "nodes, regions and bindings",
                                              "the state"};

/* A sweep that cuts. */
typedef struct sweep {
    double total, part[PARTS];
    int32_t new_nodes;
    int32_t counts[4]; /* what it did, to see that runs agree */
} sweep;

typedef struct cuts {
    scene* plan;
    scene_run* run;              /* the last one */
    ARRAY(sweep) sweeps;         /* each at its fastest */
    ARRAY(double) every;         /* the times of all of them */
    ARRAY(double) before, after; /* steps before the first edit, and after the last one */
    lim_model_info first, last;
    int32_t triangles[2];
    int32_t pieces, edits, new_nodes;
    bool same; /* runs made the same sweeps */
    lim_image panel[PANELS];
} cuts;

/* ---- the picture -----------------------------------------------------------------------------
 */

static const paper_still STILL = {LIM_DEBUG_CELLS, {560, 520}};

static lim_result draw_end(cuts* c, const lim_host* host) {
    char caption[64];
    snprintf(caption, sizeof caption, "%d nodes", c->last.nodes);
    lim_result result =
        paper_draw_now(&STILL, c->run, true, "after the strokes", host, &c->panel[1]);
    return result == LIM_OK ? paper_draw_now(&STILL, c->run, false, caption, host, &c->panel[2])
                            : result;
}

/* ---- runs ------------------------------------------------------------------------------------
 */

static lim_result keep(cuts* c, const lim_edit_report* r, int32_t number, int32_t round,
                       const lim_host* host) {
    sweep s = {.total = r->total,
               .part = {r->blade, r->skin, r->material, r->nodes, r->state},
               .new_nodes = r->new_nodes,
               .counts = {r->cut_edges, r->cut_triangles, r->nodes_after, r->new_vertices}};
    if (!ARRAY_PUSH(host, &c->every, s.total)) {
        return LIM_ERROR_MEMORY;
    }
    if (round == 0) {
        return ARRAY_PUSH(host, &c->sweeps, s) ? LIM_OK : LIM_ERROR_MEMORY;
    }
    c->same = c->same && number < c->sweeps.count &&
              memcmp(c->sweeps.data[number].counts, s.counts, sizeof s.counts) == 0;
    if (number < c->sweeps.count && s.total < c->sweeps.data[number].total) {
        c->sweeps.data[number] = s;
    }
    return LIM_OK;
}

/* Runs the scene once. */
static lim_result take_round(cuts* c, int32_t round, const paper_rows* rows, const lim_host* host) {
    int32_t seen = 0, sweeps = 0;
    lim_result result = scene_start(c->plan, NULL, host, &c->run, NULL);
    result = result == LIM_OK ? paper_model_now(c->run, &c->first, &c->triangles[0]) : result;
    if (result == LIM_OK && round == 0 && rows->picture != NULL) {
        char caption[64];
        snprintf(caption, sizeof caption, "%d nodes", c->first.nodes);
        result = paper_draw_now(&STILL, c->run, false, caption, host, &c->panel[0]);
    }
    c->after.count = 0;
    while (result == LIM_OK && !scene_run_done(c->run) &&
           !(rows->quick && scene_run_time(c->run) > QUICK_SECONDS)) {
        result = scene_step(c->run, NULL);
        double step = lim_world_get_report(scene_run_world(c->run)).total;
        int32_t count;
        const scene_edit* edit = scene_run_edits(c->run, &count);
        bool kept = true;
        if (count == 0) {
            kept = ARRAY_PUSH(host, &c->before, step);
        } else if (count > seen) {
            c->after.count = 0; /* only those behind the last edit are wanted */
        } else {
            kept = ARRAY_PUSH(host, &c->after, step);
        }
        result = result == LIM_OK && !kept ? LIM_ERROR_MEMORY : result;
        for (; seen < count && result == LIM_OK; ++seen) {
            const lim_edit_report* r = &edit[seen].report;
            c->new_nodes += round == 0 ? r->new_nodes : 0;
            c->pieces = r->pieces;
            if (r->cut_edges >= EDGES_LEAST && r->cut_triangles >= TRIANGLES_LEAST) {
                result = keep(c, r, sweeps++, round, host);
            }
        }
    }
    (void)scene_run_edits(c->run, &c->edits);
    return result == LIM_OK ? paper_model_now(c->run, &c->last, &c->triangles[1]) : result;
}

/* ---- rows ------------------------------------------------------------------------------------
 */

static double quantile(const cuts* c, int32_t part, double share, const lim_host* host) {
    ARRAY(double) values = {0};
    for (int32_t i = 0; i < c->sweeps.count; ++i) {
        const sweep* s = &c->sweeps.data[i];
        (void)ARRAY_PUSH(host, &values, part < 0 ? s->total : s->part[part]);
    }
    measure_summary m = measure_of(values.data, values.count, host);
    double most = 0.0;
    for (int32_t i = 0; i < values.count; ++i) {
        most = values.data[i] > most ? values.data[i] : most;
    }
    ARRAY_FREE(host, &values);
    return share < 0.6 ? m.median : share < 1.0 ? m.p99 : most;
}

static void add_rows(const cuts* c, const lim_host* host, paper_rows* rows) {
    paper_rows_add(rows, "nodes before", 500.0, (double)c->first.nodes, "");
    paper_rows_add(rows, "nodes after", 1550.0, (double)c->last.nodes, "");
    paper_rows_add(rows, "nodes made in the run", NAN, (double)c->new_nodes, "");
    paper_rows_add(rows, "triangles of the skin before", NAN, (double)c->triangles[0], "");
    paper_rows_add(rows, "triangles of the skin after", NAN, (double)c->triangles[1], "");
    paper_rows_add(rows, "pieces after", NAN, (double)c->pieces, "");
    paper_rows_add(rows, "a step before, 1 worker", 3.7,
                   1e3 * measure_of(c->before.data, c->before.count, host).median, "ms");
    paper_rows_add(rows, "a step after, 1 worker", 15.5,
                   1e3 * measure_of(c->after.data, c->after.count, host).median, "ms");
    paper_rows_add(rows, "sweeps that cut an edge and ten triangles", NAN, (double)c->sweeps.count,
                   "");
    paper_rows_add(rows, "update of a sweep, median", 62.0, 1e3 * quantile(c, -1, 0.5, host), "ms");
    paper_rows_add(rows, "update of a sweep, p99", 124.0, 1e3 * quantile(c, -1, 0.99, host), "ms");
    paper_rows_add(rows, "update of a sweep, most", 124.0, 1e3 * quantile(c, -1, 1.0, host), "ms");
    paper_rows_add(rows, "update of a sweep, p99 of all runs", 124.0,
                   1e3 * measure_of(c->every.data, c->every.count, host).p99, "ms");
    double sum = 0.0, largest = 0.0, total[PARTS] = {0.0};
    for (int32_t i = 0; i < c->sweeps.count; ++i) {
        sum += c->sweeps.data[i].total;
        for (int32_t k = 0; k < PARTS; ++k) {
            total[k] += c->sweeps.data[i].part[k];
        }
    }
    for (int32_t k = 0; k < PARTS; ++k) {
        char name[96];
        snprintf(name, sizeof name, "of an update: %s, median", part_names[k]);
        paper_rows_add(rows, name, NAN, 1e3 * quantile(c, k, 0.5, host), "ms");
        largest = total[k] > largest ? total[k] : largest;
    }
    for (int32_t k = 0; k < PARTS; ++k) {
        char name[96];
        snprintf(name, sizeof name, "share of an update: %s", part_names[k]);
        paper_rows_add(rows, name, NAN, sum > 0.0 ? total[k] / sum : 0.0, "");
    }
    paper_rows_add(rows, "largest share of an update", NAN, sum > 0.0 ? largest / sum : 0.0, "");
    paper_rows_add(rows, "all runs made the same sweeps", NAN, c->same ? 1.0 : 0.0, "(1: yes)");
}

lim_result paper_cuts(const lim_host* host, paper_rows* rows) {
    cuts c;
    memset(&c, 0, sizeof c);
    c.same = true;
    const scene_entry* entry = scene_find("liver_cut");
    lim_result result =
        scene_parse(entry->text, entry->size, entry->name, NULL, host, &c.plan, NULL);
    int32_t rounds = rows->quick ? 1 : ROUNDS;
    for (int32_t round = 0; round < rounds && result == LIM_OK; ++round) {
        result = take_round(&c, round, rows, host);
        if (result == LIM_OK && round == rounds - 1 && rows->picture != NULL) {
            result = draw_end(&c, host);
        }
        scene_stop(c.run);
        c.run = NULL;
    }
    if (result == LIM_OK) {
        add_rows(&c, host, rows);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = lim_image_sheet(c.panel, PANELS, PANELS, rows->picture);
    }
    for (int32_t k = 0; k < PANELS; ++k) {
        lim_image_destroy(&c.panel[k]);
    }
    ARRAY_FREE(host, &c.sweeps);
    ARRAY_FREE(host, &c.every);
    ARRAY_FREE(host, &c.before);
    ARRAY_FREE(host, &c.after);
    scene_destroy(c.plan);
    paper_rows_note(rows, "The paper gives ranges: 3.7 to 15.5 ms for a step as the body grows, 62 "
                          "to 124 ms for an update. A step here is 1/60 s of 4 substeps and writes "
                          "the skin.");
    paper_rows_note(rows,
                    "Each sweep counts with its fastest of three runs, but for the row of all "
                    "runs.");
    paper_rows_note(rows, "More than 80 % of the paper's update finds distances along the graph. "
                          "Blended regions need none.");
    return result;
}
