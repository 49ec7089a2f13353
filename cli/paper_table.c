/* SPDX-License-Identifier: MIT
 * Job: 001.table1. In: nothing. Out: the paper's table for four models of the same sizes: what they
 * are, and what a step and its parts cost.
 *
 * Our step has no separate stages for sums, rotations and damping: they are fused. The total is
 * that of the step (skin left out, as in the paper); damping is what the step takes more than one
 * without damping; sums and rotations are the same kernels run alone over the same regions;
 * matching is what is left.
 */
#include "cli/paper_lattice.h"

#include "base/timer.h"
#include "bench/lattice_ours.h"
#include "bench/polar_record.h"
#include "cli/bench.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 41, QUICK_ROUNDS = 3, QUICK_STEPS = 4 };

typedef struct table_model {
    const char *name, *model;
    int32_t triangles, quick_triangles;
    int32_t nodes;          /* wished; or the cell */
    float cell, quick_cell; /* metres, models are 1 m long; 0: by nodes */
    int32_t width;
    bool solid, damped;
    double paper_triangles, paper_nodes, paper_regions;
    double sums, matching, polar, damping, total; /* the paper's, ms */
} table_model;

static const table_model MODELS[] = {
    {"penguin", "penguin", 9900, 3000, 150, 0.0f, 0.0f, 2, true, false, 9874.0, 150.0, 130.0, 0.03,
     0.07, 0.10, (double)NAN, 0.28},
    {"figure, solid", "figure", 200000, 6000, 0, 0.014f, 0.05f, 1, true, true, 200000.0, 57626.0,
     57626.0, 31.62, 29.36, 31.66, 51.29, 167.83},
    {"figure, shell", "figure", 200000, 6000, 0, 0.016f, 0.05f, 1, false, true, 200000.0, 19959.0,
     19959.0, 10.15, 10.48, 4.02, 17.08, 48.47},
    {"infant", "infant", 16900, 6000, 2570, 0.0f, 0.0f, 2, true, true, 16844.0, 2570.0, 2506.0,
     0.51, 0.95, 1.17, 1.50, 4.99}};
enum { MODEL_COUNT = (int)(sizeof MODELS / sizeof MODELS[0]) };

typedef struct table_times {
    double sums, polar;      /* seconds, alone */
    double damped, undamped; /* a step without the skin */
    double damped_two;       /* the same with 2 workers */
} table_times;

static lim_result make_model(const table_model* t, bool quick, const lim_host* host,
                             lim_model** out) {
    lim_mesh* mesh = NULL;
    lim_result result =
        model_mesh(t->model, quick ? t->quick_triangles : t->triangles, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.node_count = quick && t->nodes > 300 ? 300 : t->nodes;
        desc.cell_size = quick ? t->quick_cell : t->cell;
        desc.node_count = desc.node_count > 0 ? desc.node_count : 1;
        desc.region_width = (float)t->width;
        desc.solid = t->solid;
        result = lim_model_create(mesh, &desc, host, out);
    }
    lim_mesh_destroy(mesh);
    return result;
}

/* Median of the seconds of a number of runs. */
typedef struct stopwatch {
    double times[ROUNDS];
    int32_t count;
} stopwatch;

static lim_result time_sums(const lim_model* model, const table_model* t, int32_t rounds,
                            const lim_host* host, double* out) {
    arena memory;
    arena_init(&memory, host);
    lattice_nodes nodes;
    lattice_ours sums;
    lim_result result = lattice_nodes_of_model(&memory, model, &nodes);
    result = result == LIM_OK ? lattice_ours_make(&memory, &nodes, t->width, &sums) : result;
    if (result == LIM_OK) {
        stopwatch w = {.count = 0};
        lattice_ours_few(&sums, isa_best()); /* warms */
        while (w.count < rounds) {
            double begin = timer_now(host);
            lattice_ours_few(&sums, isa_best());
            w.times[w.count++] = timer_now(host) - begin;
        }
        *out = measure_of(w.times, w.count, host).median;
    }
    arena_release(&memory);
    return result;
}

/* As many rotations as there are regions. Their cost does not depend on the matrices: two steps,
 * always. */
static lim_result time_polar(int32_t count, int32_t rounds, const lim_host* host, double* out) {
    arena memory;
    arena_init(&memory, host);
    int32_t padded = (count + 7) / 8 * 8;
    float* records = ARENA_ARRAY(&memory, float, (int64_t)padded* POLAR_RECORD);
    float* q[4];
    bool complete = records != NULL;
    for (int32_t k = 0; k < 4; ++k) {
        q[k] = ARENA_ARRAY(&memory, float, padded);
        complete = complete && q[k] != NULL;
    }
    if (complete) {
        for (int32_t i = 0; i < padded; ++i) {
            float* A = records + (size_t)i * POLAR_RECORD;
            A[0] = A[4] = A[8] = 1.0f;
            A[1] = 0.1f; /* sheared: the rotation is not the start */
            q[3][i] = 1.0f;
        }
        stopwatch w = {.count = 0};
        while (w.count < rounds) {
            double begin = timer_now(host);
            polar_kernel_for(isa_best())(records, q, padded);
            w.times[w.count++] = timer_now(host) - begin;
        }
        *out = measure_of(w.times, w.count, host).median;
    }
    arena_release(&memory);
    return complete ? LIM_OK : LIM_ERROR_MEMORY;
}

