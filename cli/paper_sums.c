/* SPDX-License-Identifier: MIT
 * Job: 001.fig4. In: nothing. Out: what it costs to sum over the regions of a lattice, forward with
 * 24 floats per node and back with 16, in three ways and for half-widths of 1 to 8; slopes of the
 * curves; a plot. The ways take turns, so that a slow moment of the machine hits all.
 */
#include "cli/paper_lattice.h"

#include "base/random.h"
#include "base/timer.h"
#include "bench/lattice_sums.h"
#include "cli/measure.h"
#include "cli/plot.h"
#include "scenes/models.h"

#include <math.h>
#include <stdio.h>

enum { BODIES = 2, WIDTHS = 8, ROUNDS_LEAST = 3, ROUNDS_MOST = 25, FIT_FROM = 2 };
static const double SECONDS = 0.4;            /* for each point, at least */
static const int64_t MEMBERS_MOST = 40000000; /* of lists: 160 MB */

static const char* const way_names[LATTICE_WAYS] = {"by members", "bars, plates, cubes", "ours"};
static const double way_orders[LATTICE_WAYS] = {3.0, 1.0, 0.0};
static const uint32_t way_colours[LATTICE_WAYS] = {0xC0392BFFu, 0xE09F3EFFu, 0x1F7A8CFFu};

/* One body: ns per node and region sum, [way][w - 1]. */
typedef struct sums_curves {
    const char* name;
    lattice_nodes nodes;
    int32_t widths; /* 1 .. widths */
    double ns[LATTICE_WAYS][WIDTHS];
} sums_curves;

