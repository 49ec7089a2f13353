/* SPDX-License-Identifier: MIT
 * Job: `limber bench lattice`. In: how many steps. Out: a table or JSON: the step of a full box and
 * of a figure as lattices, for narrow and wide regions, with damping in every step, in every third
 * and without; how fast a stretched bar fades with each. The step is without the skin. Fails when 1
 * and 2 workers do not give the same bits, when a body did not move at a measured step, or when it
 * took several substeps.
 */
#include "cli/bench_step_table.h"
#include "cli/emit.h"
#include "cli/subject.h"

#include "base/arena.h"
#include "scenes/models.h"

#include <string.h>

enum { FIGURE_NODES = 57600, FIGURE_TRIANGLES = 20000 };
static const double LATTICE_CELL = 1.0 / 32.0;
/* Of the box: cells that are a little short of whole, so that none more is touched. */
static const double BOX_CELLS[3] = {38.99, 38.99, 34.99};

typedef struct lattice_row {
    bool figure;
    int32_t width, every; /* every: substeps per damping; 0: no damping */
    double most;          /* ns per node that are aimed at; 0: none */
} lattice_row;

static const lattice_row ROWS[] = {{false, 1, 1, 45.0}, {false, 1, 3, 0.0}, {false, 1, 0, 28.0},
                                   {false, 3, 1, 0.0},  {false, 8, 1, 0.0}, {true, 1, 1, 65.0},
                                   {true, 1, 3, 0.0},   {true, 1, 0, 45.0}, {true, 3, 1, 0.0},
                                   {true, 8, 1, 0.0}};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };
/* Cost at w = 8 over that at w = 1, at most. */
static const double WIDE_RATIO[2] = {1.3, 2.0};

static lim_result make_model(bool figure, int32_t width, const lim_host* host, lim_model** out) {
    lim_mesh* mesh = NULL;
    const int32_t squares[3] = {1, 1, 1};
    lim_result result = figure ? model_mesh("figure", FIGURE_TRIANGLES, host, &mesh)
                               : box_mesh(BOX_CELLS[0] * LATTICE_CELL, BOX_CELLS[1] * LATTICE_CELL,
                                          BOX_CELLS[2] * LATTICE_CELL, squares, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.region_width = (float)width;
        desc.node_count = FIGURE_NODES;
        desc.cell_size = figure ? 0.0f : (float)LATTICE_CELL;
        result = lim_model_create(mesh, &desc, host, out);
    }
    lim_mesh_destroy(mesh);
    return result;
}

static lim_result run_row(const lattice_row* row, int32_t steps, const lim_host* host,
                          bench_step_result* out) {
    lim_model* model = NULL;
    lim_result result = make_model(row->figure, row->width, host, &model);
    if (result == LIM_OK) {
        lim_material material = bench_material();
        /* What one substep can hold grows with the square of the cells. */
        double cells = (double)lim_model_get_info(model).cell_size / LATTICE_CELL;
        material.young *= (float)(cells * cells);
        material.damping_every = row->every > 0 ? row->every : 1;
        if (row->every == 0) {
            material.viscosity = material.damping_time = 0.0f;
        }
        result = bench_model(model, &material, steps, host, out);
        out->width = row->width;
    }
    lim_model_destroy(model);
    return result;
}

/* Without the skin; which: 0 medians, 1 fastest steps. */
static double row_ns(const bench_step_result* r, int32_t workers, bool least) {
    enum { SKIN = MEASURE_STAGES - 1 };
    const measure_summary *all = &r->total[workers], *skin = &r->stages[workers][SKIN];
    double seconds = least ? all->least - skin->least : all->median - skin->median;
    return 1e9 * seconds / (double)r->info.nodes;
}

/* The amplitude that a free bar has left of a stretch after `seconds`, with viscosity alone. */
enum { DECAYS = 3 };
static const int32_t DECAY_EVERY[DECAYS] = {1, 2, 3};
static const double DECAY_SECONDS = 0.5;

static double bar_length(const double* x, int32_t nodes) {
    double low = x[0], high = x[0];
    for (int32_t i = 1; i < nodes; ++i) {
        low = x[3 * i] < low ? x[3 * i] : low;
        high = x[3 * i] > high ? x[3 * i] : high;
    }
    return high - low;
}

