/* SPDX-License-Identifier: MIT
 * Job: 001.fracture. In: the built-in scene `torn_duck`. Out: how many links break, in how many
 * steps, what becomes of the nodes and of the regions' sums, what a step costs that breaks links
 * beside one that does not, and a picture: before, in the crack, after. The paper breaks links of
 * neighbours that are farther apart than a limit, brings the sums of the regions about them up to
 * date and shows one example, without numbers.
 */
#include "cli/paper_lattice.h"

#include "cli/measure.h"
#include "cli/paper_edit.h"

#include <limber/edit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PANELS = 3, EVENTS = 64 };
static const double QUICK_SECONDS = 1.2; /* the neck is through by then */
static const double GAPES = 0.4;         /* seconds from the first link on: the crack is seen */

typedef struct fracture {
    scene* plan;
    scene_run* run;
    ARRAY(double) whole, tearing, after; /* steps until it tears, that tear, from then on */
    lim_model_info first, last;
    int32_t links, most;
    double begin, end;    /* seconds of the scene */
    int32_t triangles[2]; /* of the skin */
    lim_image panel[PANELS];
    bool drawn;
} fracture;

static const paper_still STILL = {LIM_DEBUG_NODES, {420, 520}};

/* Links that the last step has broken. */
static int32_t broken_now(const scene_run* run) {
    lim_event event[EVENTS];
    int32_t count = 0, links = 0;
    (void)lim_world_get_events(scene_run_world(run), event, EVENTS, &count);
    for (int32_t i = 0; i < count && i < EVENTS; ++i) {
        links += event[i].kind == LIM_EVENT_TORN ? event[i].count : 0;
    }
    return links;
}

static lim_result take_step(fracture* f, const paper_rows* rows, const lim_host* host) {
    lim_result result = scene_step(f->run, NULL);
    double step = lim_world_get_report(scene_run_world(f->run)).total;
    int32_t links = result == LIM_OK ? broken_now(f->run) : 0;
    bool kept = true;
    f->links += links;
    f->most = links > f->most ? links : f->most;
    if (links > 0) {
        f->begin = f->links == links ? scene_run_time(f->run) : f->begin;
        f->end = scene_run_time(f->run);
        kept = ARRAY_PUSH(host, &f->tearing, step);
        f->after.count = 0; /* only those behind the last one are wanted */
    } else if (f->links == 0) {
        kept = ARRAY_PUSH(host, &f->whole, step);
    } else {
        kept = ARRAY_PUSH(host, &f->after, step);
    }
    result = result == LIM_OK && !kept ? LIM_ERROR_MEMORY : result;
    bool gapes = f->links > 0 && scene_run_time(f->run) >= f->begin + GAPES;
    if (result == LIM_OK && gapes && !f->drawn && rows->picture != NULL) {
        char caption[64];
        snprintf(caption, sizeof caption, "%d links broken", f->links);
        f->drawn = true;
        result = paper_draw_now(&STILL, f->run, true, caption, host, &f->panel[1]);
    }
    return result;
}

static void add_rows(const fracture* f, const lim_host* host, paper_rows* rows) {
    paper_rows_add(rows, "nodes before", NAN, (double)f->first.nodes, "");
    paper_rows_add(rows, "nodes after, of the largest piece", NAN, (double)f->last.nodes, "");
    paper_rows_add(rows, "links that broke", NAN, (double)f->links, "");
    paper_rows_add(rows, "steps that broke links", NAN, (double)f->tearing.count, "");
    paper_rows_add(rows, "most links in a step (16 allowed)", NAN, (double)f->most, "");
    paper_rows_add(rows, "from the first link to the last", NAN, f->end - f->begin, "s");
    paper_rows_add(rows, "bodies after", NAN, (double)scene_run_body_count(f->run), "");
    paper_rows_add(rows, "inputs per region before", NAN, f->first.inputs_per_region, "");
    paper_rows_add(rows, "inputs per region after", NAN, f->last.inputs_per_region, "");
    paper_rows_add(rows, "triangles of the skin before", NAN, (double)f->triangles[0], "");
    paper_rows_add(rows, "triangles of the skin after, of the largest piece", NAN,
                   (double)f->triangles[1], "");
    measure_summary whole = measure_of(f->whole.data, f->whole.count, host);
    measure_summary tearing = measure_of(f->tearing.data, f->tearing.count, host);
    measure_summary after = measure_of(f->after.data, f->after.count, host);
    paper_rows_add(rows, "a step before, 1 worker", NAN, 1e3 * whole.median, "ms");
    paper_rows_add(rows, "a step that breaks links, median", NAN, 1e3 * tearing.median, "ms");
    paper_rows_add(rows, "a step after, 1 worker", NAN, 1e3 * after.median, "ms");
}

lim_result paper_fracture(const lim_host* host, paper_rows* rows) {
    fracture f;
    memset(&f, 0, sizeof f);
    const scene_entry* entry = scene_find("torn_duck");
    lim_result result =
        scene_parse(entry->text, entry->size, entry->name, NULL, host, &f.plan, NULL);
    result = result == LIM_OK ? scene_start(f.plan, NULL, host, &f.run, NULL) : result;
    result = result == LIM_OK ? paper_model_now(f.run, &f.first, &f.triangles[0]) : result;
    if (result == LIM_OK && rows->picture != NULL) {
        char caption[64];
        snprintf(caption, sizeof caption, "%d nodes", f.first.nodes);
        result = paper_draw_now(&STILL, f.run, false, caption, host, &f.panel[0]);
    }
    while (result == LIM_OK && !scene_run_done(f.run) &&
           !(rows->quick && scene_run_time(f.run) > QUICK_SECONDS)) {
        result = take_step(&f, rows, host);
    }
    result = result == LIM_OK ? paper_model_now(f.run, &f.last, &f.triangles[1]) : result;
    if (result == LIM_OK) {
        add_rows(&f, host, rows);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = paper_draw_now(&STILL, f.run, true, "after", host, &f.panel[2]);
        result = result == LIM_OK && f.drawn
                     ? lim_image_sheet(f.panel, PANELS, PANELS, rows->picture)
                     : result;
    }
    for (int32_t k = 0; k < PANELS; ++k) {
        lim_image_destroy(&f.panel[k]);
    }
    ARRAY_FREE(host, &f.whole);
    ARRAY_FREE(host, &f.tearing);
    ARRAY_FREE(host, &f.after);
    scene_stop(f.run);
    scene_destroy(f.plan);
    return result;
}
