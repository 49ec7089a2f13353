/* SPDX-License-Identifier: MIT
 * Job: `limber paper`. In: an id, or all. Out: numbers of the papers beside what this machine
 * measures, as a table or JSON. Names of rows stay as they are: programs compare them over time. A
 * row says in its name where the configuration differs from the paper's.
 */
#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/fingers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/paper_edit.h"
#include "cli/paper_figure.h"
#include "cli/paper_lattice.h"
#include "cli/paper_octree.h"
#include "cli/paper_points.h"
#include "cli/paper_trained.h"
#include "cli/subject.h"

#include "bench/figure_intervals.h"

#include <math.h>
#include <string.h>

static lim_result step_uniform(const lim_host* host, paper_rows* rows) {
    enum { NODES = 35937, ROUNDS = 12 };
    bench_step_result r;
    bench_paper_result p;
    lim_result result = bench_step(NODES, BENCH_WIDTH, BENCH_STEPS, host, &r);
    if (result == LIM_OK) {
        result = bench_paper_step(NODES, BENCH_WIDTH, ROUNDS, host, &p);
    }
    if (result == LIM_OK) {
        double scale = 1e9 / (double)r.info.nodes;
        paper_rows_add(rows, "step, 35,000 uniform nodes, 1 worker", 6210.0,
                       scale * r.total[0].median, "ns per node");
        paper_rows_add(rows, "step, 35,000 uniform nodes, 2 workers", 6210.0,
                       scale * r.total[1].median, "ns per node");
        paper_rows_add(rows, "the printed step in scalar C, 1 thread", 6210.0,
                       scale * p.total.median, "ns per node");
        paper_rows_add(rows, "the printed step over ours, in turns, 1 worker", NAN,
                       p.total.median / p.ours.median, "");
        paper_rows_add(rows, "nodes", 35000.0, (double)r.info.nodes, "");
        paper_rows_add(rows, "members per region", NAN, r.info.members_per_region, "");
        paper_rows_add(rows, "members per region, the printed step", NAN, p.info.members, "");
        paper_rows_add(rows, "summation nodes per region, the printed step", NAN,
                       p.info.summation_nodes, "");
    }
    return result;
}

static lim_result step_small(const lim_host* host, paper_rows* rows) {
    bench_step_result r;
    lim_result result = bench_step(661, BENCH_WIDTH, BENCH_STEPS, host, &r);
    if (result == LIM_OK) {
        paper_rows_add(rows, "step, 661 nodes (paper: adaptive, here: uniform), 1 worker", 4.5,
                       1e3 * r.total[0].median, "ms");
        paper_rows_add(rows, "nodes", 661.0, (double)r.info.nodes, "");
    }
    return result;
}

static lim_result skin(const lim_host* host, paper_rows* rows) {
    bench_skin_result skins[BENCH_SKINS];
    lim_result result = bench_skin(60000, BENCH_STEPS, host, skins);
    const bench_skin_result r = skins[0];
    if (result == LIM_OK) {
        double scale = 1e9 / (double)r.vertices;
        /* the paper gives 4 ms per flower without the number of vertices */
        paper_rows_add(rows, "skin with normals and tangents, 1 worker", NAN,
                       scale * r.skin[0].median, "ns per vertex");
        paper_rows_add(rows, "skin with normals and tangents, 2 workers", NAN,
                       scale * r.skin[1].median, "ns per vertex");
        paper_rows_add(rows, "vertices", NAN, (double)r.vertices, "");
    }
    return result;
}