static lim_result stretch(lim_world* world, lim_body body, double* x, int32_t nodes) {
    lim_result result = lim_body_get_nodes(world, body, x, NULL, nodes);
    for (int32_t i = 0; i < nodes; ++i) {
        x[3 * i] *= 1.05;
    }
    return result == LIM_OK ? lim_body_set_nodes(world, body, x, NULL, nodes) : result;
}

/* Largest stretch of the last tenth of the time over that of the first. */
static lim_result follow(lim_world* world, lim_body body, double* x, int32_t nodes, double rest,
                         double* out_left) {
    const float dt = 1.0f / 240.0f;
    int32_t steps = (int32_t)(DECAY_SECONDS / (double)dt), tenth = steps / 10;
    double first = 0.0, last = 0.0;
    for (int32_t i = 0; i < steps; ++i) {
        lim_result result = lim_world_step(world, dt);
        result = result == LIM_OK ? lim_body_get_nodes(world, body, x, NULL, nodes) : result;
        if (result != LIM_OK) {
            return result;
        }
        double off = bar_length(x, nodes) / rest - 1.0;
        off = off < 0.0 ? -off : off;
        first = i < tenth && off > first ? off : first;
        last = i >= steps - tenth && off > last ? off : last;
    }
    *out_left = last / first;
    return LIM_OK;
}

static lim_result decay_in(lim_world* world, const lim_model* model, int32_t every,
                           const lim_host* host, double* out_left) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.material = bench_material();
    desc.material.viscosity = 40.0f;
    desc.material.damping_time = 0.0f;
    desc.material.damping_every = every;
    desc.gravity_scale = 0.0f;
    lim_body body;
    lim_result result = lim_body_create(world, &desc, &body);
    int32_t nodes = lim_model_get_info(model).nodes;
    arena scratch;
    arena_init(&scratch, host);
    double* x = ARENA_ARRAY(&scratch, double, 3 * (size_t)nodes);
    result = result == LIM_OK && x == NULL ? LIM_ERROR_MEMORY : result;
    result = result == LIM_OK ? stretch(world, body, x, nodes) : result;
    if (result == LIM_OK) {
        double rest = bar_length(x, nodes) / 1.05;
        result = follow(world, body, x, nodes, rest, out_left);
    }
    arena_release(&scratch);
    return result;
}

static lim_result measure_decay(int32_t every, const lim_host* host, double* out_left) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_world* world = NULL;
    const int32_t squares[3] = {1, 1, 1};
    lim_result result = box_mesh(0.999, 0.2499, 0.2499, squares, host, &mesh);
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_LATTICE;
    desc.cell_size = (float)LATTICE_CELL;
    result = result == LIM_OK ? lim_model_create(mesh, &desc, host, &model) : result;
    lim_world_desc world_desc = lim_world_desc_default();
    world_desc.substeps = 1;
    world_desc.sleep = false;
    result = result == LIM_OK ? lim_world_create(&world_desc, host, &world) : result;
    result = result == LIM_OK ? decay_in(world, model, every, host, out_left) : result;
    lim_world_destroy(world);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    return result;
}

static const char* damping_name(int32_t every) {
    return every == 0 ? "none" : every == 1 ? "every step" : "every third";
}

static void show_row(emit* e, const lattice_row* row, const bench_step_result* r, bool json) {
    if (json) {
        emit_object(e, NULL);
        emit_text(e, "body", row->figure ? "figure" : "box");
        emit_count(e, "nodes", r->info.nodes);
        emit_count(e, "regions", r->info.regions);
        emit_count(e, "width", row->width);
        emit_text(e, "damping", damping_name(row->every));
        emit_number(e, "ns_per_node", row_ns(r, 0, false));
        emit_number(e, "ns_per_node_2_workers", row_ns(r, 1, false));
        emit_number(e, "ns_per_node_least", row_ns(r, 0, true));
        emit_number(e, "ns_per_node_least_2_workers", row_ns(r, 1, true));
        emit_number(e, "aim", row->most);
        emit_count(e, "steps_that_moved", r->moves);
        emit_hash(e, "hash", r->hash);
        emit_flag(e, "same_hash", r->same_hash);
        emit_close_object(e);
        return;
    }
    char aim[16] = "";
    if (row->most > 0.0) {
        snprintf(aim, sizeof aim, "%.0f", row->most);
    }
    printf("  %-7s %7d %7d %3d  %-11s %8.1f %8.1f %8.1f %8.1f  %4s  %016llx%s\n",
           row->figure ? "figure" : "box", r->info.nodes, r->info.regions, row->width,
           damping_name(row->every), row_ns(r, 0, false), row_ns(r, 1, false), row_ns(r, 0, true),
           row_ns(r, 1, true), aim, (unsigned long long)r->hash,
           r->same_hash ? "" : " DIFFERENT with 2 workers");
}

