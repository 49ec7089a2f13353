/* SPDX-License-Identifier: MIT
 * Job: `limber bench hex`. In: how many steps. Out: a table or JSON: boxes of 8,192 cubes that hang
 * and swing, from soft to hard: iterations of a substep, time per cube and substep with 1 and 2
 * workers in turns, the state's hash. Fails when the workers do not give the same bits.
 */
#include "cli/bench_step_table.h"
#include "cli/emit.h"
#include "cli/subject.h"

#include "base/array.h"
#include "scenes/models.h"

enum { HEX_WARM_STEPS = 10 };
#define HEX_CELL 0.02
#define HEX_DT   (1.0f / 60.0f)
/* A little short of whole cells, so that none more is touched. */
static const double HEX_BOX[3] = {15.99, 31.99, 15.99};
#define HEX_US_MOST         2.5
#define HEX_ITERATIONS_MOST 10.0

typedef struct hex_row {
    float young, nu;
} hex_row;
static const hex_row HEX_ROWS[] = {
    {1e4f, 0.3f}, {1e5f, 0.3f}, {1e6f, 0.3f}, {1e7f, 0.3f}, {1e6f, 0.45f}};
enum { HEX_ROW_COUNT = sizeof HEX_ROWS / sizeof HEX_ROWS[0] };

typedef struct hex_result {
    int32_t cells, cut_short;
    measure_summary iterations, seconds[BENCH_WORKERS]; /* of the solve alone */
    uint64_t hash;
    bool same;
} hex_result;

typedef ARRAY(double) hex_values;

static lim_result hex_model(const lim_host* host, lim_model** out) {
    lim_mesh* mesh = NULL;
    const int32_t squares[3] = {1, 1, 1};
    lim_result result = box_mesh(HEX_BOX[0] * HEX_CELL, HEX_BOX[1] * HEX_CELL,
                                 HEX_BOX[2] * HEX_CELL, squares, host, &mesh);
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_HEX;
    desc.cell_size = (float)HEX_CELL;
    result = result == LIM_OK ? lim_model_create(mesh, &desc, host, out) : result;
    lim_mesh_destroy(mesh);
    return result;
}

static lim_result hex_steps(lim_world* const world[BENCH_WORKERS], int32_t steps,
                            const lim_host* host, hex_values values[1 + BENCH_WORKERS],
                            hex_result* out) {
    for (int32_t i = 0; i < HEX_WARM_STEPS + steps; ++i) {
        for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
            lim_result result = lim_world_step(world[w], HEX_DT);
            if (result != LIM_OK) {
                return result;
            }
            lim_step_report report = lim_world_get_report(world[w]);
            bool kept = i < HEX_WARM_STEPS || ARRAY_PUSH(host, &values[1 + w], report.solve);
            kept = kept && (w > 0 || i < HEX_WARM_STEPS ||
                            ARRAY_PUSH(host, &values[0], (double)report.solve_iterations));
            out->cut_short += w == 0 ? report.solves_cut_short : 0;
            if (!kept) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

static lim_result hex_run(const lim_model* model, const hex_row* row, int32_t steps,
                          const lim_host* host, hex_result* out) {
    lim_world* world[BENCH_WORKERS] = {NULL};
    hex_values values[1 + BENCH_WORKERS] = {{0}};
    lim_material material = bench_material();
    lim_result result = LIM_OK;
    *out = (hex_result){.cells = lim_model_get_info(model).cells};
    material.young = row->young;
    material.nu = row->nu;
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = bench_hang(model, &material, w + 1, host, &world[w]);
    }
    result = result == LIM_OK ? hex_steps(world, steps, host, values, out) : result;
    if (result == LIM_OK) {
        out->iterations = measure_of(values[0].data, values[0].count, host);
        out->hash = lim_world_hash(world[0]);
        out->same = out->hash == lim_world_hash(world[1]);
    }
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        out->seconds[w] = measure_of(values[1 + w].data, values[1 + w].count, host);
        ARRAY_FREE(host, &values[1 + w]);
        lim_world_destroy(world[w]);
    }
    ARRAY_FREE(host, &values[0]);
    return result;
}

static double micros(const hex_result* r, double seconds) {
    return 1e6 * seconds / (double)r->cells;
}

static void show(emit* e, const hex_row* row, const hex_result* r, bool json) {
    double us[2] = {micros(r, r->seconds[0].median), micros(r, r->seconds[1].median)};
    if (!json) {
        printf("  %8.0f %5.2f %6d %9.0f %5.0f %9.2f %9.2f %9.2f %6.2f %5d   %016llx%s\n",
               1e-3 * (double)row->young, (double)row->nu, r->cells, r->iterations.median,
               r->iterations.p99, us[0], micros(r, r->seconds[0].least), us[1], us[0] / us[1],
               r->cut_short, (unsigned long long)r->hash,
               r->same ? "" : ", DIFFERENT with 2 workers");
        return;
    }
    emit_object(e, NULL);
    emit_number(e, "young", (double)row->young);
    emit_number(e, "nu", (double)row->nu);
    emit_count(e, "cells", r->cells);
    emit_number(e, "iterations", r->iterations.median);
    emit_number(e, "iterations_p99", r->iterations.p99);
    emit_number(e, "iterations_aim", HEX_ITERATIONS_MOST);
    emit_number(e, "us_per_cell", us[0]);
    emit_number(e, "us_per_cell_least", micros(r, r->seconds[0].least));
    emit_number(e, "us_per_cell_2_workers", us[1]);
    emit_number(e, "us_aim", HEX_US_MOST);
    emit_count(e, "cut_short", r->cut_short);
    emit_hash(e, "hash", r->hash);
    emit_flag(e, "same_hash", r->same);
    emit_close_object(e);
}

int bench_hex_command(const bench_options* o, say_log* log) {
    emit e = emit_begin(stdout);
    lim_model* model = NULL;
    lim_result result = hex_model(&log->host, &model);
    bool same = true;
    if (o->json) {
        emit_object(&e, NULL);
        emit_text(&e, "bench", "hex");
        emit_count(&e, "steps", o->steps);
        emit_array(&e, "rows");
    } else {
        printf(
            "Elastic cubes that hang and swing, 1 substep of 1/60 s per step, residual 1e-3; the "
            "solve alone;\n%d warm steps, then %d. Aims: %.0f iterations at most, %.1f us.\n",
            HEX_WARM_STEPS, o->steps, HEX_ITERATIONS_MOST, HEX_US_MOST);
        printf("  %8s %5s %6s %9s %5s %9s %9s %9s %6s %5s   hash\n", "E kPa", "nu", "cells",
               "iterat.", "p99", "us/cell", "least", "2 workers", "faster", "cut");
    }
    for (int32_t i = 0; i < HEX_ROW_COUNT && result == LIM_OK; ++i) {
        hex_result r;
        result = hex_run(model, &HEX_ROWS[i], o->steps, &log->host, &r);
        if (result == LIM_OK) {
            show(&e, &HEX_ROWS[i], &r, o->json);
            same = same && r.same;
        }
    }
    lim_model_destroy(model);
    if (o->json) {
        emit_close_array(&e);
        emit_flag(&e, "same_hash", same);
        emit_close_object(&e);
        emit_end(&e);
    }
    return result != LIM_OK ? subject_failed("bench hex", result, NULL, log)
           : same           ? EXIT_DONE
                            : EXIT_FAILED;
}