static lim_result intervals(const lim_host* host, paper_rows* rows) {
    static const struct {
        const char *name, *least, *most, *fate;
        double paper[2];
        figure_fate expected;
    } cells[3] = {{"n_b",
                   "n_b, least distance",
                   "n_b, largest distance",
                   "n_b is taken",
                   {0, 1},
                   FIGURE_TAKEN},
                  {"n_a",
                   "n_a, least distance",
                   "n_a, largest distance",
                   "n_a is left out",
                   {2, 3},
                   FIGURE_LEFT_OUT},
                  {"n_c",
                   "n_c, least distance",
                   "n_c, largest distance",
                   "n_c is opened",
                   {1, 2},
                   FIGURE_OPENED}};
    figure_intervals f;
    lim_result result = figure_intervals_make(host, &f);
    for (int32_t k = 0; result == LIM_OK && k < 3; ++k) {
        const figure_cell* c = figure_find(&f, cells[k].name);
        paper_rows_add(rows, cells[k].least, cells[k].paper[0], (double)c->least, "cells");
        paper_rows_add(rows, cells[k].most, cells[k].paper[1], (double)c->most, "cells");
        paper_rows_add(rows, cells[k].fate, 1.0, c->fate == cells[k].expected ? 1.0 : 0.0,
                       "(1: yes)");
    }
    if (result == LIM_OK) {
        paper_rows_add(rows, "summation nodes of the region", NAN, (double)f.summation_nodes, "");
        paper_rows_add(rows, "levels that they are on", 2.0, (double)f.levels, "");
        paper_rows_add(rows, "members of the region", NAN, (double)f.members, "");
    }
    return result;
}

static const struct {
    const char* id;
    const char* about;
    lim_result (*measure)(const lim_host* host, paper_rows* rows);
    bool picture;
    lim_result (*draw)(const lim_host* host, lim_image* out_image); /* null: `measure` draws */
} entries[] = {
    {"000.step", "Steinemann, Otaduy, Gross 2008: uniform sampling of the creature, per node",
     step_uniform, false, NULL},
    {"000.small", "Steinemann, Otaduy, Gross 2008: 661 nodes", step_small, false, NULL},
    {"000.fig1",
     "Steinemann, Otaduy, Gross 2008: thin fingers on a round body, cells of one size and of many; "
     "has a picture",
     paper_fingers, true, fingers_draw},
    {"000.skin", "Steinemann, Otaduy, Gross 2008: surface from the nodes", skin, false, NULL},
    {"000.fig2", "Steinemann, Otaduy, Gross 2008: intervals and summation nodes; has a picture",
     intervals, true, paper_figure_intervals},
    {"000.fig3",
     "Steinemann, Otaduy, Gross 2008: a liver that hangs is cut by several strokes; has a picture",
     paper_cuts, true, NULL},
    {"000.fig4",
     "Steinemann, Otaduy, Gross 2008: fingers of one shape, their stiffness from zones and from "
     "the "
     "width of regions; has a picture",
     paper_stiffness, true, NULL},
    {"000.fig5",
     "Steinemann, Otaduy, Gross 2008: a plastic block on pegs keeps the dents; has a picture",
     paper_dents, true, NULL},
    {"000.fig6",
     "Steinemann, Otaduy, Gross 2008: forty flowers in the wind, one is touched and refined, a "
     "petal "
     "is pulled; has a picture",
     paper_flowers, true, NULL},
    {"000.patch",
     "Steinemann, Otaduy, Gross 2008: goals off, in finest cells, under stretch, shear and bend of "
     "10 %",
     paper_patch, false, NULL},
    {"001.polar", "Rivers, James 2007: rotation of a region, Jacobi sweeps on A^T A in the paper",
     paper_polar, false, NULL},
    {"001.fig1", "Rivers, James 2007: 150 penguins fall through a board of pegs; has a picture",
     paper_penguins, true, NULL},
    {"001.fig2",
     "Rivers, James 2007: a displaced node after two steps, wider regions smooth more; has a "
     "picture",
     paper_smoothing, true, NULL},
    {"001.fig3",
     "Rivers, James 2007: a bar twisted and bent as one linear, one quadratic shape and as a "
     "lattice; has a picture",
     paper_bars, true, NULL},
    {"001.fig4", "Rivers, James 2007: cost of sums against the width of regions; has a picture",
     paper_sums, true, NULL},
    {"001.fig5", "Rivers, James 2007: a region as bars and plates; has a picture",
     paper_decomposition, true, NULL},
    {"001.fig6",
     "Rivers, James 2007: detailed bodies in frames per second, an infant with bones; has a "
     "picture",
     paper_detailed, true, NULL},
    {"001.fracture",
     "Rivers, James 2007: links of a lattice that are strained too far break; has a picture",
     paper_fracture, true, NULL},
    {"001.table1", "Rivers, James 2007: four models, and where the time of a step goes",
     paper_table, false, NULL},
    {"002.euler",
     "Mueller et al. 2005: a spring that blows up and goals that do not; has a picture",
     paper_points_euler, true, NULL},
    {"002.alpha", "Mueller et al. 2005: periods for alpha from 0.1 to 1; has a picture",
     paper_points_alpha, true, NULL},
    {"002.modes",
     "Mueller et al. 2005: rigid, linear and quadratic goals of a twisted and a bent bar; has a "
     "picture",
     paper_points_modes, true, NULL},
    {"002.clusters", "Mueller et al. 2005: a hanging bar of 1, 8 and 64 clusters; has a picture",
     paper_points_clusters, true, NULL},
    {"002.recover", "Mueller et al. 2005: ducks come back from any state; has a picture",
     paper_points_recover, true, NULL},
    {"004.fig3",
     "Seiler et al. 2012: wrinkles of a pressed sheet, and the sheet stretched, by linear "
     "regression and by ours",
     paper_trained_stretch, false, NULL},
    {"004.fig4", "Seiler et al. 2012: vertex blending and stamping between two examples",
     paper_trained_between, false, NULL},
    {"004.fig6", "Seiler et al. 2012: a meniscus is pressed; trains it; has a picture",
     paper_trained_meniscus, true, NULL},
    {"004.fig7",
     "Seiler et al. 2012: a wedge is pressed and dragged along; trains it; has a picture",
     paper_trained_wedge, true, NULL},
    {"004.fig8", "Seiler et al. 2012: a pillow is pressed; trains it; has a picture",
     paper_trained_pillow, true, NULL},
    {"004.table1", "Seiler et al. 2012: what detail costs at run time; trains three scenes",
     paper_trained_table, false, NULL},
    {"004.examples",
     "Seiler et al. 2012: errors by the number of examples and of mixed ones; trains the wedge",
     paper_trained_examples, false, NULL}};

