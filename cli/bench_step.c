/* SPDX-License-Identifier: MIT
 * Job: time steps. In: a number of nodes. Out: medians per stage with 1 and with 2 workers. The two
 * worlds take turns in blocks of 20 steps, so that a slow moment of the machine hits both.
 */
#include "cli/bench.h"

#include "scenes/models.h"

#include <string.h>

static const float STEP_DT = 1.0f / 240.0f; /* a substep of the default world */
enum { BLOCK = 20 };

static lim_result make_world(const lim_model* model, int32_t workers, const lim_host* host,
                             lim_world** out_world) {
    lim_world_desc desc = lim_world_desc_default();
    desc.substeps = 1;
    desc.workers = workers;
    desc.sleep = false;
    lim_world* world = NULL;
    lim_result result = lim_world_create(&desc, host, &world);
    if (result != LIM_OK) {
        return result;
    }
    lim_body_desc body_desc = lim_body_desc_default();
    body_desc.model = model;
    body_desc.material.young = 20e3f;
    lim_body body;
    result = lim_body_create(world, &body_desc, &body);
    if (result == LIM_OK) {
        lim_pin_desc pin_desc = lim_pin_desc_default();
        pin_desc.body = body;
        pin_desc.shape = LIM_SHAPE_BOX;
        /* the topmost layer of nodes lies half a cell under the face */
        pin_desc.size = (lim_vec3){0.6f, lim_model_get_info(model).cell_size, 0.6f};
        pin_desc.position = (lim_point){0.0, 0.5, 0.0};
        lim_pin pin;
        result = lim_pin_create(world, &pin_desc, &pin);
    }
    if (result != LIM_OK) {
        lim_world_destroy(world);
        return result;
    }
    *out_world = world;
    return LIM_OK;
}

static lim_result take_steps(lim_world* world, int32_t count, measure* times, const lim_host* host,
                             int32_t* substeps) {
    for (int32_t i = 0; i < count; ++i) {
        lim_result result = lim_world_step(world, STEP_DT);
        if (result != LIM_OK) {
            return result;
        }
        lim_step_report report = lim_world_get_report(world);
        *substeps = report.substeps_most;
        if (times != NULL && !measure_add(times, host, &report)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

static lim_result compare(lim_world* worlds[BENCH_WORKERS], int32_t steps, measure* times,
                          const lim_host* host, bench_step_result* out) {
    lim_result result = LIM_OK;
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = take_steps(worlds[w], BENCH_WARM_STEPS, NULL, host, &out->substeps);
    }
    for (int32_t done = 0; done < steps && result == LIM_OK; done += BLOCK) {
        int32_t block = steps - done < BLOCK ? steps - done : BLOCK;
        for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
            result = take_steps(worlds[w], block, &times[w], host, &out->substeps);
        }
    }
    if (result != LIM_OK) {
        return result;
    }
    out->hash = lim_world_hash(worlds[0]);
    out->same_hash = lim_world_hash(worlds[1]) == out->hash;
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        out->total[w] = measure_summarise(&times[w], host, 0);
        for (int32_t s = 0; s < MEASURE_STAGES; ++s) {
            out->stages[w][s] = measure_summarise(&times[w], host, 1 + s);
        }
    }
    return LIM_OK;
}

lim_result bench_step(int32_t nodes, int32_t steps, const lim_host* host, bench_step_result* out) {
    memset(out, 0, sizeof *out);
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_world* worlds[BENCH_WORKERS] = {NULL, NULL};
    measure times[BENCH_WORKERS];
    memset(times, 0, sizeof times);
    const int32_t cells[3] = {1, 1, 1};
    lim_result result = box_mesh(1.0, 1.0, 1.0, cells, host, &mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = nodes;
        result = lim_model_create(mesh, &desc, host, &model);
    }
    for (int32_t w = 0; w < BENCH_WORKERS && result == LIM_OK; ++w) {
        result = make_world(model, w + 1, host, &worlds[w]);
    }
    if (result == LIM_OK) {
        out->info = lim_model_get_info(model);
        result = compare(worlds, steps, times, host, out);
    }
    for (int32_t w = 0; w < BENCH_WORKERS; ++w) {
        measure_free(&times[w], host);
        lim_world_destroy(worlds[w]);
    }
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
    return result;
}