static double without_skin(const bench_step_result* r, int32_t which) {
    enum { SKIN = MEASURE_STAGES - 1 };
    return r->total[which].median - r->stages[which][SKIN].median;
}

static lim_result time_steps(const lim_model* model, int32_t steps, const lim_host* host,
                             table_times* out) {
    bench_step_result on, off;
    lim_material material = bench_material();
    lim_result result = bench_model(model, &material, steps, host, &on);
    if (result == LIM_OK) {
        material.viscosity = material.damping_time = 0.0f;
        result = bench_model(model, &material, steps, host, &off);
    }
    if (result == LIM_OK) {
        out->damped = without_skin(&on, 0);
        out->damped_two = without_skin(&on, 1);
        out->undamped = without_skin(&off, 0);
    }
    return result;
}

static void add_rows(const table_model* t, const lim_model* model, const table_times* m,
                     paper_rows* rows) {
    lim_model_info info = lim_model_get_info(model);
    double triangles = (double)lim_model_get_surface(model).triangle_count;
    double matching = m->undamped - m->sums - m->polar;
    double total = t->damped ? m->damped : m->undamped;
    paper_rows_of(rows, t->name, "triangles", t->paper_triangles, triangles, "");
    paper_rows_of(rows, t->name, "particles", t->paper_nodes, (double)info.nodes, "");
    paper_rows_of(rows, t->name, "regions", t->paper_regions, (double)info.regions, "");
    paper_rows_of(rows, t->name, "w", (double)t->width, (double)t->width, "");
    paper_rows_of(rows, t->name, "fast sum", t->sums, 1e3 * m->sums, "ms");
    paper_rows_of(rows, t->name, "shape matching", t->matching, 1e3 * matching, "ms");
    paper_rows_of(rows, t->name, "polar decomposition", t->polar, 1e3 * m->polar, "ms");
    if (t->damped) {
        paper_rows_of(rows, t->name, "damping", t->damping, 1e3 * (m->damped - m->undamped), "ms");
    }
    paper_rows_of(rows, t->name, "total", t->total, 1e3 * total, "ms");
    paper_rows_of(rows, t->name, "total, per particle", 1e6 * t->total / t->paper_nodes,
                  1e9 * total / info.nodes, "ns");
    paper_rows_of(rows, t->name, "paper over here, per particle", (double)NAN,
                  t->total / t->paper_nodes / (1e3 * total / info.nodes), "");
    if (t->damped) {
        paper_rows_of(rows, t->name, "total, 2 workers", (double)NAN, 1e3 * m->damped_two, "ms");
    }
}

static lim_result measure_model(const table_model* t, const lim_host* host, paper_rows* rows) {
    int32_t rounds = rows->quick ? QUICK_ROUNDS : ROUNDS;
    int32_t steps = rows->quick ? QUICK_STEPS : BENCH_STEPS;
    lim_model* model = NULL;
    table_times m;
    memset(&m, 0, sizeof m);
    lim_result result = make_model(t, rows->quick, host, &model);
    if (result == LIM_OK) {
        result = time_sums(model, t, rounds, host, &m.sums);
    }
    if (result == LIM_OK) {
        result = time_polar(lim_model_get_info(model).regions, rounds, host, &m.polar);
    }
    result = result == LIM_OK ? time_steps(model, steps, host, &m) : result;
    if (result == LIM_OK) {
        add_rows(t, model, &m, rows);
    }
    lim_model_destroy(model);
    return result;
}

lim_result paper_table(const lim_host* host, paper_rows* rows) {
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < MODEL_COUNT && result == LIM_OK; ++i) {
        result = measure_model(&MODELS[i], host, rows);
    }
    paper_rows_note(rows,
                    "Paper: Pentium 4, 3.4 GHz. Here: 1 worker unless said, medians, one substep "
                    "per step, bodies hang and swing, skin left out.");
    paper_rows_note(rows,
                    "Our step is fused. Fast sum and polar decomposition: the kernels run alone "
                    "over the same regions (sums of 12 floats each way).");
    paper_rows_note(rows, "Damping: a step with it less a step without. Shape matching: the step "
                          "without damping less fast sum and polar decomposition.");
    paper_rows_note(rows, "Infant, shape matching: the paper prints 0.10 ms and 19 %; 19 % of its "
                          "total is 0.95 ms, which stands here.");
    return result;
}