enum { ENTRY_COUNT = (int)(sizeof entries / sizeof entries[0]) };

static void print_rows(int32_t entry, const paper_rows* rows) {
    printf("%s  %s\n", entries[entry].id, entries[entry].about);
    printf("  %-60s %12s %12s\n", "", "paper", "here");
    for (int32_t i = 0; i < rows->count; ++i) {
        const paper_row* row = &rows->items[i];
        char paper[32] = "-";
        if (!isnan(row->paper)) {
            snprintf(paper, sizeof paper, "%.6g", row->paper);
        }
        printf("  %-60s %12s %12.4g %s\n", row->name, paper, row->here, row->unit);
    }
    for (int32_t i = 0; i < rows->note_count; ++i) {
        printf("  %s\n", rows->notes[i]);
    }
}

static void emit_rows(emit* e, int32_t entry, const paper_rows* rows) {
    emit_object(e, NULL);
    emit_text(e, "id", entries[entry].id);
    emit_array(e, "rows");
    for (int32_t i = 0; i < rows->count; ++i) {
        emit_object(e, NULL);
        emit_text(e, "name", rows->items[i].name);
        emit_number(e, "paper", rows->items[i].paper);
        emit_number(e, "here", rows->items[i].here);
        emit_text(e, "unit", rows->items[i].unit);
        emit_close_object(e);
    }
    emit_close_array(e);
    if (rows->note_count > 0) {
        emit_array(e, "notes");
        for (int32_t i = 0; i < rows->note_count; ++i) {
            emit_text(e, NULL, rows->notes[i]);
        }
        emit_close_array(e);
    }
    emit_close_object(e);
}