static lim_result load(lattice_sums* s, const lattice_nodes* nodes, const lim_host* host) {
    arena scratch;
    arena_init(&scratch, host);
    size_t floats = (size_t)nodes->count * 24;
    float* values = ARENA_ARRAY(&scratch, float, floats);
    if (values != NULL) {
        random_stream r = random_seed(3);
        for (size_t i = 0; i < floats; ++i) {
            values[i] = random_range(&r, -1.0f, 1.0f);
        }
        lattice_sums_load(s, 3, values);
        lattice_sums_run(s, 3, isa_best());
        lattice_sums_load(s, 2, values);
        lattice_sums_run(s, 2, isa_best());
    }
    arena_release(&scratch);
    return values != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Forward and back. */
static double run_once(lattice_sums* s, const lim_host* host) {
    double begin = timer_now(host);
    lattice_sums_run(s, 3, isa_best());
    lattice_sums_run(s, 2, isa_best());
    return timer_now(host) - begin;
}

static lim_result measure_width(sums_curves* c, int32_t w, bool quick, const lim_host* host) {
    lattice_sums* s[LATTICE_WAYS] = {NULL};
    double times[LATTICE_WAYS][ROUNDS_MOST], spent = 0.0;
    lim_result result = LIM_OK;
    for (int32_t way = 0; way < LATTICE_WAYS && result == LIM_OK; ++way) {
        result = lattice_sums_create(&c->nodes, (lattice_way)way, w, MEMBERS_MOST, host, &s[way]);
        result = result == LIM_OK ? load(s[way], &c->nodes, host) : result;
    }
    int32_t rounds = 0;
    double wanted = quick ? 0.0 : SECONDS;
    while (result == LIM_OK && rounds < ROUNDS_MOST && (rounds < ROUNDS_LEAST || spent < wanted)) {
        for (int32_t way = 0; way < LATTICE_WAYS; ++way) {
            times[way][rounds] = run_once(s[way], host);
            spent += times[way][rounds];
        }
        rounds++;
    }
    for (int32_t way = 0; way < LATTICE_WAYS; ++way) {
        if (result == LIM_OK) {
            double median = measure_of(times[way], rounds, host).median;
            c->ns[way][w - 1] = 1e9 * median / lattice_sums_count(s[way]);
        }
        lattice_sums_destroy(s[way]);
    }
    return result;
}

static plot_series series_of(const sums_curves* c, int32_t way) {
    plot_series s = {.name = way_names[way], .rgba = way_colours[way], .count = c->widths};
    for (int32_t w = 1; w <= c->widths; ++w) {
        s.x[w - 1] = (double)w;
        s.y[w - 1] = c->ns[way][w - 1];
    }
    return s;
}

static void add_rows(const sums_curves* c, paper_rows* rows) {
    paper_rows_of(rows, c->name, "nodes", NAN, (double)c->nodes.count, "");
    for (int32_t way = 0; way < LATTICE_WAYS; ++way) {
        for (int32_t w = 1; w <= c->widths; ++w) {
            char name[64];
            snprintf(name, sizeof name, "%s, w = %d", way_names[way], (int)w);
            paper_rows_of(rows, c->name, name, NAN, c->ns[way][w - 1], "ns per node");
        }
    }
    for (int32_t way = 0; way < LATTICE_WAYS; ++way) {
        plot_series s = series_of(c, way);
        char name[64];
        snprintf(name, sizeof name, "%s, slope over w = %d to %d", way_names[way], (int)FIT_FROM,
                 (int)c->widths);
        paper_rows_of(rows, c->name, name, way_orders[way], plot_slope(&s, FIT_FROM, WIDTHS), "");
        /* what the slope would be if time went with the additions: (2 w + 1)^order */
        for (int32_t i = 0; i < s.count; ++i) {
            s.y[i] = pow(2.0 * s.x[i] + 1.0, way_orders[way]);
        }
        snprintf(name, sizeof name, "%s, slope of the additions far from borders", way_names[way]);
        paper_rows_of(rows, c->name, name, NAN, plot_slope(&s, FIT_FROM, WIDTHS), "");
    }
    int32_t last = c->widths - 1;
    paper_rows_of(rows, c->name, "by members over ours, widest", NAN,
                  c->ns[LATTICE_NAIVE][last] / c->ns[LATTICE_OURS][last], "");
    paper_rows_of(rows, c->name, "ours, widest over w = 1", 1.0,
                  c->ns[LATTICE_OURS][last] / c->ns[LATTICE_OURS][0], "");
}

static lim_result measure_curves(sums_curves* c, const lim_host* host, paper_rows* rows) {
    c->widths = rows->quick ? 3 : WIDTHS;
    for (int32_t w = 1; w <= c->widths; ++w) {
        lim_result result = measure_width(c, w, rows->quick, host);
        if (result != LIM_OK) {
            return result;
        }
    }
    add_rows(c, rows);
    return LIM_OK;
}

static lim_result draw_curves(const sums_curves c[BODIES], lim_image* out_image) {
    enum { WIDE = 640, HIGH = 520 };
    lim_image images[BODIES] = {{0}};
    lim_result result = LIM_OK;
    for (int32_t b = 0; b < BODIES && result == LIM_OK; ++b) {
        char title[96];
        snprintf(title, sizeof title, "%s, %d nodes", c[b].name, (int)c[b].nodes.count);
        plot p = {.title = title,
                  .x_name = "half-width w",
                  .y_name = "ns per node, forward and back",
                  .series_count = LATTICE_WAYS};
        for (int32_t way = 0; way < LATTICE_WAYS; ++way) {
            p.series[way] = series_of(&c[b], way);
        }
        result = plot_draw(&p, WIDE, HIGH, &images[b]);
    }
    if (result == LIM_OK) {
        result = lim_image_sheet(images, BODIES, BODIES, out_image);
    }
    for (int32_t b = 0; b < BODIES; ++b) {
        lim_image_destroy(&images[b]);
    }
    return result;
}

/* The corners of the figure's cells. */
static lim_result figure_nodes(arena* a, bool quick, const lim_host* host, lattice_nodes* out) {
    enum { TRIANGLES = 24000, FEW_TRIANGLES = 6000 };
    static const float CELL = 0.014f, LARGE_CELL = 0.06f;
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_result result = model_mesh("figure", quick ? FEW_TRIANGLES : TRIANGLES, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.cell_size = quick ? LARGE_CELL : CELL;
        result = lim_model_create(mesh, &desc, host, &model);
    }
    result = result == LIM_OK ? lattice_nodes_of_model(a, model, out) : result;
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    return result;
}

lim_result paper_sums(const lim_host* host, paper_rows* rows) {
    static const int32_t cells[3] = {35, 39, 39}, few[3] = {11, 9, 9};
    sums_curves curves[BODIES] = {{.name = "box"}, {.name = "figure, solid"}};
    arena memory;
    arena_init(&memory, host);
    lim_result result =
        lattice_nodes_of_cells(&memory, rows->quick ? few : cells, NULL, &curves[0].nodes);
    result = result == LIM_OK ? figure_nodes(&memory, rows->quick, host, &curves[1].nodes) : result;
    for (int32_t b = 0; b < BODIES && result == LIM_OK; ++b) {
        result = measure_curves(&curves[b], host, rows);
    }
    paper_rows_note(rows, "Sums of 24 floats per node over the regions and of 16 per region over "
                          "the nodes, 1 thread, medians, the same instructions for all.");
    paper_rows_note(rows, "Box: dense arrays. Figure: by members along lists, for a part of the "
                          "regions when they are wide; bars and plates shared by regions.");
    paper_rows_note(rows,
                    "The paper's curves are of its Buddha and have no numbers; its slopes are "
                    "the orders w^3, w and 1 that it states.");
    if (result == LIM_OK && rows->picture != NULL) {
        result = draw_curves(curves, rows->picture);
    }
    arena_release(&memory);
    return result;
}