/* w = 8 over w = 1, damping in every step. */
static double wide_over_narrow(const bench_step_result* r, bool figure, bool least) {
    double at[2] = {0.0, 1.0};
    for (int32_t i = 0; i < ROW_COUNT; ++i) {
        if (ROWS[i].figure == figure && ROWS[i].every == 1 && ROWS[i].width != 3) {
            at[ROWS[i].width == 8 ? 0 : 1] = row_ns(&r[i], 0, least);
        }
    }
    return at[0] / at[1];
}

static void show_ratios(emit* e, const bench_step_result* r, const double left[DECAYS], bool json) {
    if (json) {
        emit_number(e, "box_w8_over_w1", wide_over_narrow(r, false, false));
        emit_number(e, "box_w8_over_w1_least", wide_over_narrow(r, false, true));
        emit_number(e, "figure_w8_over_w1", wide_over_narrow(r, true, false));
        emit_number(e, "figure_w8_over_w1_least", wide_over_narrow(r, true, true));
        emit_array(e, "decay");
        for (int32_t i = 0; i < DECAYS; ++i) {
            emit_object(e, NULL);
            emit_count(e, "damping_every", DECAY_EVERY[i]);
            emit_number(e, "amplitude_left", left[i]);
            emit_close_object(e);
        }
        emit_close_array(e);
        return;
    }
    for (int32_t f = 0; f < 2; ++f) {
        printf("  %s, w = 8 over w = 1: %.2f, of the fastest steps %.2f; at most %g\n",
               f == 1 ? "figure" : "box", wide_over_narrow(r, f == 1, false),
               wide_over_narrow(r, f == 1, true), WIDE_RATIO[f]);
    }
    printf(
        "A bar of 33 x 9 x 9 nodes, stretched by 5 %% and let go, w = 1, viscosity 40 Pa s: what "
        "is left of\nits swing after %g s\n",
        DECAY_SECONDS);
    for (int32_t i = 0; i < DECAYS; ++i) {
        printf("  damping in every %d. substep  %6.1f %%\n", DECAY_EVERY[i], 100.0 * left[i]);
    }
}

int bench_lattice_command(const bench_options* o, say_log* log) {
    bench_step_result r[ROW_COUNT];
    double left[DECAYS];
    emit e = emit_begin(stdout);
    bool good = true;
    if (o->json) {
        emit_object(&e, NULL);
        emit_text(&e, "bench", "lattice");
        emit_count(&e, "steps", o->steps);
        emit_array(&e, "rows");
    } else {
        printf("Lattices that hang and swing, 1 substep per step, without the skin; %d warm steps, "
               "then %d.\n",
               BENCH_WARM_STEPS, o->steps);
        printf("  %-7s %7s %7s %3s  %-11s %8s %8s %8s %8s  %4s  ns per node and step\n", "body",
               "nodes", "regions", "w", "damping", "1 worker", "2", "least, 1", "2", "aim");
    }
    for (int32_t i = 0; i < ROW_COUNT; ++i) {
        lim_result result = run_row(&ROWS[i], o->steps, &log->host, &r[i]);
        if (result != LIM_OK) {
            return subject_failed("bench lattice", result, NULL, log);
        }
        show_row(&e, &ROWS[i], &r[i], o->json);
        fflush(stdout);
        good = good && r[i].same_hash && r[i].moves == r[i].steps && r[i].substeps == 1;
    }
    for (int32_t i = 0; i < DECAYS; ++i) {
        lim_result result = measure_decay(DECAY_EVERY[i], &log->host, &left[i]);
        if (result != LIM_OK) {
            return subject_failed("bench lattice", result, NULL, log);
        }
    }
    if (o->json) {
        emit_close_array(&e);
    }
    show_ratios(&e, r, left, o->json);
    if (o->json) {
        emit_close_object(&e);
        emit_end(&e);
    }
    return good ? EXIT_DONE : EXIT_FAILED;
}