/* The entry of this id; -1 after a message. */
static int32_t find_entry(const char* id) {
    const char* names[ENTRY_COUNT + 1];
    for (int32_t i = 0; i < ENTRY_COUNT; ++i) {
        names[i] = entries[i].id;
        if (strcmp(entries[i].id, id) == 0) {
            return i;
        }
    }
    names[ENTRY_COUNT] = "all";
    const char* nearest = options_nearest(id, names, ENTRY_COUNT + 1);
    if (nearest != NULL) {
        say_error("no paper entry '%s'; did you mean %s?", id, nearest);
    } else {
        say_error("no paper entry '%s'; `limber paper` lists them", id);
    }
    return -1;
}

/* Whether the picture of one entry can be asked for; EXIT_USAGE after a message. */
static int check_picture(const char* path, bool one, int32_t entry) {
    lim_io_message message = {{0}};
    if (!one || !entries[entry].picture) {
        say_error("-o is for an entry with a picture; `limber paper` says which have one");
        return EXIT_USAGE;
    }
    if (output_kind_of(path) != OUTPUT_PNG) {
        say_error("%s: a picture of a paper is a .png", path);
        return EXIT_USAGE;
    }
    if (!output_is_possible(path, &message)) {
        say_error("%s", message.text);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int write_picture(const char* path, int32_t entry, lim_image* image, const say_log* log) {
    lim_io_message message = {{0}};
    lim_result result =
        entries[entry].draw != NULL ? entries[entry].draw(&log->host, image) : LIM_OK;
    if (result == LIM_OK) {
        result = lim_io_write_png(path, image, &message);
    }
    return result == LIM_OK ? EXIT_DONE : subject_failed(path, result, &message, log);
}

int command_paper(int argc, char** argv) {
    bool json = false, quick = false;
    const char* picture = NULL;
    const option options[] = {
        {"-o", "FILE.png", "the picture of the entry", OPTION_TEXT, &picture, 0, 0},
        {"--quick", NULL, "few steps and small bodies: not to compare", OPTION_FLAG, &quick, 0, 0},
        {"--json", NULL, "as JSON", OPTION_FLAG, &json, 0, 0}};
    const option_table table = {.usage = "limber paper [ID|all] [-o FILE.png] [--quick] [--json]",
                                .about = "Measures what a paper reports and prints both numbers. "
                                         "Without an id it lists the entries.\n",
                                .options = options,
                                .option_count = 3,
                                .words_most = 1,
                                .words_name = ""};
    option_texts words;
    option_result read = options_read(&table, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    bool list = words.count == 0, all = !list && strcmp(words.items[0], "all") == 0;
    int32_t first = 0, last = ENTRY_COUNT - 1;
    if (!list && !all) {
        first = last = find_entry(words.items[0]);
        if (first < 0) {
            return EXIT_USAGE;
        }
    }
    if (picture != NULL && check_picture(picture, !list && !all, first) != EXIT_DONE) {
        return EXIT_USAGE;
    }
    emit e = emit_begin(stdout);
    bool array = json && (list || all);
    if (array) {
        emit_array(&e, NULL);
    }
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    lim_image image = {0};
    int code = EXIT_DONE;
    for (int32_t i = first; i <= last && code == EXIT_DONE; ++i) {
        paper_rows rows = {.quick = quick, .picture = picture != NULL ? &image : NULL};
        lim_result result = list ? LIM_OK : entries[i].measure(&log.host, &rows);
        if (result != LIM_OK) {
            code = subject_failed(entries[i].id, result, NULL, &log);
        } else if (list && json) {
            emit_text(&e, NULL, entries[i].id);
        } else if (list) {
            printf("%-12s %s\n", entries[i].id, entries[i].about);
        } else if (json) {
            emit_rows(&e, i, &rows);
        } else {
            print_rows(i, &rows);
        }
    }
    if (array) {
        emit_close_array(&e);
    }
    if (json) {
        emit_end(&e);
    }
    if (code == EXIT_DONE && picture != NULL) {
        code = write_picture(picture, first, &image, &log);
    }
    lim_image_destroy(&image);
    return code;
}
